/** Reading the input: inspect it, and open it for upload. Re-exports only. */

export { inspect } from './table/inspect.ts'
export { countRows, sentRows } from './upload/asked-rows.ts'
export { openSource } from './upload/upload-source.ts'
