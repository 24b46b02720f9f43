/** The register on disk: re-exports only. */
export { listRegisters, type RegisterInfo, registerInfo, removeRegister, type SkippedRow } from './files.ts'
export { type ImportRequest, importCsv } from './import.ts'
export { openRegister, type Register } from './open.ts'
