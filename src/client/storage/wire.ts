/**
 * Sends requests to object stores with the transport, limits and retries of requests to the service. Returns a reply, or throws an
 * error that names the object.
 */

import { abortWithFirst } from '../../abort.ts'
import { type ErrorCode, FettleError } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'
import { sendWithRetries, type Tools } from '../api/send-with-retries.ts'
import { createShared } from '../api/shared.ts'
import { judgeTarget, lost, notFollowed, readLocation } from '../http/exchange.ts'
import { HOPS, isRedirect, judgeLink } from '../http/links.ts'
import { readBody } from '../http/reply.ts'
import { watchSending } from '../http/stall-detector.ts'
import { createTransport, type Exchange, isNetworkError, LIMITS, type Reply } from '../http/transport.ts'
import { createRedactor, showUrl } from '../redact.ts'
import type { Outcome } from '../retry/policy.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import type { ConnectOptions } from '../types.ts'

export interface WireOptions extends Pick<ConnectOptions, 'limits' | 'dispatcher' | 'proxies' | 'stop' | 'onRetry' | 'deadline'> {
  readonly clock: Clock
  readonly attempts: number
}

export type Access = 'read' | 'write'

export interface ObjectRequest {
  readonly access: Access
  readonly label: string
  readonly method: Exchange['method']
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: () => AsyncIterable<Uint8Array>
  readonly followsRedirects?: boolean
  /** A clean-up: sent once, also after a stop. */
  readonly isCleaning?: boolean
  readonly hints: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

// Final refusals; 408, 429 and 5xx are retried, and end with the codes of the service.
const REFUSALS = [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417]
const REFUSED: Readonly<Record<Access, ErrorCode>> = { read: 'FETTLE_INPUT_READ', write: 'FETTLE_OUTPUT_WRITE' }
const listCodes = (access: Access): Record<number, ErrorCode> =>
  Object.fromEntries(
    [...REFUSALS, 422, 428, 451, 501, 505, 507].map(status => [
      status,
      access === 'read' && status === 412 ? 'FETTLE_INPUT_CHANGED' : REFUSED[access],
    ]),
  )

const RETRY_HINT = 'Check the address and the network, then run the same command again: it resumes.'
const RETRIED = ['noName', 'unreachable', 'noProxy', 'connectTimeout', 'reset', 'timeout', 408, 429, 500, 502, 503, 504]
const HINTS = Object.fromEntries(RETRIED.map(reason => [reason, RETRY_HINT]))

const noToken = (): never => {
  throw new FettleError('FETTLE_BUG', 'an object store must not receive a token')
}

const MAX_ERROR_BYTES = 64 * 1024

export function createObjectWire(options: WireOptions) {
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
    session: { token: noToken, renew: noToken },
    deadline: options.deadline ?? (() => Number.POSITIVE_INFINITY),
    stop: options.stop,
    onRetry: options.onRetry ?? (() => {}),
    onRepeat: () => {},
    onPaused: () => {},
  }

  async function sendOnce(request: ObjectRequest): Promise<Outcome<Reply>> {
    const watch = request.body === undefined ? null : watchSending(limits)
    const { signal, release } = abortWithFirst(watch?.signal, request.signal)
    try {
      let url = request.url
      let to: Exchange['to'] = 'service'
      for (let hops = 0; ; hops += 1) {
        const body = request.body && counted(request.body(), bytes => watch?.moved(bytes))
        const headersMs = request.body === undefined ? limits.headersMs : limits.uploadHeadersMs
        const { method, headers = {} } = request
        const reply = await transport.send({ method, url, headers, body, headersMs, idleMs: limits.idleMs, to, signal })
        request.signal?.throwIfAborted()
        if (isNetworkError(reply)) return lost(reply)
        if (reply.status >= 200 && reply.status < 300) return { type: 'answer', value: reply }
        if (!isRedirect(reply.status) || request.followsRedirects !== true) return readRefusal(reply, request)
        reply.drop()
        const from = url
        const target = readLocation(reply, from)
        // Redirects are followed within the origin, or by https to a public host.
        const next = target === null ? null : judgeTarget(() => judgeLink(target, from, [target.host]))
        if (target === null || next === null || hops === HOPS)
          return notFollowed(reply.status, target === null ? 'to nowhere' : `to ${showUrl(target)}, which may not be followed`)
        url = target
        to = next
      }
    } finally {
      watch?.finished()
      // The body of a reply is read under the signal.
      if (request.body !== undefined) release()
    }
  }

  async function readRefusal(reply: Reply, request: ObjectRequest): Promise<Outcome<Reply>> {
    const bytes = request.method === 'HEAD' ? null : await readBody(reply, MAX_ERROR_BYTES, limits.bodyMs)
    // The message repeats the signed request, so only the code is shown.
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
    /** Returns a reply of 2xx. Throws FETTLE_INPUT_READ or FETTLE_OUTPUT_WRITE for a refusal, and the errors of sendWithRetries. */
    async send(request: ObjectRequest): Promise<Reply> {
      const { access, label, signal, isCleaning = false } = request
      const policy = { method: 'GET', repeat: 'free', login: false, codes: listCodes(access) } as const
      const hints = { ...HINTS, ...request.hints }
      const call = { policy, label, authorised: false, hints, who: 'the server', attempt: () => sendOnce(request) }
      if (!isCleaning) return (await sendWithRetries({ ...call, signal }, tools)).value
      const { stop, ...rest } = tools
      return (await sendWithRetries({ ...call, attempts: 1 }, rest)).value
    },
    close: () => transport.close(),
  }
}

export type ObjectWire = ReturnType<typeof createObjectWire>

async function* counted(body: AsyncIterable<Uint8Array>, moved: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    yield piece
    moved(piece.length)
  }
}
