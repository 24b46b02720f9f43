/** The shape of time as a client takes it; type only. */

/** Time and chance, handed in. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds on a clock that never steps. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
}
