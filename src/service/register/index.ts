/** The register on disk: re-exports only. */
export { listRegisters, type RegisterInfo, registerInfo, removeRegister } from './files.ts'
export { importCsv } from './import.ts'
export { NO_OFFICERS, type Officers } from './officers-file.ts'
export { openRegister, type Register } from './open.ts'
