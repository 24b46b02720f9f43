/**
 * Records the exchanges of a client: wraps its transport, so that every request of every operation, download and login passes here. What
 * is recorded is redacted first; a recording that fails does not stop the run.
 */
import { createHmac } from 'node:crypto'
import {
  BASE_PLACEHOLDER,
  type CassetteExchange,
  type FoundOperation,
  findOperation,
  LIST_CHANGES,
  LIST_CHANGES_HEADER,
  LIST_FACTS,
  LIST_FACTS_HEADER,
  type RecordedBody,
} from '../../contract/index.ts'
import type { Clock } from '../../model/requests.ts'
import { resolveLink } from '../http/links.ts'
import { decodedReply } from '../http/reply.ts'
import { type Exchange, isNetworkError, type Reply, type Transport } from '../http/transport.ts'
import type { Redactor } from '../redact.ts'
import type { NetworkError } from '../retry/network-error.ts'
import { createPlaceholders } from './placeholders.ts'
import { createRedact, type Redact, redactTable } from './redact.ts'

/** The largest body that is recorded; it is kept in memory. */
const MAX_BODY = 64 * 1024 * 1024
/** Bytes kept of a body that is not text: they show its format. */
const START = 4

export interface RecorderOptions {
  /** The key of the placeholders: a recording that is continued needs the same. */
  readonly key: Uint8Array
  readonly runId: string
  readonly clock: Clock
  /** When the recording started, in milliseconds since 1970. */
  readonly startedAt: number
  /** Writes one exchange. */
  readonly append: (exchange: CassetteExchange) => void
}

/** Records what a client sends and receives. */
export interface Recorder {
  wrap(transport: Transport, base: URL, redactor: Redactor): Transport
}

