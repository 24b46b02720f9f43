/**
 * The folders of registers: `<dir>/<name>/info.json` and the files it names. A register is published by one rename of info.json,
 * so it is complete or absent, and a second import replaces the first in one step.
 */
import { type FileHandle, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { replaceFile } from '../../files/durable.ts'
import { jaroWinkler } from '../matching/similarity.ts'

export interface SkippedRow {
  /** Last line of the row in the file, from 1. */
  readonly line: number
  readonly why: string
}

export interface OfficersInfo {
  readonly source: string
  readonly officers: number
  readonly skipped: number
  /** The first twenty skipped rows. */
  readonly skippedRows: readonly SkippedRow[]
  readonly sha256: string
  readonly bytes: number
  readonly file: string
  readonly index: string
}

/** A register; the content of its info.json. */
export interface RegisterInfo {
  readonly name: string
  readonly source: string
  readonly kind: 'csv' | 'gleif' | 'companies-house'
  /** UTC, with milliseconds. */
  readonly importedAt: string
  /** Day of the data, `2026-01-31`. */
  readonly snapshotDate: string
  readonly companies: number
  readonly skipped: number
  /** The first twenty skipped rows. */
  readonly skippedRows: readonly SkippedRow[]
  /** Number of companies by country code; '' for companies without one. */
  readonly countries: Readonly<Record<string, number>>
  readonly sha256: string
  readonly bytes: number
  readonly file: string
  /** Officers of the companies; absent without officers. */
  readonly officers?: OfficersInfo
  /** The changes of each import after the first, newest last. */
  readonly changes?: readonly ChangeSetInfo[]
}

/** The changes of one import; the file is described in docs/registers.md. */
export interface ChangeSetInfo {
  readonly file: string
  readonly from: Snapshot
  readonly to: Snapshot
  readonly added: number
  readonly removed: number
  readonly changed: number
}

export type Snapshot = Pick<RegisterInfo, 'snapshotDate' | 'importedAt' | 'sha256'>

const INFO = 'info.json'
/** Locked while an import runs. */
const LOCK = 'lock'

/** Folder of the stored indexes, beside the registers. Its name is not a valid register name. */
export const INDEXES = '.indexes'

const because = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const writeError = (path: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `Writing the register in ${path} failed: ${because(cause)}`, { cause })

/** The folder of a register. Throws FETTLE_USAGE for a name that is not 1 to 40 of a–z, 0–9 and hyphen. */
export function folderOf(dir: string, name: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(name)) {
    throw new FettleError('FETTLE_USAGE', `"${name}" cannot name a register`, { hint: 'Use 1 to 40 of a–z, 0–9 and hyphen.' })
  }
  return join(dir, name)
}

/** Writes a file of mode 0600 through `write` and syncs it; an unfinished one is removed. */
export const writeWhole = (folder: string, file: string, write: (handle: FileHandle) => Promise<void>): Promise<void> =>
  replaceFile(join(folder, file), join(folder, `.${file}.tmp`), write)

/** Makes the folder of a register, mode 0700. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw writeError(folder, error)
  }
}

/** Publishes a register whose data files are written, then removes the files of the replaced one. */
export async function publish(folder: string, info: RegisterInfo): Promise<void> {
  try {
    await writeWhole(folder, INFO, async handle => {
      await handle.writeFile(`${JSON.stringify(info, null, 2)}\n`)
    })
    const needed = [
      INFO,
      LOCK,
      info.file,
      info.officers?.file,
      info.officers?.index,
      ...(info.changes ?? []).map(({ file }) => file),
    ]
    for (const other of await readdir(folder)) if (!needed.includes(other)) await rm(join(folder, other), { force: true })
  } catch (error) {
    throw writeError(folder, error)
  }
}

/** The info.json in a folder; null without one. */
export async function registerInfoIn(folder: string): Promise<RegisterInfo | null> {
  const path = join(folder, INFO)
  try {
    return JSON.parse(await readFile(path, 'utf8')) as RegisterInfo
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw new FettleError('FETTLE_INPUT_READ', `Reading ${path} failed: ${because(error)}`, {
      cause: error,
      hint: 'Import the register again.',
    })
  }
}

/** All registers under `dir`, sorted by name, without unfinished imports; empty when the folder does not exist. */
export async function listRegisters(dir: string): Promise<RegisterInfo[]> {
  const names = await readdir(dir).catch(() => [])
  const infos = await Promise.all(
    names.sort().map(name => (/^[a-z0-9-]{1,40}$/.test(name) ? registerInfoIn(join(dir, name)) : null)),
  )
  return infos.filter(info => info !== null)
}

/** The info of one register. Throws FETTLE_REGISTER_UNKNOWN with the most similar name. */
export async function registerInfo(dir: string, name: string): Promise<RegisterInfo> {
  const info = await registerInfoIn(folderOf(dir, name))
  if (info !== null) return info
  const names = (await listRegisters(dir)).map(one => one.name)
  const nearest = names.map(one => ({ one, alike: jaroWinkler(one, name) })).sort((a, b) => b.alike - a.alike)[0]
  const hint =
    nearest === undefined
      ? 'there are none yet'
      : nearest.alike > 0.7
        ? `did you mean "${nearest.one}"?`
        : `there are: ${names.join(', ')}`
  throw new FettleError('FETTLE_REGISTER_UNKNOWN', `There is no register "${name}" in ${dir}; ${hint}`)
}

/** Removes a register. Throws FETTLE_REGISTER_UNKNOWN for an unknown name. */
export async function removeRegister(dir: string, name: string): Promise<void> {
  await registerInfo(dir, name)
  const folder = folderOf(dir, name)
  try {
    // info.json first: without it the rest is not a register, if the process is killed here.
    await rm(join(folder, INFO))
    await rm(folder, { recursive: true })
    // Indexes contain the companies too. Indexes of other registers are rebuilt when needed.
    await rm(join(dir, INDEXES), { recursive: true, force: true })
  } catch (error) {
    throw writeError(folder, error)
  }
}
