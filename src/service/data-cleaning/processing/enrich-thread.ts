/** A worker thread: enriches the file of one job with an index shared between threads, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Limits } from '../../limits.ts'
import { companyWithId, type IndexImage, viewIndex } from '../../matching/index.ts'
import { type EnrichTask, enrichFile } from './enriched-file.ts'

export interface EnrichWork {
  readonly task: EnrichTask
  readonly limits: Limits
  /** Of the Safe Numbers. */
  readonly safeDigits: number
}

export interface ThreadData extends EnrichWork {
  readonly image: IndexImage
  /** Their number. */
  readonly registers: number
}

const { image, registers, task, limits, safeDigits } = workerData as ThreadData
const index = viewIndex(image)
const find = (connectId: string) => {
  const company = companyWithId(index, connectId)
  return company && { ...company, safeDigits }
}
parentPort?.postMessage(await enrichFile(task, { find, registers, directorsOf: () => [] }, async () => {}, limits))
