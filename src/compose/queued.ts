/** The wiring's face for queues, loaded by whoever asks for one: it needs packages that are not always there. Re-exports only. */

export type { QueuedRun } from './queue/record.ts'
export { collectShards, standingInQueue, standingInWords, submitShards, withQueue } from './queue/submit.ts'
export { workForQueue } from './queue/work.ts'