/** Headers that a client reads, each with the values that are kept; a link and an id are replaced. */
const HEADERS: Readonly<Record<string, RegExp>> = {
  'content-type': /^[\w.+-]{1,40}\/[\w.+-]{1,60}(?:; ?charset=[\w-]{1,20})?$/i,
  'content-length': /^\d{1,15}$/,
  'content-encoding': /^[a-z]{1,10}$/,
  [LIST_FACTS_HEADER]: /^[12]$/,
  [LIST_CHANGES_HEADER]: /^1$/,
  'retry-after': /^(?:\d{1,9}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/,
  date: /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
}

type RecordedRequest = Pick<CassetteExchange, 'operation' | 'method' | 'path' | 'params' | 'query' | 'body'>

/** What arrived of a body, and how it ended. */
interface Received {
  readonly chunks: Uint8Array[]
  bytes: number
}

/** The redaction of one recording, also for its list and pipeline. */
export const redactFor = (
  { key, runId }: Pick<RecorderOptions, 'key' | 'runId'>,
  { link, leaks }: { readonly link: (text: string) => string; readonly leaks: (text: string) => boolean } = {
    link: text => text,
    leaks: () => false,
  },
): Redact => createRedact({ placeholder: createPlaceholders(key), runId, link, leaks })

export const createRecorder = (options: RecorderOptions): Recorder => ({
  wrap: (transport, base, redactor) => new RecordingTransport(options, transport, { base, leaks: redactor.leaks }),
})

/** Sends what the transport below it sends, and appends each exchange to the recording. */
class RecordingTransport implements Transport {
  readonly #options: RecorderOptions
  readonly #transport: Transport
  readonly #base: URL
  readonly #root: string
  readonly #redact: Redact

  constructor(options: RecorderOptions, transport: Transport, { base, leaks }: { readonly base: URL } & Pick<Redactor, 'leaks'>) {
    this.#options = options
    this.#transport = transport
    this.#base = base
    this.#root = base.pathname.replace(/\/$/, '')
    this.#redact = redactFor(options, { link: text => this.#replaceLink(text), leaks })
  }

  async send(exchange: Exchange): Promise<Reply | NetworkError> {
    const reply = await this.#transport.send(exchange)
    const request = this.#describeRequest(exchange)
    if (!isNetworkError(reply)) return this.#observe(decodedReply(reply), request, exchange.url)
    this.#append(request, { lost: { kind: reply.kind, sent: reply.sent } })
    return reply
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  #nameFile(url: URL): string {
    return createHmac('sha256', this.#options.key).update(url.href).digest('hex').slice(0, 16)
  }

  #find(method: string, url: URL): FoundOperation | null {
    const isBelow = url.origin === this.#base.origin && url.pathname.startsWith(`${this.#root}/`)
    return isBelow ? findOperation(method, url.pathname.slice(this.#root.length)) : null
  }

  /** A link to an operation stays a link to it; any other names a file of the cassette. */
  #replaceLink(text: string): string {
    const url = URL.canParse(text, `${this.#base.href.replace(/\/$/, '')}/`) ? resolveLink(text, this.#base) : null
    if (url === null) return this.#redact.text(text)
    const found = this.#find('GET', url)
    if (found === null) return `${BASE_PLACEHOLDER}/files/${this.#nameFile(url)}`
    const params = this.#redact.params(Object.entries(found.params))
    const query = new URLSearchParams(this.#redact.params(url.searchParams)).toString()
    const path = found.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    return `${BASE_PLACEHOLDER}${path}${query === '' ? '' : `?${query}`}`
  }

  #describeRequest({ method, url, body }: Exchange): RecordedRequest {
    const found = this.#find(method, url)
    if (found === null && method === 'GET')
      return { operation: 'file', method, path: '/files/{name}', params: { name: this.#nameFile(url) } }
    const own = url.pathname.slice(this.#root.length)
    const isOwn = found === null && [LIST_FACTS.path, LIST_CHANGES.path].some(path => path === own)
    const isLogin = found?.name === 'authenticate'
    const isNamed = found !== null && Object.keys(found.params).length > 0
    return {
      operation: found?.name ?? null,
      method,
      path: found?.path ?? (isOwn ? own : this.#redact.text(own)),
      params: isNamed ? this.#redact.params(Object.entries(found.params)) : undefined,
      query: url.search === '' ? undefined : this.#redact.params(url.searchParams),
      // Names of companies: a replay answers to any others.
      body: typeof body !== 'string' || isLogin || isOwn ? undefined : this.#redact.json(JSON.parse(body)),
    }
  }

  #recordHeaders(reply: Reply, url: URL): Record<string, string> {
    const kept = Object.entries(HEADERS).flatMap(([name, form]) => {
      const value = reply.header(name)
      return value !== null && form.test(value) ? [[name, value]] : []
    })
    const headers = Object.fromEntries(kept) as Record<string, string>
    // The date is needed only to read a date in Retry-After.
    if (headers['retry-after'] === undefined) delete headers.date
    const location = reply.header('location')
    if (location !== null)
      headers.location = this.#replaceLink(URL.canParse(location, url.href) ? new URL(location, url).href : location)
    const id = reply.header('x-correlation-id')
    if (id !== null) headers['x-correlation-id'] = this.#redact.text(id)
    return headers
  }

  #append(request: RecordedRequest, rest: Partial<CassetteExchange>): void {
    const { append, clock, startedAt } = this.#options
    append({ at: Math.max(0, Math.round(clock.now() - startedAt)), ...request, ...rest })
  }

  /** The reply, which is recorded when its body has ended. */
  #observe(reply: Reply, request: RecordedRequest, url: URL): Reply {
    const received: Received = { chunks: [], bytes: 0 }
    let isRecorded = false
    const finish = (isCut: boolean): void => {
      if (isRecorded) return
      isRecorded = true
      const answer = recordBody(received, request.operation, this.#redact, reply.header('content-type') ?? '')
      const headers = this.#recordHeaders(reply, url)
      this.#append(request, { status: reply.status, headers, answer, cut: isCut ? true : undefined })
    }
    async function* body(): AsyncGenerator<Uint8Array> {
      let isWhole = false
      try {
        for await (const chunk of reply.body) {
          received.bytes += chunk.length
          if (received.bytes <= MAX_BODY) received.chunks.push(chunk)
          else received.chunks.length = 0
          yield chunk
        }
        isWhole = true
      } finally {
        finish(!isWhole)
      }
    }
    const { status, headers } = reply
    return {
      status,
      headers,
      header: name => reply.header(name),
      body: body(),
      drop() {
        // An unread body: the client judged the reply by status and headers.
        finish(received.bytes > 0)
        reply.drop()
      },
    }
  }
}

function decode(bytes: Buffer): { readonly text: string; readonly encoding?: 'latin1' | 'utf16le' } | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.toString('utf16le'), encoding: 'utf16le' }
  // Bytes of an archive or an image.
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(bytes.toString('latin1'))) return null
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1' }
  }
}

function recordBody({ chunks, bytes }: Received, operation: string | null, redact: Redact, type: string): RecordedBody {
  if (bytes > MAX_BODY) return { omitted: bytes }
  const whole = Buffer.concat(chunks)
  const decoded = decode(whole)
  if (decoded === null) return { bytes, start: whole.subarray(0, START).toString('hex') }
  if (operation === 'file' && !/html|json/i.test(type)) return { ...decoded, text: redactTable(decoded.text, redact) }
  try {
    const json = JSON.parse(decoded.text) as unknown
    return { json: operation === 'authenticate' ? withoutToken(json, redact) : redact.json(json) }
  } catch {
    return { ...decoded, text: redact.message(decoded.text) }
  }
}

/** The token is a secret, and of no use for a replay. */
function withoutToken(json: unknown, redact: Redact): unknown {
  if (typeof json !== 'object' || json === null || !('token' in json) || typeof json.token !== 'string') return redact.json(json)
  return { ...(redact.json({ ...json, token: '' }) as object), token: 'replayed' }
}
