/** The contract's face: re-exports only. */
export * from './authenticate.ts'
export * from './dates.ts'
export * from './enrichment-tags.ts'
export * from './faults.ts'
export * from './job.ts'
export * from './job-status.ts'
export * from './mappings.ts'
export * from './operations.ts'
