/** The run core's face: re-exports only. */
export type { PortfolioService, ScreenService } from './company-action-ports.ts'
export { inBatch } from './batch.ts'
export type { CallOptions } from './call-options.ts'
export { checkAgainstSummary } from './row-ledger.ts'
export { type Clock, courseOfTick, type Ports, type Service, type Tick } from './ports.ts'
export { carryOut, endOf, needsService, pausedBy } from './runner.ts'
export { growInterval, withJitter } from './schedule.ts'
export { type JobStanding, lookAtJobs } from './job-statuses.ts'
