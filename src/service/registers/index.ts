/** The registers on disk. */

export { type Alias, changeAliases, readAliases } from './aliases.ts'
export { type RegisterChange, readChanges } from './changes.ts'
export { engineDigest } from './engine-digest.ts'
export { type ChangeSetInfo, listRegisters, type RegisterInfo, registerDigest, registerInfo, removeRegister } from './files.ts'
export { type ImportRequest, importRegister } from './import/import.ts'
export { isKind, isKnownHeader, KINDS } from './import/kinds.ts'
export { readHeader } from './import/source.ts'
export { currentDirectors, NO_OFFICERS, type Officers } from './officers.ts'
export { chooseRegisters, importSample, openRegister, type Register, readCompanies, SAMPLE } from './open.ts'
