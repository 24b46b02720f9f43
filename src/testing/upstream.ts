/**
 * Forwards a request to the service, streamed or from memory, and reads the answer. Each request uses a new connection, so that no
 * idle connection can break at an unplanned moment.
 */
import { Agent, type ClientRequest, request as http, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as https, Agent as SecureAgent } from 'node:https'

export const BUFFER_BYTES = 64 * 1024 * 1024

/** Headers of a connection, which are not forwarded (RFC 9110 §7.6.1). */
const HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'])

// No `connection: close` to the service: it would cut off a rejected upload, whose rest it reads on an open connection.
const ONCE = { http: new Agent({ keepAlive: true }), https: new SecureAgent({ keepAlive: true }) }
for (const agent of Object.values(ONCE)) agent.keepSocketAlive = () => false

/** An answer of the service: API answers in memory, files as streams. */
export interface Reply {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer | IncomingMessage
  readonly length: number | null
}

/** The service cannot be reached, or closed the connection. */
export class Down extends Error {}

export function ownHeaders(message: IncomingMessage, without: readonly string[] = []): OutgoingHttpHeaders {
  const entries = Object.entries(message.headersDistinct).filter(([name]) => !HOP.has(name) && !without.includes(name))
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.length === 1 ? values[0] : values]))
}

export interface ForwardOptions {
  readonly target: URL
  readonly headers: OutgoingHttpHeaders
  readonly body?: Buffer
  /** Closes the connection after this number of bytes of the body, and throws Down. */
  readonly cutAfter?: number
}

/** Forwards a request. Throws Down. If the client leaves before the end of its body, the request is aborted. */
export function forwardRequest(
  request: IncomingMessage,
  { target, headers, body, cutAfter }: ForwardOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port, protocol } = target
    const [send, agent] = protocol === 'https:' ? [https, ONCE.https] : [http, ONCE.http]
    const host = hostname.replace(/^\[|\]$/g, '')
    const onward = send({ protocol, host, port, path: request.url, method: request.method, headers, agent })
    onward.on('response', resolve)
    onward.on('error', error => reject(new Down(error.message)))
    onward.on('close', () => {
      reject(new Down('closed'))
      // The rest that the service did not read must still be read from the client's connection.
      request.resume()
    })
    if (body !== undefined) onward.end(body)
    else if (cutAfter !== undefined) sendPart(request, onward, cutAfter)
    // The client left while the request was delayed: its body cannot be read any more.
    else if (request.destroyed) onward.destroy()
    else {
      request.pipe(onward)
      request.once('close', () => {
        if (!request.complete) onward.destroy()
      })
    }
  })
}

function sendPart(request: IncomingMessage, onward: ClientRequest, bytes: number): void {
  let left = bytes
  const stop = (): void => {
    request.off('data', forward)
    request.pause()
    onward.destroy()
  }
  const forward = (chunk: Buffer): void => {
    const part = chunk.subarray(0, left)
    left -= part.length
    // Wait until the part is sent before closing the connection.
    onward.write(part, () => {
      if (left <= 0) stop()
    })
    if (left <= 0) request.off('data', forward)
  }
  request.on('data', forward)
  request.once('close', stop)
}

/** Reads a body completely. Throws Down if it ends early or exceeds BUFFER_BYTES. */
export async function readWhole(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > BUFFER_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new Down((error as Error).message)
  }
  if (bytes > BUFFER_BYTES) throw new Down(`larger than ${BUFFER_BYTES} bytes`)
  return Buffer.concat(chunks)
}
