/**
 * The library: checks and runs pipelines from a program. Importing it has no side effects. The client is `fettle/client`, the
 * service `fettle/service`.
 */

export { connect } from './client/index.ts'
export type { Action, CodeOf, ErrorCode, ErrorKind, Issue, Place } from './errors.ts'
export { ERRORS, EXIT, FettleError } from './errors.ts'
export type { RunEvent, RunEventInput, RunState } from './journal/index.ts'
export type { InputCell, InputRow, InputRows, RowsPipeline } from './library/input-rows.ts'
export {
  check,
  collect,
  definePipeline,
  loadPipeline,
  match,
  merge,
  openMatcher,
  renderReport,
  resume,
  run,
  status,
  submit,
  worker,
} from './library/library.ts'
export type {
  Check,
  EnvironmentOptions,
  ExecutionOptions,
  LibraryOptions,
  MergeOptions,
  QueueOptions,
  RunRef,
  RunStatus,
  SubmitOptions,
  SubmittedRun,
  WorkerOptions,
} from './library/options.ts'
export type { ResultRow, RunReport } from './library/result-rows.ts'
export { type Checkpoint, type RunHandle, RunStopped } from './library/run-handle.ts'
export type { MatchableRow, MatchedCompany, MatcherOptions, RegisterMatcher, RowMatch } from './matcher/types.ts'
export type { Clock } from './model/requests.ts'
export type { RunReporter } from './observe/reporters.ts'
export type { PipelineInput, Plan } from './pipeline/index.ts'
export type { LoadOptions } from './prepare/read-pipeline.ts'
export type { LineageEvent, Report } from './report/index.ts'
export type { ProgressEvent } from './run/index.ts'
