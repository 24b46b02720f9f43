/** The wiring's face: what the command line and the library use of it. Re-exports only. */

export type { RunResult, RunSettings } from './compose/carry-out.ts'
export { examine } from './compose/doctor/doctor.ts'
export type { Finding } from './compose/doctor/finding.ts'
export { resumeRun, startRun } from './compose/lifecycle.ts'
export { carrierOf, goesOn, lookAtRun, reportOfRun } from './compose/look.ts'
export * from './compose/looking.ts'
export { mergeRuns } from './compose/merge.ts'
export { NO_OVERRIDES, prepareValue, resolveService } from './compose/prepare.ts'
export { leftInQueue, queuedRun } from './compose/queue/record.ts'
export { elsewhereOf } from './compose/receive.ts'
export { presentOf } from './compose/recorded.ts'
export { type Rehearsal, rehearse } from './compose/rehearsal.ts'
export { MOST_ROWS } from './compose/report-files.ts'
export { applyDecisions, runForReview } from './compose/review.ts'
export { type ReviewRow, reviewRows } from './compose/review-rows.ts'
export { reviewTable } from './compose/review-table.ts'
export { findRunId, listRunIds } from './compose/run-directory.ts'
export type { RunReporter } from './compose/run-reporters.ts'
export { ensureRegister, registerDirOf, screeningDirOf, screeningIssues } from './compose/service.ts'
export { ciOf, credentialsOf, dataDirOf, type Env, passwordOf } from './compose/settings.ts'
export { findShards } from './compose/shards.ts'
export { type RunStanding, standingOf, watchRun } from './compose/standing.ts'
export {
  type Decision,
  mergeDecisions,
  needDecisions,
  proveWritable,
  sweepBeside,
  writeDecisions,
  writeTable,
} from './input/index.ts'
export type { RunFact, RunState } from './journal/index.ts'
export { courseOfTick, inBatch, type Tick } from './run/index.ts'
