/** The wiring's face: what the command line and the library use of it. Re-exports only. */

export type { RunResult, RunSettings } from './execution/execute.ts'
export { examine } from './doctor/doctor.ts'
export type { Finding } from './doctor/check-result.ts'
export { resumeRun, startRun } from './execution/start.ts'
export { carrierOf, goesOn, lookAtRun, reportOfRun } from './runs/run-queries.ts'
export * from './light.ts'
export { mergeRuns } from './operations/merge.ts'
export { NO_OVERRIDES, prepareValue, resolveService } from './prepare/prepare.ts'
export { leftInQueue, queuedRun } from './distributed/queued-run.ts'
export { elsewhereOf } from './staging/receive.ts'
export { presentOf } from './prepare/resume-context.ts'
export { type Rehearsal, rehearse } from './prepare/estimate.ts'
export { MOST_ROWS } from './runs/report-files.ts'
export { applyDecisions, runForReview } from './operations/review.ts'
export { type ReviewRow, reviewRows } from './runs/review-rows.ts'
export { reviewTable } from './operations/review-table.ts'
export { findRunId, listRunIds } from './runs/run-directory.ts'
export type { RunReporter } from './observe/reporters.ts'
export { ensureRegister, registerDirOf, screeningDirOf, screeningIssues } from './execution/service-connection.ts'
export { ciOf, credentialsOf, dataDirOf, type Env, passwordOf } from './env/environment.ts'
export { findShards } from './runs/shard-runs.ts'
export { type RunStanding, standingOf, watchRun } from './operations/status.ts'
export {
  type Decision,
  mergeDecisions,
  needDecisions,
  proveWritable,
  sweepBeside,
  writeDecisions,
  writeTable,
} from '../input/index.ts'
export type { RunFact, RunState } from '../journal/index.ts'
export { courseOfTick, inBatch, type Tick } from '../run/index.ts'
