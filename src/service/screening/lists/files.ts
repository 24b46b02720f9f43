/**
 * Where screening lists lie: `<dir>/<name>/info.json` beside the file of entries that it names. Publishing is one rename of info.json:
 * a list is there wholly or not at all, and a second import replaces the first in one step. It knows files, not what is in them.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../../errors.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { SkippedRow } from './rows.ts'

/** Kinds of file a list may come from. */
export const LIST_KINDS = ['opensanctions', 'uk', 'csv'] as const

/** One of them. */
export type ListKind = (typeof LIST_KINDS)[number]

/** What is known about a list; the content of its info.json. */
export interface ListInfo {
  readonly name: string
  readonly kind: ListKind
  /** Base name of the file it came from. */
  readonly source: string
  /** UTC, with milliseconds. */
  readonly importedAt: string
  /** Day of the file's last change, `2026-01-31`. */
  readonly snapshotDate: string
  readonly entries: number
  readonly individuals: number
  /** Entries by dataset code; one may be under several. */
  readonly datasets: Readonly<Record<string, number>>
  readonly skipped: number
  /** The first twenty rows that were not taken. */
  readonly skippedRows: readonly SkippedRow[]
  /** Of the source file. */
  readonly sha256: string
  readonly bytes: number
  /** Name of the file of entries beside info.json, and the digest of what was written to it. */
  readonly file: string
  readonly fileSha256: string
}

const INFO = 'info.json'
const NAME = /^[a-z0-9-]{1,40}$/

const because = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The error for a failed write under `path`. */
export const writeError = (path: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `Writing the list in ${path} failed: ${because(cause)}`, { cause })

/** The error for a list that cannot be read any more. */
export const damaged = (path: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_INPUT_READ', `Opening the list ${path} failed: ${because(cause)}`, {
    cause,
    hint: 'Import the list again.',
  })

/** The folder of a list. Throws FETTLE_USAGE for a name that is not 1 to 40 of a–z, 0–9 and hyphen. */
export function listFolder(dir: string, name: string): string {
  if (NAME.test(name)) return join(dir, name)
  throw new FettleError('FETTLE_USAGE', `"${name}" cannot name a list`, { hint: 'Use 1 to 40 of a–z, 0–9 and hyphen.' })
}

/** Publishes a list whose file of entries is written already, then removes the files of an earlier one. */
export async function publishList(folder: string, info: ListInfo): Promise<void> {
  try {
    await writeWhole(join(folder, INFO), write => write(`${JSON.stringify(info, null, 2)}\n`))
    for (const other of await readdir(folder))
      if (other !== INFO && other !== info.file) await rm(join(folder, other), { force: true })
  } catch (error) {
    throw writeError(folder, error)
  }
}

/** What is known about the list in a folder; null when there is none. */
export async function listInfoIn(folder: string): Promise<ListInfo | null> {
  const path = join(folder, INFO)
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ListInfo
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw damaged(path, error)
  }
}

/** All lists under `dir`, by name; none when there is no such folder. Half-imported ones are not there. */
export async function readLists(dir: string): Promise<ListInfo[]> {
  const names = await readdir(dir).catch(() => [])
  const infos = await Promise.all(names.sort().map(name => (NAME.test(name) ? listInfoIn(join(dir, name)) : null)))
  return infos.filter(info => info !== null)
}

/** What is known about one list. Throws FETTLE_SCREENING_UNKNOWN, naming those there are. */
export async function readList(dir: string, name: string): Promise<ListInfo> {
  const info = await listInfoIn(listFolder(dir, name))
  if (info !== null) return info
  const names = (await readLists(dir)).map(one => one.name)
  const said = names.length === 0 ? 'there are none yet' : `there are: ${names.join(', ')}`
  throw new FettleError('FETTLE_SCREENING_UNKNOWN', `There is no screening list "${name}" in ${dir}; ${said}`)
}

/** Removes a list. Throws FETTLE_SCREENING_UNKNOWN when there is none of the name. */
export async function removeList(dir: string, name: string): Promise<void> {
  await readList(dir, name)
  const folder = listFolder(dir, name)
  try {
    // info.json first: what a kill leaves behind is no list any more.
    await rm(join(folder, INFO))
    await rm(folder, { recursive: true })
  } catch (error) {
    throw writeError(folder, error)
  }
}
