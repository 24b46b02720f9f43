/** The input's face: look at it, send it, and make results of what comes back. Re-exports only. */

export { sweepBeside, sweepFolder } from './debris.ts'
export { type Decision, Decisions, mergeDecisions } from './decisions.ts'
export { needDecisions, writeDecisions } from './decisions-file.ts'
export { countQuestions } from './fold.ts'
export { inspect } from './inspect.ts'
export { openResults } from './results.ts'
export { readReview } from './review-rows.ts'
export { proveWritable, writeAtomic } from './sink.ts'
export { openSource } from './source.ts'
export { writeTable } from './table-file.ts'
