/** The register on disk: re-exports only. */
export { listRegisters, type RegisterInfo, registerInfo, removeRegister } from './files.ts'
export { importCsv } from './import.ts'
export { openRegister, type Register } from './open.ts'
