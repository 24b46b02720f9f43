/** The service's only source of time, so that tests can hold it still. It knows nothing of what the time is for. */
import { setTimeout as timer } from 'node:timers/promises'

/** Wall clock, stopwatch and pause. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds of a stopwatch that never jumps. */
  elapsed(): number
  /** Resolves after `ms`, or as soon as the signal is aborted; it never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    timer(ms, undefined, { signal, ref: false }).catch(() => {
      // Woken early: that is what the signal is for.
    }),
}
