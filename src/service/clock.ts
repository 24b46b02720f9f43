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

/** Keeps the process alive while `body` waits: the pauses of a clock do not, so it would end there, with 0. */
export async function keepingAlive<T>(body: () => Promise<T>): Promise<T> {
  const awake = setInterval(() => {}, 60_000)
  try {
    return await body()
  } finally {
    clearInterval(awake)
  }
}
