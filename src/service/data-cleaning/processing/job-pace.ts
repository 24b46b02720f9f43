/** Lets requests run between slices of long loops. */
import { setImmediate } from 'node:timers/promises'
import { inOwnTurn } from '../../../loop-turns.ts'
import type { Clock } from '../../clock.ts'

/** The service was closed: the job resumes at the next start. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * Turns of the event loop after a slice: Node accepts one new connection per turn, and a request needs several turns. After SHARE
 * slices of time the loop continues anyway, so that jobs progress under any load.
 */
const TURNS = 16
const SHARE = 2

/** Called once per row. */
export type Pace = () => Promise<void>

interface PaceOptions {
  readonly clock: Clock
  /** Work between two turns of the event loop, in milliseconds. */
  readonly sliceMs: number
  /** A pause per row, in milliseconds; 0 for none. */
  readonly pauseMs: number
  /** Once aborted, every pace throws Stopped. */
  readonly signal: AbortSignal
}

/**
 * Creates the paces of parallel loops. They queue for the event loop, also with the paces of other services of this process: if all
 * continued in the same turn, a request would wait for the slices of all of them.
 */
export function makePaces({ clock, sliceMs, pauseMs, signal }: PaceOptions): () => Pace {
  const nextTurn = (): Promise<unknown> =>
    inOwnTurn(async () => {
      const startedAt = clock.elapsed()
      for (let turn = 0; turn < TURNS; turn++) {
        await setImmediate()
        if (clock.elapsed() - startedAt >= SHARE * sliceMs && sliceMs > 0) return
      }
    })
  return () => {
    let startedAt = clock.elapsed()
    return async () => {
      if (pauseMs > 0) await clock.sleep(pauseMs, signal)
      if (clock.elapsed() - startedAt >= sliceMs) {
        await nextTurn()
        startedAt = clock.elapsed()
      }
      if (signal.aborted) throw new Stopped()
    }
  }
}
