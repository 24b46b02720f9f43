/**
 * The screening lists on disk: imports a published list, finds, publishes and removes lists, and opens them for reading. The offsets of the
 * entries are held in memory, the entries stay on disk. The file stays open, so that a later import cannot remove it during a search. The
 * fictitious sample is read from its CSV.
 */
import { createHash, randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { rmdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FettleError } from '../../../errors.ts'
import { packageFile } from '../../../package-file.ts'
import { importReadError } from '../../csv/csv.ts'
import { makeFolder, writeWhole } from '../../storage/atomic-file.ts'
import { lockImport, noteSkipped, publishedFolders, requireNoLoss, type SkippedRow } from '../../storage/published-folders.ts'
import { type Entry, type ListingCode, listDatasets } from '../entry.ts'
import { type ChangeFile, keepChanges, type ListChanges, type NameChange, readChanges } from './changes.ts'
import { readCsv } from './csv.ts'
import { readProvedLines } from './entry-lines.ts'
import { readOfac } from './ofac.ts'
import { readOpenSanctions } from './opensanctions.ts'
import type { ListSource } from './rows.ts'
import { readUk } from './uk.ts'
import { readUn } from './un.ts'

export const LIST_KINDS = ['opensanctions', 'ofac', 'un', 'uk', 'csv'] as const

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
  /** Since the import before; null for the first one. */
  readonly changes?: ListChanges | null
  /** The changes of the last imports, the newest last. */
  readonly history?: readonly ChangeFile[]
}

const folders = publishedFolders<ListInfo>({
  what: 'list',
  reading: 'Opening the list',
  keeps: ({ file, history = [] }) => [file, ...history.map(change => change.file)],
  unknown(dir, name, names) {
    const hint = names.length === 0 ? 'there are none yet' : `there are: ${names.join(', ')}`
    return new FettleError('FETTLE_SCREENING_UNKNOWN', `There is no screening list "${name}" in ${dir}; ${hint}`)
  },
})
const { writeError, folderOf } = folders
export const { all: readLists, info: readList, remove: removeList } = folders

interface ListImport {
  readonly kind: ListKind
  readonly file: string
  /** Name of the list, 1 to 40 of a–z, 0–9 and hyphen; an existing one is replaced. */
  readonly name: string
  readonly dir: string
  readonly now: Date
  /** Listing codes of all entries. When empty, the file or the titles of its lists determine them. */
  readonly codes?: readonly ListingCode[]
  /** Also imports a file without usable rows, or with less than half of the existing entries. */
  readonly force?: boolean
  /** Called with the number of entries read, every 10,000. */
  readonly onProgress?: (entries: number) => void
}

const PROGRESS = 10_000

export const READERS: Readonly<Record<ListKind, (source: ListSource, codes: readonly ListingCode[]) => AsyncGenerator<Entry>>> = {
  opensanctions: readOpenSanctions,
  ofac: readOfac,
  un: readUn,
  uk: readUk,
  csv: readCsv,
}

/** The day of the source's last change. Throws FETTLE_INPUT_READ when it is missing or not a regular file. */
async function changedOn(file: string): Promise<string> {
  const facts = await stat(file).catch((cause: unknown) => {
    throw importReadError('list', file, cause)
  })
  if (!facts.isFile()) throw new FettleError('FETTLE_INPUT_READ', `${file} is not a regular file`)
  return facts.mtime.toISOString().slice(0, 10)
}

/**
 * Imports a list. A kill at any point leaves the list unchanged; a second import replaces it in one step. Entries with a repeated id are
 * skipped.
 * @throws FettleError FETTLE_INPUT_… for the source, FETTLE_IMPORT_SHRINKS when it would leave less than half of the list, FETTLE_OUTPUT_WRITE for the list's folder, FETTLE_USAGE for a bad name, FETTLE_LOCKED while another import into the list runs
 */
export async function importList(request: ListImport): Promise<ListInfo> {
  const folder = folderOf(request.dir, request.name)
  const snapshotDate = await changedOn(request.file)
  await makeFolder(folder).catch(error => {
    throw writeError(folder, error)
  })
  const release = lockImport('list', folder)
  try {
    return await importInto(folder, request, snapshotDate)
  } catch (error) {
    throw FettleError.is(error) ? error : writeError(folder, error)
  } finally {
    release()
    // Removes the folder if it is empty, that is, without an earlier import.
    await rmdir(folder).catch(() => {})
  }
}

