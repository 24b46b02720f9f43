/**
 * Turns whatever was thrown into the answer on the wire: our own refusals, the framework's, the parser's, and what nobody
 * expected. No stack, path or query ever leaves (contract §2.5, §14.2, faults S31).
 */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from './refusal.ts'

interface Thrown {
  readonly code?: unknown
  readonly statusCode?: unknown
  readonly message?: unknown
}

/** What the framework refuses by itself, in our words. */
const FRAMEWORK: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'the body is larger than this call allows'],
  FST_REQ_FILE_TOO_LARGE: [413, 'jobFile: is larger than this service allows'],
  FST_PARTS_LIMIT: [413, 'the body has too many parts'],
  FST_FILES_LIMIT: [413, 'the body has too many files'],
  FST_FIELDS_LIMIT: [413, 'the body has too many fields'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'Content-Type: is not one this call takes'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'Content-Length: is not the length of the body'],
  FST_PROTO_VIOLATION: [400, 'the name of a part is not acceptable'],
  FST_MP_PREMATURE_CLOSE: [400, 'the body ended too early'],
  FST_ERR_BAD_URL: [400, 'the path is not well formed'],
}

/** The disk, not the caller, is at fault: worth another try later (faults H32). */
const isDiskFull = ({ code, message }: Thrown): boolean => code === 'ENOSPC' || /disk is full/.test(String(message))

/** The refusal that stands for anything thrown; null for what is a fault of ours. */
export function refusalOf(thrown: unknown): Refusal | null {
  if (thrown instanceof Refusal) return thrown
  const error = (thrown ?? {}) as Thrown
  if (isDiskFull(error)) return new Refusal(507, 'Insufficient storage', 'the service has no room left', { 'Retry-After': '60' })
  const [status, details] = FRAMEWORK[String(error.code)] ?? []
  if (status !== undefined) return new Refusal(status, STATUS_CODES[status] ?? 'Refused', details)
  const other = Number(error.statusCode)
  return other >= 400 && other < 500
    ? new Refusal(other, STATUS_CODES[other] ?? 'Refused', 'the request is not well formed')
    : null
}

const PARSER: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Answers bytes that are not a request at all, and closes the connection (faults H11, H12). */
export function answerGarbage(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = PARSER[error.code ?? ''] ?? 400
  const correlationId = randomUUID()
  const refusal = new Refusal(status, STATUS_CODES[status] ?? 'Refused', 'this is not a well-formed HTTP request')
  const body = JSON.stringify(refusal.body(correlationId))
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Correlation-Id: ${correlationId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
