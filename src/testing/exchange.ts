/**
 * One request in a fault server, with the operations that a fault can perform on it. Everything here is valid HTTP, except for the
 * reset. A request is forwarded to the service streamed or from memory, over a new connection each, so that no idle connection can break
 * at an unplanned moment.
 */
import {
  Agent,
  type ClientRequest,
  request as http,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { request as https, Agent as SecureAgent } from 'node:https'
import type { Delivery, Seen } from './record.ts'

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

export type SeenDraft = { -readonly [K in keyof Seen]: Seen[K] }

export interface ExchangeContext {
  readonly target: URL
  readonly origin: string
  readonly without: readonly string[]
  readonly keepAlive: boolean
  note(delivery: Delivery): void
}

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly seen: SeenDraft
  /** Resolves when the client has gone, or has its whole reply. */
  readonly gone: Promise<void>
  readonly #context: ExchangeContext
  #isLast = false

  constructor(request: IncomingMessage, response: ServerResponse, seen: SeenDraft, around: ExchangeContext) {
    this.request = request
    this.response = response
    this.seen = seen
    this.#context = around
    this.gone = new Promise(resolve => response.once('close', resolve))
    // Both fail when the client leaves, which is not an error here.
    request.on('error', () => {})
    response.on('error', () => {})
  }

  /** Bytes of the request's body: null when they are not announced. */
  get bodyLength(): number | null {
    const { headers } = this.request
    if (headers['transfer-encoding'] !== undefined) return null
    return Number(headers['content-length'] ?? 0)
  }

  /** `connection: close` if this server or the service ends the connection; otherwise no header. */
  get connection(): OutgoingHttpHeaders {
    return this.#context.keepAlive && !this.#isLast ? {} : { connection: 'close' }
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.request.socket.destroyed
  }

  /** `{self}` and `{path}` in a text, filled in. */
  fill(text: string): string {
    return text.replaceAll('{self}', this.#context.origin).replaceAll('{path}', this.request.url ?? '/')
  }

  /** Forwards the request to the service and replaces the service's address in links with this server's. Throws Down. */
  async forward(how: Pick<ForwardOptions, 'body' | 'cutAfter'> = {}): Promise<Reply> {
    const { target, without } = this.#context
    const headers = ownHeaders(this.request, without)
    // Another host name is forwarded unchanged: the service has a rule for those.
    if (headers.host === new URL(this.#context.origin).host) headers.host = target.host
    const answer = await forwardRequest(this.request, { target, headers, ...how })
    this.#isLast = answer.headers.connection?.toLowerCase() === 'close'
    const status = answer.statusCode ?? 0
    const isFile = this.seen.operation === 'file'
    const whole = isFile ? null : await readWhole(answer)
    this.seen.status ??= status
    const { operation, jobId } = this.seen
    const key = without.includes('idempotency-key') ? null : this.seen.idempotencyKey
    if (whole !== null) this.#context.note({ operation, jobId, status, key, answer: parse(whole) })
    return this.#localised(answer, whole)
  }

  #localised(answer: IncomingMessage, whole: Buffer | null): Reply {
    const { target, origin } = this.#context
    const headers = ownHeaders(answer)
    delete headers['content-length']
    if (typeof headers.location === 'string') headers.location = headers.location.replace(target.origin, origin)
    const status = answer.statusCode ?? 0
    if (whole === null) {
      const announced = answer.headers['content-length']
      return { status, headers, body: answer, length: announced === undefined ? null : Number(announced) }
    }
    const body = Buffer.from(whole.toString('latin1').replaceAll(target.origin, origin), 'latin1')
    return { status, headers, body, length: body.length }
  }

  /** Answers, and resolves when the reply has left or the client is gone. */
  async answer({ status, headers, body, length }: Omit<Reply, 'length'> & { readonly length?: number | null }): Promise<void> {
    const { response } = this
    const bytes = Buffer.isBuffer(body) ? body.length : (length ?? null)
    this.#begin(status, bytes === null || status === 204 || status === 304 ? headers : { ...headers, 'content-length': bytes })
    if (Buffer.isBuffer(body)) response.end(body)
    else {
      // A service that breaks off in the middle of a file breaks this reply off as well.
      body.on('error', () => this.reset())
      response.once('close', () => body.destroy())
      body.pipe(response)
    }
    await this.gone
  }

  #begin(status: number, headers: OutgoingHttpHeaders): void {
    this.seen.given = status
    if (!this.response.headersSent) this.response.writeHead(status, { ...headers, ...this.connection })
  }

  async stream(reply: Pick<Reply, 'status' | 'headers'>, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    this.#begin(reply.status, reply.headers)
    for await (const chunk of chunks) {
      if (!this.isOpen) return
      if (!this.response.write(chunk)) await this.#drained()
    }
    this.response.end()
    await this.gone
  }

  #drained(): Promise<void> {
    const { response } = this
    if (!this.isOpen) return Promise.resolve()
    return new Promise(resolve => {
      const settle = (): void => {
        response.off('drain', settle).off('close', settle)
        resolve()
      }
      response.on('drain', settle).on('close', settle)
    })
  }

  /** Resets the connection. Node's `resetAndDestroy` ends it first, which many clients take for the end of the reply. */
  reset(): void {
    const { socket } = this.request
    // A socket that is shutting down cannot be reset any more: Node would keep it open forever.
    if (!socket.writableEnded) Object.assign(socket, { resetAndClosing: true })
    socket.destroy()
  }

  async drain(): Promise<void> {
    if (this.request.complete || this.request.destroyed) return
    this.request.resume()
    await new Promise<void>(resolve => this.request.once('close', resolve))
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
