/** What every request of a run takes and gives, whatever it asks for. Types only. */

/** The service's id of a request that changed something. */
export interface Correlation {
  readonly operation: string
  readonly correlationId: string
}

/** What every request takes. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Attempts for this request; 1 for a poll, whose repeat is the next poll. */
  readonly attempts?: number
  /** Most milliseconds to wait first because the last answer asked for it. */
  readonly withinMs?: number
  /** Called when the service answers this request by asking for a pause. */
  readonly onThrottled?: () => void
  /** Called with the service's id of this request, when it changed something and the service gives one. */
  readonly onCorrelation?: (correlation: Correlation) => void
}

/**
 * What a request takes that must not take effect twice. After an answer was lost, `look` reads the state: a value means that
 * it has taken effect (the value stands for the answer), undefined that it has not and may be sent again.
 */
export interface EffectOptions<T> extends CallOptions {
  readonly look: () => Promise<T | undefined>
  /** Sent as Idempotency-Key: the same over attempts and resumes. */
  readonly key: string
}

/** Says whether the effect was found rather than caused. */
export interface Effect<T> {
  readonly value: T
  readonly adopted: boolean
}
