/** Public entry `fettle/testing`: a fault server for clients of the service, and a virtual clock. Re-exports only. */

export { type FaultServer, type FaultServerOptions, startFaultServer } from './fault-server.ts'
export type { Armed, Consumed, Policy, PolicyRequest } from './faults/fault-plan.ts'
export { type Fault, type FaultEffect, type FaultEffectInput, type FaultInput, fault } from './faults/fault-table.ts'
export type { EffectCounts, Recognised, Seen } from './record.ts'
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.ts'
export { type FaultyService, serveWithFaults } from './with-service.ts'
