/**
 * One request on its way through a fault server: what a fault can do with it. Everything here is ordinary HTTP, but for the
 * reset; what breaks the rules of HTTP is in broken.ts.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Delivery, Seen } from './record.ts'
import { type Onward, ownHeaders, passOn, type Reply, readWhole } from './upstream.ts'

/** A record still being written. */
export type Writing = { -readonly [K in keyof Seen]: Seen[K] }

/** What an exchange knows of the server it passes through. */
export interface Around {
  /** Base address of the service. */
  readonly target: URL
  /** This server's own origin. */
  readonly origin: string
  /** Request headers that are not passed on, lower case. */
  readonly without: readonly string[]
  readonly keepAlive: boolean
  note(delivery: Delivery): void
}

/** One request and its reply. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly seen: Writing
  /** Resolves when the client has gone, or has its whole reply. */
  readonly gone: Promise<void>
  readonly #around: Around
  #isLast = false

  constructor(request: IncomingMessage, response: ServerResponse, seen: Writing, around: Around) {
    this.request = request
    this.response = response
    this.seen = seen
    this.#around = around
    this.gone = new Promise(resolve => response.once('close', resolve))
    // Both fail when the client leaves, and nobody is to be told.
    request.on('error', () => {})
    response.on('error', () => {})
  }

  /** Bytes of the request's body: null when they are not announced. */
  get bodyLength(): number | null {
    const { headers } = this.request
    if (headers['transfer-encoding'] !== undefined) return null
    return Number(headers['content-length'] ?? 0)
  }

  /** Headers that say what becomes of the connection: nothing, or that it ends, by our will or the service's. */
  get connection(): OutgoingHttpHeaders {
    return this.#around.keepAlive && !this.#isLast ? {} : { connection: 'close' }
  }

  /** Whether the client is still there. */
  get isOpen(): boolean {
    return !this.response.destroyed && !this.request.socket.destroyed
  }

  /** `{self}` and `{path}` in a text, filled in. */
  fill(text: string): string {
    return text.replaceAll('{self}', this.#around.origin).replaceAll('{path}', this.request.url ?? '/')
  }

  /** Has the service carry the request out; links that name it name this server then. Throws Down. */
  async carry(how: Pick<Onward, 'body' | 'cutAfter'> = {}): Promise<Reply> {
    const { target, without } = this.#around
    const headers = ownHeaders(this.request, without)
    // A foreign name is left as it is: the service has a rule for those.
    if (headers.host === new URL(this.#around.origin).host) headers.host = target.host
    const answer = await passOn(this.request, { target, headers, ...how })
    this.#isLast = answer.headers.connection?.toLowerCase() === 'close'
    const status = answer.statusCode ?? 0
    const isFile = this.seen.operation === 'file'
    const whole = isFile ? null : await readWhole(answer)
    this.seen.status ??= status
    const { operation, jobId } = this.seen
    const key = without.includes('idempotency-key') ? null : this.seen.idempotencyKey
    if (whole !== null) this.#around.note({ operation, jobId, status, key, answer: parse(whole) })
    return this.#localised(answer, whole)
  }

  #localised(answer: IncomingMessage, whole: Buffer | null): Reply {
    const { target, origin } = this.#around
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

  /** Answers with chunks as they come, for as long as the client listens. */
  async stream(reply: Pick<Reply, 'status' | 'headers'>, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    this.#begin(reply.status, reply.headers)
    for await (const chunk of chunks) {
      if (!this.isOpen) return
      if (!this.response.write(chunk)) await this.#drained()
    }
    this.response.end()
    await this.gone
  }

  /** Resolves when more may be written, or nobody is there to read it. */
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

  /** Resets the connection. Node's own `resetAndDestroy` ends it first, and many a client takes that for the end of the reply. */
  reset(): void {
    const { socket } = this.request
    // One that is being shut down, since the client has gone, can't be reset any more: Node would keep it, and never close it.
    if (!socket.writableEnded) Object.assign(socket, { resetAndClosing: true })
    socket.destroy()
  }

  /** Reads the request to its end without passing it on. */
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
