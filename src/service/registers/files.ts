/** The registers on disk: what their info.json holds, how they are found, locked, published and removed, and the lines of their files. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { FettleError } from '../../errors.ts'
import { jaroWinkler } from '../matching/similarity.ts'
import type { Release } from '../storage/lock.ts'
import { lockImport, publishedFolders, type SkippedRow } from '../storage/published-folders.ts'

export interface OfficersInfo {
  readonly source: string
  readonly officers: number
  readonly skipped: number
  /** The first twenty skipped rows. */
  readonly skippedRows: readonly SkippedRow<number>[]
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
  readonly skippedRows: readonly SkippedRow<number>[]
  /** Number of companies by country code; '' for companies without one. */
  readonly countries: Readonly<Record<string, number>>
  readonly sha256: string
  readonly bytes: number
  readonly file: string
  /** Version of the importer that read the source. */
  readonly importer: number
  /** The columns that were taken from a list, by column of a register, and its sheet; absent for a source in its own columns. */
  readonly table?: { readonly columns: Readonly<Record<string, string>>; readonly sheet: string | null }
  /** It takes part only in runs that name it. */
  readonly isNamedOnly?: true
  /** Officers of the companies; absent without officers. */
  readonly officers?: OfficersInfo
  /** The file that named their parents; absent without one. */
  readonly relations?: RelationsInfo
  /** Names that people confirmed for its companies (aliases.ts); absent without any. */
  readonly aliases?: { readonly file: string; readonly names: number; readonly sha256: string }
  /** The changes of each import after the first, newest last. */
  readonly changes?: readonly ChangeSetInfo[]
}

/** `companies`: those with a parent. */
export interface RelationsInfo {
  readonly source: string
  readonly sha256: string
  readonly companies: number
}

/** The changes of one import; the file is described in docs/registers.md. */
export interface ChangeSetInfo {
  readonly file: string
  readonly from: Snapshot
  readonly to: Snapshot
  readonly added: number
  readonly removed: number
  readonly changed: number
  /** Changed companies by field. */
  readonly fields: Readonly<Record<string, number>>
}

export type Snapshot = Pick<RegisterInfo, 'snapshotDate' | 'importedAt' | 'sha256'>

/** Folder of the stored indexes, beside the registers. Its name is not a valid register name. */
export const INDEXES = '.indexes'

const folders = publishedFolders<RegisterInfo>({
  what: 'register',
  reading: 'Reading',
  keeps: ({ file, officers, aliases, changes = [] }) => [
    file,
    officers?.file,
    officers?.index,
    aliases?.file,
    ...changes.map(set => set.file),
  ],
  unknown(dir, name, names) {
    const nearest = names.map(other => ({ other, alike: jaroWinkler(other, name) })).sort((a, b) => b.alike - a.alike)[0]
    const hint =
      nearest === undefined
        ? 'there are none yet'
        : nearest.alike > 0.7
          ? `did you mean "${nearest.other}"?`
          : `there are: ${names.join(', ')}`
    return new FettleError('FETTLE_REGISTER_UNKNOWN', `There is no register "${name}" in ${dir}; ${hint}`)
  },
})

export const {
  writeError,
  readError,
  folderOf,
  publish,
  infoIn: registerInfoIn,
  all: listRegisters,
  info: registerInfo,
} = folders

export const lockRegister = (folder: string): Release => lockImport('register', folder)

/** Removes a register. Indexes contain the companies too; indexes of other registers are rebuilt when needed. */
export const removeRegister = (dir: string, name: string): Promise<void> => folders.remove(dir, name, INDEXES)

/** Digest of what rows are matched against: the source, or source and confirmed names. */
export const registerDigest = ({ sha256, aliases }: RegisterInfo): string =>
  aliases === undefined ? sha256 : createHash('sha256').update(`${sha256} ${aliases.sha256}`).digest('hex')

const LF = 10

/** `start`: the offset of the first byte of the line. */
export async function* readLines(path: string): AsyncGenerator<{ readonly text: string; readonly start: number }> {
  let rest: Buffer = Buffer.alloc(0)
  let before = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      yield { text: bytes.toString('utf8', start, end), start: before + start }
      start = end + 1
    }
    before += start
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), start: before }
}
