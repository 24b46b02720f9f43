/**
 * Maps errors to answers on the wire: refusals, errors of the framework and the parser, and unexpected ones. No stack, path or
 * query reaches the caller (contract §2.5, §14.2, faults S31).
 */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../refusal.ts'
import { isDiskTrouble } from '../storage/database.ts'

const FRAMEWORK: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'the body is larger than this operation allows'],
  FST_REQ_FILE_TOO_LARGE: [413, 'jobFile: is larger than this service allows'],
  FST_PARTS_LIMIT: [413, 'the body has too many parts'],
  FST_FILES_LIMIT: [413, 'the body has too many files'],
  FST_FIELDS_LIMIT: [413, 'the body has too many fields'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'Content-Type: is not accepted by this operation'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'Content-Length: is not the length of the body'],
  FST_PROTO_VIOLATION: [400, 'the name of a part is not acceptable'],
  FST_MP_PREMATURE_CLOSE: [400, 'the body ended too early'],
  FST_ERR_BAD_URL: [400, 'the path is not well formed'],
}

/** The refusal for an error; null for an unexpected one. */
export function refusalOf(thrown: unknown): Refusal | null {
  if (thrown instanceof Refusal) return thrown
  const error = (thrown ?? {}) as { readonly code?: unknown; readonly statusCode?: unknown }
  if (isDiskTrouble(thrown)) {
    return new Refusal(507, 'Insufficient storage', 'the service cannot write to its disk', { 'Retry-After': '60' })
  }
  const [status, details] = FRAMEWORK[String(error.code)] ?? []
  if (status !== undefined) return new Refusal(status, STATUS_CODES[status] ?? 'Refused', details)
  const other = Number(error.statusCode)
  return other >= 400 && other < 500
    ? new Refusal(other, STATUS_CODES[other] ?? 'Refused', 'the request is not well formed')
    : null
}

const PARSER: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Details, and further headers, of the answers to requests that no route gets. */
const OUTSIDE: Readonly<Record<number, readonly [details: string, headers?: Readonly<Record<string, string>>]>> = {
  400: ['this is not a well-formed HTTP request'],
  405: ['this service is not a proxy', { Allow: 'GET, HEAD, POST, PUT, OPTIONS' }],
  408: ['the request did not arrive in time'],
  417: ['Expect: only 100-continue is supported'],
  431: ['the headers are larger than this service allows'],
}

function makeAnswer(status: number) {
  const correlationId = randomUUID()
  const reason = STATUS_CODES[status] ?? 'Refused'
  const [details = '', more = {}] = OUTSIDE[status] ?? []
  const body = JSON.stringify(new Refusal(status, reason, details).body(correlationId))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'X-Correlation-Id': correlationId,
    ...more,
    Connection: 'close',
  }
  return { correlationId, reason, headers, body }
}

/** Answers on a socket without a parsed request, closes it, and returns the correlationId it sent. */
function answerRaw(status: number, socket: Duplex): string {
  const { correlationId, reason, headers, body } = makeAnswer(status)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${reason}`, ...lines, '', body].join('\r\n'))
  return correlationId
}

/** Answers what no route gets. `hangUp` destroys a connection after a moment, even when the other side keeps it open. */
export const makeOutsideAnswers = (log: (line: Record<string, unknown>) => void, hangUp: (socket: Duplex) => void) => ({
  /** Answers bytes that are not an HTTP request, and closes the connection (faults H11, H12). */
  answerGarbage(error: { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const status = PARSER[error.code ?? ''] ?? 400
    log({ correlationId: answerRaw(status, socket), method: 'unknown', status })
    hangUp(socket)
  },
  /** Rejects an `Expect` other than 100-continue, which Node answers without a body. */
  rejectExpectation({ method = '' }: IncomingMessage, response: ServerResponse): void {
    const { correlationId, headers, body } = makeAnswer(417)
    response.writeHead(417, headers).end(body)
    log({ correlationId, method, status: 417 })
  },
  /** Rejects CONNECT, which Node delivers as a bare socket (faults H6). */
  rejectConnect(_request: unknown, socket: Duplex): void {
    socket.on('error', () => socket.destroy())
    log({ correlationId: answerRaw(405, socket), method: 'CONNECT', status: 405 })
    hangUp(socket)
  },
})
