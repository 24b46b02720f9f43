/** Re-exports the run core. */

export type { CallOptions } from './call-options.ts'
export type { PortfolioService, ScreenService } from './company-action-ports.ts'
export { fetchJobStatuses, type JobStatusEntry } from './job-statuses.ts'
export { type Clock, type Ports, type ProgressEvent, progressOf, type Service } from './ports.ts'
export { checkAgainstSummary } from './row-ledger.ts'
export { endOf, needsService, pausedBy, runStages } from './runner.ts'
export { growInterval, withJitter } from './schedule.ts'
export { mapConcurrently } from './stage-group.ts'
