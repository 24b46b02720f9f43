/**
 * Sends one attempt of a JSON operation: sets headers, follows redirects, reads and checks the body. Its limits apply to the whole
 * attempt, so that an endless slow answer ends too.
 */
import { abortWithFirst } from '../../abort.ts'
import type { Clock } from '../../model/requests.ts'
import { type Redactor, showUrl } from '../redact.ts'
import type { NetworkError } from '../retry/network-error.ts'
import type { Outcome } from '../retry/policy.ts'
import { HOPS, isRedirect } from './links.ts'
import { decodedReply, type Reading, readBody, readOutcome } from './reply.ts'
import { type Exchange, isNetworkError, type Limits, type Reply, type Transport } from './transport.ts'

export interface Wire {
  readonly transport: Transport
  readonly limits: Limits
  readonly clock: Clock
  readonly redactor: Redactor
  /** Sent with every request to the service, and to no other host. */
  readonly headers: Exchange['headers']
  /** Whether a link points to the service or to an allowed foreign host; throws FETTLE_FILE_LINK for any other. */
  readonly judge: (url: URL) => Exchange['to']
  readonly onRequest: () => void
}

export interface HttpRequest<T> extends Reading<T> {
  readonly method: Exchange['method']
  /** A GET that asks for the status and the headers alone. */
  readonly isHead?: boolean
  readonly url: URL
  readonly token: string | null
  readonly headers?: Exchange['headers']
  readonly body?: Exchange['body']
  readonly signal?: AbortSignal
  /** For an upload, instead of a time limit: aborted when no bytes are sent for a while. */
  readonly stall?: AbortSignal
  /** Called with the reply before its status is checked. */
  readonly onReply?: (reply: Reply) => void
}

export const lost = (loss: NetworkError): Outcome<never> => ({ type: 'loss', loss })

export const notFollowed = (status: number, redirect: string): Outcome<never> => ({
  type: 'status',
  status,
  retryAfterMs: null,
  fault: { text: null, correlationId: null },
  redirect,
})

export function readLocation(reply: Reply, from: URL): URL | null {
  const location = reply.header('location')
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null
}

/** Null for a target that may not be followed, for which `judge` throws. */
export function judgeTarget(judge: () => Exchange['to']): Exchange['to'] | null {
  try {
    return judge()
  } catch {
    return null
  }
}

export async function sendOnce<T>(request: HttpRequest<T>, wire: Wire): Promise<Outcome<T>> {
  const { headersMs, bodyMs } = wire.limits
  const { signal, release } = abortWithFirst(request.stall ?? AbortSignal.timeout(headersMs + bodyMs), request.signal)
  try {
    return await sendWithin(signal, request, wire)
  } finally {
    release()
  }
}

async function sendWithin<T>(signal: AbortSignal, request: HttpRequest<T>, wire: Wire): Promise<Outcome<T>> {
  const { limits } = wire
  const headersMs = request.stall === undefined ? limits.headersMs : limits.uploadHeadersMs
  const headers = {
    ...wire.headers,
    ...request.headers,
    authorization: request.token === null ? undefined : `Bearer ${request.token}`,
  }
  let url = request.url
  let to: Exchange['to'] = 'service'
  let trusted = true
  for (let hops = 0; ; hops += 1) {
    wire.onRequest()
    const own = trusted ? headers : {}
    const { body } = request
    const method = request.isHead === true ? 'HEAD' : request.method
    const reply = await wire.transport.send({ method, url, headers: own, body, headersMs, idleMs: limits.bodyMs, to, signal })
    request.signal?.throwIfAborted()
    if (isNetworkError(reply)) return lost(reply)
    if (isRedirect(reply.status)) {
      reply.drop()
      const target = readLocation(reply, url)
      const where = target === null ? 'nowhere' : showUrl(target)
      if (request.method !== 'GET') return notFollowed(reply.status, `to ${where}, and a write is never redirected`)
      const next = target === null ? null : judgeTarget(() => wire.judge(target))
      if (target === null || next === null) return notFollowed(reply.status, `to ${where}, which may not be followed`)
      if (hops === HOPS) return notFollowed(reply.status, `to ${where}, after ${HOPS} redirects`)
      url = target
      to = next
      // After a redirect to another host the token is not sent again: that host chose the next target.
      trusted = trusted && to === 'service'
      continue
    }
    request.onReply?.(reply)
    const bytes = await readBody(decodedReply(reply), hops === 0 ? limits.jsonBytes : limits.linkedBytes, limits.bodyMs)
    request.signal?.throwIfAborted()
    if (!(bytes instanceof Uint8Array)) return lost(bytes)
    return readOutcome(reply, bytes, request, { redactor: wire.redactor, now: wire.clock.now() })
  }
}
