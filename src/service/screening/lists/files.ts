/** The screening lists on disk: what their info.json holds, and how they are found, published and removed. */
import { FettleError } from '../../../errors.ts'
import { publishedFolders } from '../../storage/published-folders.ts'
import type { SkippedRow } from './rows.ts'

export const LIST_KINDS = ['opensanctions', 'uk', 'csv'] as const

export type ListKind = (typeof LIST_KINDS)[number]

/** A list; the content of its info.json. */
export interface ListInfo {
  readonly name: string
  readonly kind: ListKind
  readonly source: string
  /** UTC, with milliseconds. */
  readonly importedAt: string
  /** Day of the file's last change, `2026-01-31`. */
  readonly snapshotDate: string
  readonly entries: number
  readonly individuals: number
  /** Number of entries by dataset code; an entry may have several. */
  readonly datasets: Readonly<Record<string, number>>
  readonly skipped: number
  /** The first twenty skipped rows. */
  readonly skippedRows: readonly SkippedRow[]
  readonly sha256: string
  readonly bytes: number
  readonly file: string
  readonly fileSha256: string
}

export const {
  writeError,
  readError: damaged,
  folderOf: listFolder,
  publish: publishList,
  infoIn: listInfoIn,
  all: readLists,
  info: readList,
  remove: removeList,
} = publishedFolders<ListInfo>({
  what: 'list',
  reading: 'Opening the list',
  keeps: ({ file }) => [file],
  unknown(dir, name, names) {
    const hint = names.length === 0 ? 'there are none yet' : `there are: ${names.join(', ')}`
    return new FettleError('FETTLE_SCREENING_UNKNOWN', `There is no screening list "${name}" in ${dir}; ${hint}`)
  },
})
