/** The input's face: look at it, send it, and make results of what comes back. Re-exports only. */

export { sweepBeside, sweepFolder } from '../files/stale-temp-files.ts'
export { type Decision, Decisions, mergeDecisions } from '../results/decisions/decisions.ts'
export { needDecisions, writeDecisions } from '../results/decisions/decisions-file.ts'
export { countQuestions } from './upload/row-dedupe.ts'
export { inspect } from './table/inspect.ts'
export { openResults } from '../results/join.ts'
export { readReview } from '../results/decisions/review-rows.ts'
export { proveWritable, writeAtomic } from '../files/atomic-file.ts'
export { openSource } from './upload/upload-source.ts'
export { writeTable } from '../results/output/table-file.ts'
