/** Sends one request without a login over the connections of a run: does the service answer, how fast, and what is its clock? */
import type { ErrorCode } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'
import { parseBase } from '../http/links.ts'
import { createTransport, isNetworkError, LIMITS, type Proxies } from '../http/transport.ts'
import { decide } from '../retry/policy.ts'

interface ProbeOptions {
  readonly url: string
  readonly insecure: boolean
  readonly proxies: Proxies
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** `skewMs` is how far the service's clock is ahead, null when it sends no date. */
interface Answer {
  readonly status: number
  readonly tookMs: number
  readonly skewMs: number | null
}

type NoAnswer = { readonly code: ErrorCode; readonly why: string }

const TIMEOUT_MS = 10_000

/** Throws FETTLE_PIPELINE_URL, and the signal's reason. */
export async function probe({ url, insecure, proxies, clock, signal }: ProbeOptions): Promise<Answer | NoAnswer> {
  const transport = createTransport({ ...LIMITS, connectMs: TIMEOUT_MS }, { proxies })
  const startedAt = clock.monotonic()
  const sentAt = clock.now()
  try {
    const reply = await transport.send({
      method: 'GET',
      url: parseBase(url, insecure),
      headers: { accept: 'application/json', 'user-agent': 'fettle' },
      headersMs: TIMEOUT_MS,
      idleMs: TIMEOUT_MS,
      to: 'service',
      signal,
    })
    if (isNetworkError(reply)) {
      const { code } = decide({ method: 'GET', repeat: 'free', login: false, codes: {} }, { type: 'loss', loss: reply })
      return { code, why: reply.text }
    }
    reply.drop()
    const tookMs = clock.monotonic() - startedAt
    // The header is cut to whole seconds, which is half a second on average.
    const serviceTime = Date.parse(reply.header('date') ?? '') + 500
    return { status: reply.status, tookMs, skewMs: Number.isNaN(serviceTime) ? null : serviceTime - (sentAt + tookMs / 2) }
  } finally {
    await transport.close()
  }
}
