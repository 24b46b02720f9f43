/** The input's face: look at it, send it, and make results of what comes back. Re-exports only. */
export { countQuestions } from './fold.ts'
export { inspect } from './inspect.ts'
export { openResults } from './results.ts'
export { proveWritable, writeAtomic } from './sink.ts'
export { openSource } from './source.ts'