async function importInto(folder: string, request: ListImport, snapshotDate: string): Promise<ListInfo> {
  const { kind, file: source, name, now, codes = [], force = false, onProgress } = request
  const facts = { sha256: '', bytes: 0 }
  const datasets: Record<string, number> = {}
  const ids = new Set<string>()
  const digest = createHash('sha256')
  const counts = { individuals: 0, skipped: 0, skippedRows: [] as SkippedRow[] }
  const skip = (row: SkippedRow): void => noteSkipped(counts, row)

  // Every import has a new file name, because the existing info.json refers to the existing file until it is replaced.
  const file = `entries-${randomUUID().slice(0, 8)}.jsonl`
  let before: ListInfo | null = null
  await writeWhole(join(folder, file), async write => {
    for await (const entry of READERS[kind]({ file: source, facts, skip }, codes)) {
      if (ids.has(entry.id)) {
        skip({ line: null, why: `the id ${entry.id.slice(0, 80)} is on an earlier line too` })
        continue
      }
      ids.add(entry.id)
      if (entry.type === 'individual') counts.individuals++
      for (const code of listDatasets(entry.listings)) datasets[code] = (datasets[code] ?? 0) + 1
      const line = `${JSON.stringify(entry)}\n`
      digest.update(line)
      await write(line)
      if (ids.size % PROGRESS === 0) onProgress?.(ids.size)
    }
    before = await folders.infoIn(folder)
    if (force) return
    const target = `screening list "${name}"`
    requireNoLoss({ file: source, target, things: 'entries', now: ids.size, before: before?.entries ?? null, ...counts })
  })
  const fileSha256 = digest.digest('hex')
  const kept = before === null ? {} : await keepChanges(folder, before, { file, fileSha256, entries: ids.size })
  const info: ListInfo = {
    ...{ name, kind, source: basename(source), importedAt: now.toISOString(), snapshotDate },
    ...{ entries: ids.size, individuals: counts.individuals, datasets, skipped: counts.skipped, skippedRows: counts.skippedRows },
    ...{ ...facts, file, fileSha256, changes: null, ...kept },
  }
  await folders.publish(folder, info)
  return info
}

/** The names that came or went in a list since its state `from`; null where that is not known. */
export const changesSince = (dir: string, info: ListInfo, from: string): Promise<readonly NameChange[] | null> =>
  readChanges(folderOf(dir, info.name), info, from)

export interface OpenList {
  readonly name: string
  readonly entries: number
  at(position: number): Entry
  /** Position of the entry with this id, or null. */
  find(id: string): number | null
  close(): void
}

/** Called with each entry, in order, while a list is opened. */
type OnEntry = (entry: Entry) => void

/** Opens an imported list. Throws FETTLE_INPUT_READ when its file differs from the import. */
export async function openList(dir: string, info: ListInfo, onEntry: OnEntry): Promise<OpenList> {
  const path = join(folderOf(dir, info.name), info.file)
  const starts: number[] = [0]
  const ids = new Map<string, number>()
  let descriptor = -1
  try {
    // Opened before it is read, so that an import cannot remove it meanwhile.
    descriptor = openSync(path, 'r')
    for await (const line of readProvedLines(path, info.fileSha256)) {
      const entry = JSON.parse(line.toString('utf8')) as Entry
      ids.set(entry.id, starts.length - 1)
      starts.push((starts.at(-1) ?? 0) + line.length)
      onEntry(entry)
    }
  } catch (error) {
    if (descriptor >= 0) closeSync(descriptor)
    throw folders.readError(path, error)
  }
  return {
    name: info.name,
    entries: ids.size,
    at(position) {
      const start = starts[position] ?? 0
      const bytes = Buffer.alloc((starts[position + 1] ?? start) - start)
      readSync(descriptor, bytes, 0, bytes.length, start)
      return JSON.parse(bytes.toString('utf8')) as Entry
    },
    find: id => ids.get(id) ?? null,
    close: () => closeSync(descriptor),
  }
}

/** The fictitious list of the package, for installations without an imported one. */
export async function openSample(onEntry: OnEntry): Promise<OpenList> {
  const entries: Entry[] = []
  const ids = new Map<string, number>()
  const source = { file: packageFile('samples/screening.csv'), facts: { sha256: '', bytes: 0 }, skip: () => {} }
  for await (const entry of readCsv(source, [])) {
    ids.set(entry.id, entries.length)
    entries.push(entry)
    onEntry(entry)
  }
  return { name: 'sample', entries: entries.length, at: at => entries[at] as Entry, find: id => ids.get(id) ?? null, close() {} }
}
