/**
 * One question to the service without a login, over the very connections a run would use: whether anybody answers there, how fast,
 * and what time it is for them. It asks once and repeats nothing.
 */
import type { ErrorCode } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'
import { LIMITS } from '../http/limits.ts'
import { parseBase } from '../http/links.ts'
import type { Proxies } from '../http/proxies.ts'
import { createTransport, isNetworkError } from '../http/transport.ts'
import { decide } from '../retry/policy.ts'

/** Who is asked, and how. */
export interface ProbeOptions {
  readonly url: string
  readonly insecure: boolean
  readonly proxies: Proxies
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** An answer, whatever its status; `skewMs` is how far ahead the service's clock is, null when it does not tell. */
export interface Answer {
  readonly status: number
  readonly tookMs: number
  readonly skewMs: number | null
}

/** Why there was none. */
export interface NoAnswer {
  readonly code: ErrorCode
  readonly why: string
}

/** Nobody waits longer than this to learn that nobody answers. */
const PATIENCE_MS = 10_000

/** Asks once. Throws FETTLE_PIPELINE_URL, and the signal's reason. */
export async function probe({ url, insecure, proxies, clock, signal }: ProbeOptions): Promise<Answer | NoAnswer> {
  const transport = createTransport({ ...LIMITS, connectMs: PATIENCE_MS }, { proxies })
  const begun = clock.monotonic()
  const sentAt = clock.now()
  try {
    const reply = await transport.send({
      method: 'GET',
      url: parseBase(url, insecure),
      headers: { accept: 'application/json', 'user-agent': 'fettle' },
      headersMs: PATIENCE_MS,
      idleMs: PATIENCE_MS,
      to: 'service',
      signal,
    })
    if (isNetworkError(reply)) {
      const { code } = decide({ method: 'GET', repeat: 'free', login: false, codes: {} }, { type: 'loss', loss: reply })
      return { code, why: reply.text }
    }
    reply.drop()
    const tookMs = clock.monotonic() - begun
    // The header is cut to the second: half of one is what it lacks on average.
    const told = Date.parse(reply.header('date') ?? '') + 500
    return { status: reply.status, tookMs, skewMs: Number.isNaN(told) ? null : told - (sentAt + tookMs / 2) }
  } finally {
    await transport.close()
  }
}
