/**
 * The folders of screening lists: `<dir>/<name>/info.json` and the file of entries it names. A list is published by one rename of
 * info.json, so it is complete or absent, and a second import replaces the first in one step.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../../errors.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
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
  /** Name of the file of entries beside info.json, and its digest. */
  readonly file: string
  readonly fileSha256: string
}

const INFO = 'info.json'
const NAME = /^[a-z0-9-]{1,40}$/

const because = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const writeError = (path: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `Writing the list in ${path} failed: ${because(cause)}`, { cause })

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

/** Publishes a list whose file of entries is written, then removes the files of the replaced one. */
export async function publishList(folder: string, info: ListInfo): Promise<void> {
  try {
    await writeWhole(join(folder, INFO), write => write(`${JSON.stringify(info, null, 2)}\n`))
    for (const other of await readdir(folder))
      if (other !== INFO && other !== info.file) await rm(join(folder, other), { force: true })
  } catch (error) {
    throw writeError(folder, error)
  }
}

/** The info.json in a folder; null without one. */
export async function listInfoIn(folder: string): Promise<ListInfo | null> {
  const path = join(folder, INFO)
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ListInfo
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw damaged(path, error)
  }
}

/** All lists under `dir`, sorted by name, without unfinished imports; empty when the folder does not exist. */
export async function readLists(dir: string): Promise<ListInfo[]> {
  const names = await readdir(dir).catch(() => [])
  const infos = await Promise.all(names.sort().map(name => (NAME.test(name) ? listInfoIn(join(dir, name)) : null)))
  return infos.filter(info => info !== null)
}

/** The info of one list. Throws FETTLE_SCREENING_UNKNOWN with the existing names. */
export async function readList(dir: string, name: string): Promise<ListInfo> {
  const info = await listInfoIn(listFolder(dir, name))
  if (info !== null) return info
  const names = (await readLists(dir)).map(one => one.name)
  const hint = names.length === 0 ? 'there are none yet' : `there are: ${names.join(', ')}`
  throw new FettleError('FETTLE_SCREENING_UNKNOWN', `There is no screening list "${name}" in ${dir}; ${hint}`)
}

/** Removes a list. Throws FETTLE_SCREENING_UNKNOWN for an unknown name. */
export async function removeList(dir: string, name: string): Promise<void> {
  await readList(dir, name)
  const folder = listFolder(dir, name)
  try {
    // info.json first: without it the rest is not a list, if the process is killed here.
    await rm(join(folder, INFO))
    await rm(folder, { recursive: true })
  } catch (error) {
    throw writeError(folder, error)
  }
}
