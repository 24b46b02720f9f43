/** The wiring's face: what the command line and the library use of it. Re-exports only. */

export type { RunResult, RunSettings } from './compose/carry-out.ts'
export { resumeRun, startRun } from './compose/lifecycle.ts'
export { carrierOf, lookAtRun, reportOfRun } from './compose/look.ts'
export { isInside, realPath } from './compose/output-places.ts'
export { type Overrides, type Prepared, prepare } from './compose/prepare.ts'
export { presentOf } from './compose/recorded.ts'
export { listRunIds } from './compose/run-directory.ts'
export { ensureRegister, registerDirOf } from './compose/service.ts'
export { credentialsOf, dataDirOf, type Env } from './compose/settings.ts'
export { stdinOf } from './compose/stdin.ts'
export { proveWritable, writeAtomic } from './input/index.ts'
export type { RunFact, RunState } from './journal/index.ts'
export {
  explainPlan,
  nearest,
  type Plan,
  parseDuration,
  pipelineJsonSchema,
  profileLines,
  STDIN_NAME,
  spoolOf,
} from './pipeline/index.ts'
export { inBatch, type Tick } from './run/index.ts'
