/**
 * The library's face: check and carry out pipelines from a program. Re-exports only; nothing happens at import time. The client
 * alone is `fettle/client`, the service alone `fettle/service`.
 */
export { connect } from './client/index.ts'
export { type Check, check, type LibraryOptions, type Running, resume, run } from './compose/library.ts'
export type { ErrorCode, ErrorKind, Issue, Place } from './errors.ts'
export { ERRORS, EXIT, FettleError } from './errors.ts'
export type { RunEvent, RunFact, RunState } from './journal/index.ts'
export { definePipeline, type PipelineInput, type Plan } from './pipeline/index.ts'
export type { Report } from './report/index.ts'
