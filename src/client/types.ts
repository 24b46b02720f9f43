/** What `connect` takes, and the types of requests and transfers. Types only. */
import type { OperationName } from '../contract/index.ts'
import type { ListFacts } from '../model/list.ts'
import type { Clock } from '../model/requests.ts'
import type { Shared } from './api/shared.ts'
import type { HttpDispatcher, Limits, Proxies } from './http/transport.ts'
import type { Recorder } from './record/recorder.ts'
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

/** The operation of a request; `request` is one that `client.request` sent. */
export type RequestName = OperationName | 'request'

/** What `connect` takes. */
export interface ConnectOptions {
  /** Base address, ending in `/v1`; https, or http on loopback. */
  readonly url: string
  readonly username: string
  readonly password: string | (() => string)
  /** Time and randomness; the machine's own when absent. */
  readonly clock?: Clock
  /** Attempts per request, 4. */
  readonly attempts?: number
  /**
   * Milliseconds for which a request is repeated, beyond its attempts, while the service is away: it cannot be reached, or a gateway
   * answers 502, 503 or 504 in its place. `atStart`: also before the service was reached once. Default: not at all.
   */
  readonly outage?: { readonly ms: number; readonly atStart: boolean }
  /** Limit of requests, retries included; null: none. Clients with the same `shared` all follow the strictest limit. */
  readonly rate?: Rate | null
  /** Hosts besides the service's own that a download link may name; `*.` at the start matches any subdomain. */
  readonly fileHosts?: readonly string[]
  /** Allow http off loopback. */
  readonly insecure?: boolean
  readonly userAgent?: string
  /** W3C trace context, sent to the service only. */
  readonly traceparent?: string
  /** Called with one line about every retry and pause. */
  readonly onRetry?: (text: string) => void
  /**
   * Called once for each field of an answer that could not be read and was left out of it, such as `listBusinessHits` and
   * `items[].hitScore`.
   */
  readonly onDropped?: (field: { readonly operation: RequestName; readonly path: string }) => void
  /** Monotonic milliseconds left for the run; a longer pause fails at once. */
  readonly deadline?: () => number
  /**
   * What is known of the list of all jobs, for fettle's own service: how much of it is in the register, whether its company numbers are
   * relied on, and the share of its matches that should be right. The service estimates what is absent: from a sample of `rows`, with cells by mapping, so that all jobs of the list get the
   * same; without them for each job by itself.
   */
  readonly list?: {
    readonly facts?: Partial<ListFacts>
    readonly rows?: () => AsyncIterable<Readonly<Record<string, string>>>
    readonly precision?: number | undefined
  }
  /** Awaited before every attempt of an operation that is not a plain read; its error ends the request. */
  readonly beforeEffect?: (operation: RequestName) => void | Promise<void>
  /** Aborted: the client stops waiting for pauses and retries; a request in flight continues until its own signal. */
  readonly stop?: AbortSignal
  /** Token, pauses and retry budget, shared by all clients of one user at one address. The client's own when absent. */
  readonly shared?: Shared
  /** Proxies for the service and for files; none when absent. */
  readonly proxies?: Proxies
  /** Time and size limits of a single exchange. */
  readonly limits?: Partial<Limits>
  /** Records every exchange, redacted. */
  readonly recorder?: Recorder
  /** Replaces the client's connections and proxies, and its checks of addresses. */
  readonly dispatcher?: HttpDispatcher
}
