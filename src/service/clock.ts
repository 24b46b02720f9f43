/** The service's only source of time; tests replace it. */
import { setTimeout as timer } from 'node:timers/promises'

/** Time of day, stopwatch and pause, for a service whose time a test controls. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds of a monotonic stopwatch. */
  elapsed(): number
  /** Resolves after `ms`, or as soon as the signal is aborted; it never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    timer(ms, undefined, { signal, ref: false }).catch(() => {
      // The signal ends the pause early.
    }),
}
