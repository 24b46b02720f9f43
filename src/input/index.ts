/** Reading the input: inspect it, and open it for upload. Re-exports only. */

export { inspect } from './table/inspect.ts'
export { countRows } from './upload/row-dedupe.ts'
export { sentRows } from './upload/sent-rows.ts'
export { openSource } from './upload/upload-source.ts'
