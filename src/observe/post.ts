/** Posts messages and lineage to addresses that are not the service. The client is loaded with the first one. */
import { type Env, findProxies } from '../env/environment.ts'

/** Why a receiver did not accept a body. */
export interface Refusal {
  readonly why: string
  /** Null without a reply. */
  readonly status: number | null
  /** Asked for by the receiver. */
  readonly pauseMs: number | null
}

/** Connections with one time limit for each step, and for each post as a whole. `post` returns null when the body was accepted. */
export async function openPoster(env: Env, timeoutMs: number) {
  const { createTransport, isNetworkError, LIMITS } = await import('../client/http/transport.ts')
  const { parseRetryAfter } = await import('../client/retry/retry-after.ts')
  const transport = createTransport({ ...LIMITS, connectMs: timeoutMs }, { proxies: findProxies(env) })
  const post = async (url: URL, headers: Record<string, string>, body: string, stop: AbortSignal): Promise<Refusal | null> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
    const limits = { headersMs: timeoutMs, idleMs: timeoutMs, to: 'service', signal } as const
    const reply = await transport.send({ method: 'POST', url, headers, body, ...limits })
    if (isNetworkError(reply)) return { why: reply.text, status: null, pauseMs: null }
    reply.drop()
    const { status } = reply
    if (status >= 200 && status < 300) return null
    return { why: `status ${status}`, status, pauseMs: parseRetryAfter(reply.header('retry-after'), reply.header('date'), 0) }
  }
  return { post, close: () => transport.close() }
}
