/** Re-exports the run core. */
export { compareLists, creditsOf, isBeyond, isRejected, percent } from './checks.ts'
export { isPaid, isUnpaid } from './job-lookup.ts'
export { fetchJobStatuses, growInterval, type JobStatusEntry, withJitter } from './poll-job.ts'
export {
  type CandidateService,
  type EarlierSearches,
  type EventFile,
  type EventStore,
  type FetchedByJob,
  type ListPorts,
  type MonitorLedger,
  type MonitorStore,
  type PortfolioService,
  type Ports,
  type ProgressEvent,
  progressOf,
  type ReportService,
  type Screened,
  type ScreenService,
  type SearchProof,
  type Service,
  type TreeService,
} from './ports.ts'
export { checkAgainstSummary } from './row-ledger.ts'
export {
  endOf,
  hasEarlyStages,
  needsService,
  pausedBy,
  receivePaid,
  refusedBy,
  runEarlyStages,
  runStages,
} from './runner.ts'
export { mapConcurrently, recordError } from './stage-group.ts'
export { accepted as fetchAcceptedStep } from './stages/accepted.ts'
export { judgeHits } from './stages/decide.ts'
export { answeredJobs, publish } from './stages/download.ts'
export { makeScreenQuery } from './stages/screen.ts'
