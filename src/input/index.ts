/** The input's face: look at it, send it, and make results of what comes back. Re-exports only. */
export { type InspectExtra, type Inspection, inspect } from './inspect.ts'
export { type FileResults, openResults } from './results.ts'
export { writeAtomic } from './sink.ts'
export { type FileSource, openSource } from './source.ts'
