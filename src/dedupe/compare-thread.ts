/** A worker thread: compares its share of the companies of a list. */
import { parentPort, workerData } from 'node:worker_threads'
import { type IndexImage, PairFinder, viewIndex } from '../service/matching/index.ts'

export interface Share {
  readonly image: IndexImage
  readonly part: number
  readonly parts: number
}

/** Companies after which pairs are sent. */
const BATCH = 2_000

const { image, part, parts } = workerData as Share
const index = viewIndex(image)
const finder = new PairFinder(index)

/** Sends the pairs that were found since the last call. */
function send(): void {
  const pairs = finder.take()
  parentPort?.postMessage(pairs, [pairs.buffer as ArrayBuffer])
}

// Neighbours have similar names: each thread gets every n-th company, and all end at the same time.
for (let at = part, count = 1; at < index.companies.length; at += parts, count++) {
  finder.compare(at)
  if (count % BATCH === 0) send()
}
send()
parentPort?.postMessage(null)
