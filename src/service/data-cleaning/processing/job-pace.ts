/** Lets requests through while long loops run. It knows nothing of the loops. */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'

/** The loop's service was closed: the work is left as it is and taken up again at the next start. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * Turns of the event loop after a slice: in one turn Node takes a single new connection, and a request needs several. Turns full
 * of requests end earlier, after so many times the slice, so that work goes on under any load.
 */
const TURNS = 16
const SHARE = 2

/** Called once per row. */
export type Pace = () => Promise<void>

/** How loops are slowed. */
export interface PaceOptions {
  readonly clock: Clock
  /** Work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number
  /** A pause per row, in milliseconds; 0 for none. */
  readonly pauseMs: number
  /** Once aborted, every pace throws Stopped. */
  readonly signal: AbortSignal
}

/**
 * Makes the paces of loops that run side by side. They queue for the event loop: if all came back in the same turn, a
 * request would wait for the slices of all of them.
 */
export function makePaces({ clock, sliceMs, pauseMs, signal }: PaceOptions): () => Pace {
  let lastTurn: Promise<unknown> = Promise.resolve()
  const nextTurn = (): Promise<unknown> => {
    lastTurn = lastTurn.then(async () => {
      const began = clock.elapsed()
      for (let turn = 0; turn < TURNS; turn++) {
        await setImmediate()
        if (clock.elapsed() - began >= SHARE * sliceMs && sliceMs > 0) return
      }
    })
    return lastTurn
  }
  return () => {
    let began = clock.elapsed()
    return async () => {
      if (pauseMs > 0) await clock.sleep(pauseMs, signal)
      if (clock.elapsed() - began >= sliceMs) {
        await nextTurn()
        began = clock.elapsed()
      }
      if (signal.aborted) throw new Stopped()
    }
  }
}
