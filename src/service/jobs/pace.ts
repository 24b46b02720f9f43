/** Lets other requests through while a long loop runs. It knows nothing of the loop. */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

/** The loop's service was closed: the work is left as it is and taken up again at the next start. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** Called once per row. */
export type Pace = () => Promise<void>

/** A pace that gives way after `sliceMs` of work, waits `pauseMs` per row when asked to, and throws Stopped once aborted. */
export function makePace(clock: Clock, sliceMs: number, pauseMs: number, signal: AbortSignal): Pace {
  let began = clock.elapsed()
  return async () => {
    if (pauseMs > 0) await clock.sleep(pauseMs, signal)
    if (clock.elapsed() - began >= sliceMs) {
      await setImmediate()
      began = clock.elapsed()
    }
    if (signal.aborted) throw new Stopped()
  }
}
