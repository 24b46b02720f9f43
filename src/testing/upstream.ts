/**
 * The way on to the service: sends a request there, streamed or from memory, and reads the answer. It knows no faults. Every
 * request has a connection of its own, so that no idle one can break at a moment nobody planned.
 */
import { Agent, type ClientRequest, request as http, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as https, Agent as SecureAgent } from 'node:https'

/** Bodies kept in memory are refused beyond this. */
export const BUFFER_BYTES = 64 * 1024 * 1024

/** Headers of one connection, not of the message (RFC 9110 §7.6.1). */
const HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'])

// The service is not told, lest it cuts short an upload that it has refused: it would read the rest of it on an open connection.
const ONCE = { http: new Agent({ keepAlive: true }), https: new SecureAgent({ keepAlive: true }) }
for (const agent of Object.values(ONCE)) agent.keepSocketAlive = () => false

/** An answer of the service. API answers lie in memory, a file streams. */
export interface Reply {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer | IncomingMessage
  /** Bytes of the body; null when the service does not announce them. */
  readonly length: number | null
}

/** The service could not be reached, or broke off. */
export class Down extends Error {}

/** The headers that belong to the message itself. */
export function ownHeaders(message: IncomingMessage, without: readonly string[] = []): OutgoingHttpHeaders {
  const entries = Object.entries(message.headersDistinct).filter(([name]) => !HOP.has(name) && !without.includes(name))
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.length === 1 ? values[0] : values]))
}

/** Where to, with what, and how. */
export interface Onward {
  readonly target: URL
  readonly headers: OutgoingHttpHeaders
  /** Instead of the request's own body, which then has been read already. */
  readonly body?: Buffer
  /** Only so many bytes of the request's body; then the connection is broken, and it throws Down. */
  readonly cutAfter?: number
}

/** Passes a request on. Throws Down. A client that leaves in the middle of its body takes the request with it. */
export function passOn(request: IncomingMessage, { target, headers, body, cutAfter }: Onward): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port, protocol } = target
    const [send, agent] = protocol === 'https:' ? [https, ONCE.https] : [http, ONCE.http]
    const host = hostname.replace(/^\[|\]$/g, '')
    const onward = send({ protocol, host, port, path: request.url, method: request.method, headers, agent })
    onward.on('response', resolve)
    onward.on('error', error => reject(new Down(error.message)))
    onward.on('close', () => {
      reject(new Down('closed'))
      // What the service did not want to read any more must still leave the client's connection.
      request.resume()
    })
    if (body !== undefined) onward.end(body)
    else if (cutAfter !== undefined) sendPart(request, onward, cutAfter)
    // The client has gone while the request was held back: nothing of it can be read any more.
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
    // Whether or not it is the last part, it has left before the connection breaks.
    onward.write(part, () => {
      if (left <= 0) stop()
    })
    if (left <= 0) request.off('data', forward)
  }
  request.on('data', forward)
  request.once('close', stop)
}

/** Reads a body to its end. Throws Down when it breaks off, or is larger than may be kept. */
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
  if (bytes > BUFFER_BYTES) throw new Down('larger than may be kept')
  return Buffer.concat(chunks)
}
