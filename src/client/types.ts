/** What `connect` and every request take, and what a transfer is. Types only. */
import type { OperationName } from '../contract/index.ts'
import type { Clock } from '../model/requests.ts'
import type { Shared } from './api/shared.ts'
import type { Limits } from './http/limits.ts'
import type { Proxies } from './http/proxies.ts'
import type { Dispatcher } from './http/transport.ts'
import type { Rate } from './retry/rate-limiter.ts'

export type {
  CallOptions,
  Clock,
  Correlation,
  Download,
  Effect,
  EffectOptions,
  FormFile,
  HttpCounts,
  Meter,
  Upload,
} from '../model/requests.ts'

/** What `connect` takes. */
export interface ConnectOptions {
  /** Base address, ending in `/v1`; https, or http on loopback. */
  readonly url: string
  readonly username: string
  readonly password: string | (() => string)
  /** Time and chance; the machine's own when absent. */
  readonly clock?: Clock
  /** Attempts per request, 4. */
  readonly attempts?: number
  /** Limit of requests, retries included; null: none. Of clients that share, the strictest limit holds for all together. */
  readonly rate?: Rate | null
  /** Hosts besides the service's own that a download link may name; `*.` at the start stands for any subdomain. */
  readonly fileHosts?: readonly string[]
  /** Allow http off loopback. */
  readonly insecure?: boolean
  readonly userAgent?: string
  /** W3C trace context, sent to the service only. */
  readonly traceparent?: string
  /** Told one line about every repeat and pause. */
  readonly onRetry?: (text: string) => void
  /** Monotonic milliseconds left for the run; no pause longer than that is begun. */
  readonly deadline?: () => number
  /** Awaited before every attempt at an operation that is no mere reading; what it throws, the request throws. */
  readonly beforeEffect?: (operation: OperationName) => void | Promise<void>
  /** Aborted: no pause and no repeat is waited for any more; a request in flight is heard out until its own signal. */
  readonly stop?: AbortSignal
  /** Token, pauses and purse of repeats, to be given to all clients of one user at one address. Its own when absent. */
  readonly shared?: Shared
  /** Through which proxies the service and files are reached; none when absent. */
  readonly proxies?: Proxies
  /** Time and size limits of a single exchange. */
  readonly limits?: Partial<Limits>
  /** Takes the place of the client's own connections and proxies, and with them of its judgement of addresses. */
  readonly dispatcher?: Dispatcher
}
