/** The wiring's face: what the command line and the library use of it. Re-exports only. */

export type { RunResult, RunSettings } from './compose/carry-out.ts'
export { resumeRun, startRun } from './compose/lifecycle.ts'
export { carrierOf, lookAtRun, reportOfRun } from './compose/look.ts'
export * from './compose/looking.ts'
export { presentOf } from './compose/recorded.ts'
export { listRunIds } from './compose/run-directory.ts'
export { ensureRegister, registerDirOf, screeningDirOf, screeningIssues } from './compose/service.ts'
export { ciOf, credentialsOf, dataDirOf, type Env } from './compose/settings.ts'
export { proveWritable, writeAtomic } from './input/index.ts'
export type { RunFact, RunState } from './journal/index.ts'
export { inBatch, type Tick } from './run/index.ts'
