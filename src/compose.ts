/** The wiring's face: what the command line and the library use of it. Re-exports only. */

export { type RunResult, type RunSettings, resumeRun, startRun } from './compose/lifecycle.ts'
export { lookAtRun, reportOfRun, runIsHeld } from './compose/look.ts'
export { credentialsFor, type Overrides, type Prepared, prepare } from './compose/prepare.ts'
export { listRunIds } from './compose/run-directory.ts'
export { ensureRegister, registerDirOf } from './compose/service.ts'
export { dataDirOf, type Env } from './compose/settings.ts'
export { proveWritable, writeAtomic } from './input/index.ts'
export type { RunFact, RunState } from './journal/index.ts'
export { explainPlan, nearest, parseDuration, pipelineJsonSchema } from './pipeline/index.ts'
export { inBatch, type Tick } from './run/index.ts'
