/** The wiring's face for queues, loaded by whoever asks for one: it needs packages that are not always there. Re-exports only. */

export { clearMerged } from './queue/clear.ts'
export { collectShards, sameAgain } from './queue/collect.ts'
export { withQueue } from './queue/place.ts'
export type { QueuedRun } from './queue/record.ts'
export { standingInQueue, standingInWords } from './queue/standing.ts'
export { submitShards } from './queue/submit.ts'
export { workForQueue } from './queue/work.ts'
