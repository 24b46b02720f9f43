/** The run core's face: re-exports only. */
export { matchRate } from './checks.ts'
export type * from './ports.ts'
export { carryOut, type Recorder, type RunContext } from './runner.ts'
