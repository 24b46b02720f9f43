/** The run core's face: re-exports only. */
export { inBatch } from './batch.ts'
export type { Clock, Ports, Service, Tick } from './ports.ts'
export { carryOut, pausedBy } from './runner.ts'
