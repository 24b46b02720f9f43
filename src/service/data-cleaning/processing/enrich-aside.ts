/** Enriches the file of a long job in a separate thread: requests and other jobs go on beside it. */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { makeGate } from '../../auth/gate.ts'
import type { Engine } from '../../registers/engine.ts'
import type { EnrichWork, ThreadData } from './enrich-thread.ts'
import { Stopped } from './job-pace.ts'
import { threadStart } from './threads.ts'

/** Below this many rows, starting a thread costs more than it saves. */
const MANY_ROWS = 2_000

export type EnrichAside = (work: EnrichWork, signal: AbortSignal) => Promise<string[]>

/** A thread for each core; the other jobs wait. */
const onFreeCore = makeGate({
  atOnce: availableParallelism(),
  waiting: Number.POSITIVE_INFINITY,
  laneWaiting: Number.POSITIVE_INFINITY,
  refusal: () => new TypeError('every job may wait'),
})

/** Returns null where `rows` rows are enriched as well on this thread. */
export function enrichAside({ image, registers }: Engine, rows: number): EnrichAside | null {
  const start = threadStart('enrich-thread')
  if (image === undefined || start === null || rows < MANY_ROWS) return null
  return (work, signal) =>
    onFreeCore('', async () => {
      const workerData: ThreadData = { ...work, image: await image(), registers }
      return answerOf(start(workerData), signal)
    })
}

/**
 * What the thread answers: the countries of the matched companies. Throws what the thread throws, and Stopped once the signal is
 * aborted; the thread has ended then.
 */
export function answerOf(thread: Worker, signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let end = (): void => reject(new Error('the thread that enriches a file ended'))
    const stop = (): void => {
      end = () => reject(new Stopped())
      void thread.terminate()
    }
    thread.on('message', (countries: string[]) => {
      end = () => resolve(countries)
    })
    thread.on('error', error => {
      end = () => reject(error)
    })
    // After the message or the error.
    thread.on('exit', () => {
      signal.removeEventListener('abort', stop)
      end()
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}
