/** What `connect` and every request take, and what a transfer is. Types only. */
import type { OperationName } from '../contract/index.ts'
import type { Shared } from './api/shared.ts'
import type { Clock } from './clock.ts'
import type { Limits } from './http/limits.ts'
import type { Proxies } from './http/proxies.ts'
import type { Dispatcher } from './http/transport.ts'
import type { Rate } from './retry/rate-limiter.ts'

export type { Clock }

/** What every request takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Attempts for this request instead of the client's; 1 for whoever asks again by itself, as a poll does. */
  readonly attempts?: number
  /** Most milliseconds to wait first because the last answer asked for it. */
  readonly withinMs?: number
  /** Called when the service answers this request by asking for a pause. */
  readonly onThrottled?: () => void
  /** Called with the service's id of this request, when it changed something and the service gives one. */
  readonly onCorrelation?: (correlation: Correlation) => void
  /** Counts what goes out for this request, besides the client's own counts. */
  readonly meter?: Meter
  /** Sent as Idempotency-Key: a service that honours it answers a repeated request with what it answered first. */
  readonly idempotencyKey?: string
}

/** What a request takes that must not take effect twice; `look` reads the state after an answer was lost or refused. */
export interface EffectOptions<T> extends Omit<CallOptions, 'idempotencyKey'> {
  /** A value: it has taken effect, and the value stands for the answer. undefined: it has not, and may be sent again. */
  readonly look: () => Promise<T | undefined>
  /** Sent as Idempotency-Key: the same over attempts and resumes. */
  readonly key: string
}

/** Says whether the effect was found rather than caused. */
export interface Effect<T> {
  readonly value: T
  readonly adopted: boolean
}

/** A file to send: opened anew for every attempt. */
export interface FormFile {
  readonly filename: string
  readonly bytes: number
  open(): AsyncIterable<Uint8Array>
  /** Called as bytes leave. */
  readonly onProgress?: (sent: number) => void
}

/** The file of a job. */
export interface Upload extends FormFile {
  readonly hasHeader: boolean
}

/** A file on its way in; `bytes` is the announced length, null when none is announced. */
export interface Download {
  readonly bytes: number | null
  readonly body: AsyncIterable<Uint8Array>
}

/** Counts of requests since they were last taken. */
export interface HttpCounts {
  readonly requests: number
  readonly retries: number
  readonly throttledMs: number
}

/** Counts that are added to as requests go out. */
export type Meter = { -readonly [name in keyof HttpCounts]: HttpCounts[name] }

/** The service's id of a request that changed something. */
export interface Correlation {
  readonly operation: string
  readonly correlationId: string
}

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
