/** The wiring's face for queues, loaded by whoever asks for one: it needs packages that are not always there. Re-exports only. */

export { clearMerged } from './queue/clear.ts'
export type { QueuedRun } from './queue/record.ts'
export { collectShards, sameAgain, standingInQueue, standingInWords, submitShards, withQueue } from './queue/submit.ts'
export { workForQueue } from './queue/work.ts'
