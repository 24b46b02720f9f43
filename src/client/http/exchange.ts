/**
 * One attempt at a JSON operation: headers, redirects followed by hand, the body read and judged. It repeats nothing. Its limits
 * bound the attempt as a whole, so that an answer that drips for ever ends too.
 */
import { firstOf } from '../../abort.ts'
import type { Clock } from '../../model/requests.ts'
import { type Redactor, showUrl } from '../redact.ts'
import type { NetworkError } from '../retry/network-error.ts'
import type { Outcome } from '../retry/policy.ts'
import type { Limits } from './limits.ts'
import { HOPS, isRedirect } from './links.ts'
import { type Reading, readBody, readOutcome } from './reply.ts'
import { type Exchange, isNetworkError, type Reply, type Transport } from './transport.ts'

/** What an attempt is made with. */
export interface Wire {
  readonly transport: Transport
  readonly limits: Limits
  readonly clock: Clock
  readonly redactor: Redactor
  /** Sent to the service with every request, to nobody else. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether a link leads to the service itself or to a foreign host that is allowed; throws FETTLE_FILE_LINK otherwise. */
  readonly judge: (url: URL) => Exchange['to']
  /** Counts every request that goes out. */
  readonly onRequest: () => void
}

/** What is to be asked. */
export interface HttpRequest<T> extends Reading<T> {
  readonly method: Exchange['method']
  readonly url: URL
  readonly token: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Exchange['body']
  readonly signal?: AbortSignal | undefined
  /** An upload has no limit as a whole, and may be checked before it is answered; aborted when it comes to a standstill. */
  readonly stall?: AbortSignal
  /** Sees the reply before it is judged. */
  readonly onReply?: (reply: Reply) => void
}

/** The outcome that a loss is. */
export const lost = (loss: NetworkError): Outcome<never> => ({ type: 'loss', loss })

/** The outcome of a redirect that is not followed. */
export const notFollowed = (status: number, redirect: string): Outcome<never> => ({
  type: 'status',
  status,
  retryAfterMs: null,
  fault: { text: null, correlationId: null },
  redirect,
})

/** Where a redirect points, null when it does not say. */
export function locationOf(reply: Reply, from: URL): URL | null {
  const location = reply.header('location')
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : null
}

/** Where a redirect of an operation leads; null where it may not be followed. */
function judged(url: URL, wire: Wire): Exchange['to'] | null {
  try {
    return wire.judge(url)
  } catch {
    return null
  }
}

/** Asks once. */
export async function sendOnce<T>(question: HttpRequest<T>, wire: Wire): Promise<Outcome<T>> {
  const { headersMs, bodyMs } = wire.limits
  const { signal, release } = firstOf(question.stall ?? AbortSignal.timeout(headersMs + bodyMs), question.signal)
  try {
    return await askWithin(signal, question, wire)
  } finally {
    release()
  }
}

async function askWithin<T>(signal: AbortSignal, question: HttpRequest<T>, wire: Wire): Promise<Outcome<T>> {
  const { limits } = wire
  const headersMs = question.stall === undefined ? limits.headersMs : limits.uploadHeadersMs
  const headers = {
    ...wire.headers,
    ...question.headers,
    ...(question.token === null ? {} : { authorization: `Bearer ${question.token}` }),
  }
  const { body } = question
  let url = question.url
  let to: Exchange['to'] = 'service'
  let trusted = true
  for (let hops = 0; ; hops += 1) {
    wire.onRequest()
    const own = trusted ? headers : {}
    const send = { method: question.method, url, headers: own, headersMs, idleMs: limits.bodyMs, to, signal } as const
    const reply = await wire.transport.send(body === undefined ? send : { ...send, body })
    question.signal?.throwIfAborted()
    if (isNetworkError(reply)) return lost(reply)
    if (isRedirect(reply.status)) {
      reply.drop()
      const target = locationOf(reply, url)
      const where = target === null ? 'nowhere' : showUrl(target)
      if (question.method !== 'GET') return notFollowed(reply.status, `to ${where}, and a write is never redirected`)
      const next = target === null ? null : judged(target, wire)
      if (target === null || next === null) return notFollowed(reply.status, `to ${where}, which may not be followed`)
      if (hops === HOPS) return notFollowed(reply.status, `to ${where}, after ${HOPS} redirects`)
      url = target
      to = next
      // Once away, the token is not sent again: what comes back has been in other hands.
      trusted = trusted && to === 'service'
      continue
    }
    question.onReply?.(reply)
    const bytes = await readBody(reply, hops === 0 ? limits.jsonBytes : limits.linkedBytes, limits.bodyMs)
    question.signal?.throwIfAborted()
    if (!(bytes instanceof Uint8Array)) return lost(bytes)
    return readOutcome(reply, bytes, question, wire.redactor, wire.clock.now())
  }
}
