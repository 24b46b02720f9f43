/**
 * Requests to a store of objects, by the same transport, limits and repeats as those to the service: one request, repeated while
 * that may cure it, then a reply or an error that names the object. It knows neither S3 nor what the bytes are.
 */

import { firstOf } from '../../abort.ts'
import { type ErrorCode, FettleError } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'
import { sendWithRetries, type Tools } from '../api/send-with-retries.ts'
import { createShared } from '../api/shared.ts'
import { locationOf, lost, notFollowed } from '../http/exchange.ts'
import { LIMITS, type Limits } from '../http/limits.ts'
import { HOPS, isRedirect, judgeLink } from '../http/links.ts'
import { readBody } from '../http/reply.ts'
import { watchSending } from '../http/stall-detector.ts'
import { createTransport, type Exchange, isNetworkError, type Reply } from '../http/transport.ts'
import { createRedactor, type Redactor, showUrl } from '../redact.ts'
import type { Outcome } from '../retry/policy.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import type { ConnectOptions } from '../types.ts'

/** How stores are reached. */
export interface WireOptions extends Pick<ConnectOptions, 'limits' | 'dispatcher' | 'proxies' | 'stop' | 'onRetry' | 'deadline'> {
  readonly clock: Clock
  readonly attempts: number
}

/** What is done with an object: it says which errors a refusal is. */
export type Doing = 'read' | 'write'

/** One request. */
export interface Ask {
  readonly doing: Doing
  /** What is attempted, on what. */
  readonly label: string
  readonly method: Exchange['method']
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  /** Opened anew for each attempt; its length stands in the headers. */
  readonly body?: () => AsyncIterable<Uint8Array>
  /** Redirects are followed: to the same origin, or by https to a public host. */
  readonly follows?: boolean
  /** Sent once, whatever has ended: it only cleans up. */
  readonly isCleaning?: boolean
  readonly hints: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** A way to stores. */
export interface ObjectWire {
  readonly clock: Clock
  readonly limits: Limits
  readonly redactor: Redactor
  readonly options: WireOptions
  /** A reply of 2xx. Throws FETTLE_INPUT_READ or FETTLE_OUTPUT_WRITE for a refusal, and what repeat throws for the rest. */
  ask(ask: Ask): Promise<Reply>
  close(): Promise<void>
}

// Neither is another try: what 408, 429 and 5xx come to is told by the table, as for the service.
const REFUSALS = [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417]
const REFUSED: Readonly<Record<Doing, ErrorCode>> = { read: 'FETTLE_INPUT_READ', write: 'FETTLE_OUTPUT_WRITE' }
const codesOf = (doing: Doing): Record<number, ErrorCode> => ({
  ...Object.fromEntries([...REFUSALS, 422, 428, 451, 501, 505, 507].map(status => [status, REFUSED[doing]])),
  ...(doing === 'read' ? { 412: 'FETTLE_INPUT_CHANGED' as const } : {}),
})

const ANOTHER_TRY = 'Check the address and the network, then run the same command again: what was begun goes on.'
const AGAIN = ['noName', 'unreachable', 'connectTimeout', 'reset', 'timeout', 408, 429, 500, 502, 503, 504]
const HINTS = Object.fromEntries(AGAIN.map(reason => [reason, ANOTHER_TRY]))

const nobody = (): never => {
  throw new FettleError('FETTLE_BUG', 'a store of objects was to be sent a token')
}

/** The error body of an object store is small. */
const MOST_ERROR_BYTES = 64 * 1024

/** A way to stores with connections of its own; nothing is sent before the first request. */
export function createObjectWire(options: WireOptions): ObjectWire {
  const { clock, attempts } = options
  const limits = { ...LIMITS, ...options.limits }
  const redactor = createRedactor()
  const { pace, quota } = createShared(clock)
  const transport = createTransport(limits, options)
  const tools: Tools = {
    clock,
    pace,
    quota,
    redactor,
    attempts,
    session: { token: nobody, renew: nobody },
    deadline: options.deadline ?? (() => Number.POSITIVE_INFINITY),
    stop: options.stop,
    onRetry: options.onRetry ?? (() => {}),
    onRepeat: () => {},
    onPaused: () => {},
  }

  async function once(ask: Ask): Promise<Outcome<Reply>> {
    const watch = ask.body === undefined ? null : watchSending(limits)
    const { signal, release } = firstOf(watch?.signal, ask.signal)
    try {
      let url = ask.url
      let to: Exchange['to'] = 'service'
      for (let hops = 0; ; hops += 1) {
        const body = ask.body && watched(ask.body(), bytes => watch?.moved(bytes))
        const headersMs = ask.body === undefined ? limits.headersMs : limits.uploadHeadersMs
        const { method, headers = {} } = ask
        const send = { method, url, headers, headersMs, idleMs: limits.idleMs, to, signal }
        const reply = await transport.send(body === undefined ? send : { ...send, body })
        ask.signal?.throwIfAborted()
        if (isNetworkError(reply)) return lost(reply)
        if (reply.status >= 200 && reply.status < 300) return { type: 'answer', value: reply }
        if (!isRedirect(reply.status) || ask.follows !== true) return refusedBy(reply, ask)
        reply.drop()
        const target = locationOf(reply, url)
        const next = target === null ? null : judgeHop(target, url)
        if (target === null || next === null || hops === HOPS)
          return notFollowed(reply.status, target === null ? 'to nowhere' : `to ${showUrl(target)}, which may not be followed`)
        url = target
        to = next
      }
    } finally {
      watch?.finished()
      // The body of a reply is read under the signal.
      if (ask.body !== undefined) release()
    }
  }

  async function refusedBy(reply: Reply, ask: Ask): Promise<Outcome<Reply>> {
    const bytes = ask.method === 'HEAD' ? null : await readBody(reply, MOST_ERROR_BYTES, limits.bodyMs)
    // Its message repeats what was signed; its code is a word.
    const text =
      bytes instanceof Uint8Array ? (/<Code>(\w{1,60})<\/Code>/.exec(Buffer.from(bytes).toString())?.[1] ?? null) : null
    const retryAfterMs = parseRetryAfter(reply.header('retry-after'), reply.header('date'), clock.now())
    return { type: 'status', status: reply.status, retryAfterMs, fault: { text, correlationId: null } }
  }

  return {
    clock,
    limits,
    redactor,
    options,
    async ask(ask) {
      const { doing, label, signal, isCleaning = false } = ask
      const policy = { method: 'GET', repeat: 'free', login: false, codes: codesOf(doing) } as const
      const hints = { ...HINTS, ...ask.hints }
      const call = { policy, label, authorised: false, hints, who: 'the server', attempt: () => once(ask) }
      if (!isCleaning) return (await sendWithRetries({ ...call, signal }, tools)).value
      const { stop, ...rest } = tools
      return (await sendWithRetries({ ...call, attempts: 1 }, rest)).value
    },
    close: () => transport.close(),
  }
}

async function* watched(body: AsyncIterable<Uint8Array>, moved: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    yield piece
    moved(piece.length)
  }
}

/** How a redirect is followed: within its origin, or by https to a public host; null where it is not. */
function judgeHop(target: URL, from: URL): Exchange['to'] | null {
  try {
    return judgeLink(target, from, [target.host])
  } catch {
    return null
  }
}
