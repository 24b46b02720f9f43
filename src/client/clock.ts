/** The clock of the machine, for clients that are given none. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../model/requests.ts'

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}
