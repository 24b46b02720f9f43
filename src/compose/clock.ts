/** The real clock and the real chance: the one place outside the service that touches either. */
import { setTimeout as wait } from 'node:timers/promises'

/** Wall and monotonic time, an abortable sleep, and randomness for jitter; fits the clocks of run/ and client/. */
export const realClock = {
  now: (): number => Date.now(),
  monotonic: (): number => performance.now(),
  random: (): number => Math.random(),
  /** Resolves after `ms`; rejects with the reason of the signal, and leaves no listener behind. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}
