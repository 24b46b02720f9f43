/** Results: the enriched file joined with the rows that were sent, and written. Re-exports only. */
export { type Decision, Decisions, mergeDecisions } from './decisions/decisions.ts'
export { requireDecisions, writeDecisions } from './decisions/decisions-file.ts'
export { readReview } from './decisions/review-rows.ts'
export { openResults } from './join.ts'
export { writeTable } from './output/table-file.ts'
