/** Runs through a queue. Loaded on use, because its packages are optional. Re-exports only. */

export { clearMerged, collectShards, suggestRerun as rerunOf } from './collect.ts'
export { withQueue } from './connection.ts'
export type { QueuedRun } from './queued-run.ts'
export { formatQueuedStatus, queuedStatus } from './status.ts'
export { submitShards } from './submit.ts'
export { runQueueWorker } from './worker.ts'
