/** Compares the companies of a list on the cores of this machine: what is found depends neither on their number nor on the order. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { packageFile } from '../package-file.ts'
import { type MatchIndex, PairFinder } from '../service/matching/index.ts'
import type { Share } from './compare-thread.ts'

/** Below this, starting threads costs more than it saves. */
const FEW = 5_000
/** Companies that are compared before other work has its turn. */
const AT_ONCE = 200
/** What a company leaves behind is short-lived: with less room for it a thread takes less memory, in the same time. */
const YOUNG_MB = 8

/** Returns the pairs that were found, in parts. */
export async function compareCompanies(index: MatchIndex, signal: AbortSignal): Promise<readonly Float64Array[]> {
  const cores = availableParallelism()
  // Sources cannot be started as a thread.
  if (index.companies.length >= FEW && cores > 1 && import.meta.url.endsWith('.js'))
    return compareAside(index, cores, packageFile('dist/dedupe-thread.js'), signal)
  const finder = new PairFinder(index)
  for (let at = 0; at < index.companies.length; at++) {
    if (at % AT_ONCE === 0) {
      await new Promise(resolve => setImmediate(resolve))
      signal.throwIfAborted()
    }
    finder.compare(at)
  }
  return [finder.take()]
}

/** The same on a number of threads, each with the program `script`. */
export async function compareAside(
  { image }: MatchIndex,
  count: number,
  script: string,
  signal: AbortSignal,
): Promise<readonly Float64Array[]> {
  const options = { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB }, execArgv: [], env: {} }
  const threads = Array.from({ length: count }, (_, part) => {
    const workerData: Share = { image, part, parts: count }
    return new Worker(script, { ...options, workerData })
  })
  const found: Float64Array[] = []
  const end = () => void Promise.all(threads.map(thread => thread.terminate()))
  signal.addEventListener('abort', end)
  try {
    signal.throwIfAborted()
    const ends = threads.map(
      thread =>
        new Promise<void>((done, failed) => {
          thread.on('message', (pairs: Float64Array | null) => {
            if (pairs === null) done()
            else found.push(pairs)
          })
          thread.on('error', failed)
          // Nothing, where all of its share was compared.
          thread.on('exit', () => failed(signal.reason ?? new Error('a comparing thread ended')))
        }),
    )
    await Promise.all(ends)
    return found
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}
