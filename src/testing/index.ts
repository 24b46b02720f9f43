/** The face of `fettle/testing`: faults for any client of the service, and the judge of what became of them. Re-exports only. */

export type { ServiceAccess } from './check/evidence.ts'
export type { Invariant, Violation } from './check/violation.ts'
export { checkRun, type RunEvidence } from './checker.ts'
export { type FaultServer, type FaultServerOptions, startFaultServer } from './fault-server.ts'
export type { Armed, Consumed, Policy, PolicyRequest } from './faults/fault-plan.ts'
export { type Fault, type FaultEffect, type FaultEffectInput, type FaultInput, fault } from './faults/fault-table.ts'
export type { Recognised } from './match-operation.ts'
export type { EffectCounts, Seen } from './record.ts'
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
export { type FaultyService, serveWithFaults } from './with-service.ts'
