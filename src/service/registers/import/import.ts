/**
 * A source taken in: streamed into a file of companies, compared with the register it replaces, then published with what is known
 * about it. Knows the order of the steps; reading is rows.ts and the kinds, keeping is draft.ts, publishing files.ts.
 */
import { randomUUID } from 'node:crypto'
import { rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FettleError } from '../../../errors.ts'
import { requireNoLoss, type Taken } from '../../storage/import-guard.ts'
import { lockDirectory, type Release } from '../../storage/lock.ts'
import { writeChanges } from '../changes.ts'
import { folderOf, makeFolder, publish, type RegisterInfo, registerInfoIn, writeError } from '../files.ts'
import { currentOfficers, openOfficers } from '../officers-file.ts'
import { type Draft, openDraft } from './draft.ts'
import { columnsOf, KINDS, type KindName } from './kinds.ts'
import { importOfficers } from './officers-import.ts'
import { emptySource, readRows, wrongWidth } from './rows.ts'
import { type SourceFacts, sourceFacts } from './source.ts'

/** What to import, and where to. */
export interface ImportRequest {
  /** Path of the source: CSV, or the same as .gz or .zip. */
  readonly file: string
  /** Path of the CSV of the companies' officers; none when absent. */
  readonly officers?: string
  /** Fettle's own CSV columns if absent. */
  readonly kind?: KindName
  /** Name of the register, 1 to 40 of a–z, 0–9 and hyphen; one that exists is updated. */
  readonly name: string
  /** Folder that holds the registers. */
  readonly dir: string
  readonly now: Date
  /** Day the data was taken, `2026-01-31`; when absent the day in the file's name, or of its last change. */
  readonly snapshotDate?: string
  /** Imports a source without usable rows too, and one that leaves less than half of the register that is there. */
  readonly force?: boolean
  /** Told the rows read so far, every 10,000 rows; first the rows of a killed import that is gone on with. */
  readonly onProgress?: (rows: number) => void
}

const PROGRESS_ROWS = 10_000
/** How often the import makes sure that it can be gone on with: a matter of seconds. */
const KEPT_ROWS = 50_000
/** Change sets that are kept: more than a year of daily ones. */
const KEPT_CHANGES = 400

/** The day that publishers write into the names of their files; null where there is none. */
export function dayIn(name: string): string | null {
  const found = /(?<!\d)(20\d\d)(-?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/.exec(name)
  return found === null ? null : `${found[1]}-${found[3]}-${found[4]}`
}

/** Reads the source into the draft, from where the draft left off. */
async function takeIn({ file, kind = 'csv', onProgress }: ImportRequest, draft: Draft): Promise<void> {
  const { progress } = draft
  if (progress.row > 0) onProgress?.(progress.row)
  let read = progress.header.length > 0 ? KINDS[kind].reader(columnsOf(file, progress.header, KINDS[kind])) : null
  for await (const { cells, end } of readRows(file, progress.place)) {
    progress.place = end
    if (read === null) {
      read = KINDS[kind].reader(columnsOf(file, cells, KINDS[kind]))
      progress.header = [...cells]
      continue
    }
    progress.row++
    const line = end.lines
    if (cells.length !== progress.header.length) draft.skip({ line, why: wrongWidth(cells.length, progress.header.length) })
    else {
      const found = read(cells, progress.row)
      if (typeof found === 'string') draft.skip({ line, why: found })
      else await draft.add(found, line)
    }
    if (progress.row % PROGRESS_ROWS === 0) onProgress?.(progress.row)
    if (progress.row % KEPT_ROWS === 0) await draft.keep()
  }
  if (read === null) throw emptySource(file, KINDS[kind])
}

/** Finishes a draft: changes against the register there is, info, and all of it published in one step. */
async function settle(request: ImportRequest, folder: string, facts: SourceFacts, draft: Draft): Promise<RegisterInfo> {
  const { companies, skipped, skippedRows, countries } = draft.progress
  const before = await registerInfoIn(folder)
  const target = `register "${request.name}"`
  if (request.force !== true) {
    const counts = { now: companies, before: before?.companies ?? null, skipped, skippedRows }
    requireNoLoss({ file: request.file, target, things: 'companies', ...counts })
  }
  const fresh = await draft.finish()
  const { sha256, bytes, changedOn } = facts
  const source = basename(request.file)
  const snapshotDate = request.snapshotDate ?? dayIn(source) ?? changedOn
  const to = { snapshotDate, importedAt: request.now.toISOString(), sha256 }
  const key = randomUUID().slice(0, 8)
  const changes = [...(before?.changes ?? [])]
  const accept = (found: Pick<Taken, 'now' | 'skipped' | 'skippedRows'>): void => {
    if (request.force === true) return
    const counts = { ...found, before: before?.officers?.officers ?? null }
    requireNoLoss({ file: request.officers ?? '', target, things: 'officers', ...counts })
  }
  const officers = request.officers === undefined ? null : await importOfficers(request.officers, folder, key, fresh, accept)
  if (before !== null) {
    const from = { snapshotDate: before.snapshotDate, importedAt: before.importedAt, sha256: before.sha256 }
    const paths = { old: join(folder, before.file), fresh }
    const all = await Promise.all([before.officers, officers].map(one => one && openOfficers(folder, one)))
    const [old, now] = all.map(one => one && currentOfficers(one))
    // A register that begins or ceases to tell of officers has changed none of them.
    const people = old && now ? { old, fresh: now } : undefined
    const set = await writeChanges(folder, `changes-${key}.jsonl`, paths, { from, to }, people).finally(() => {
      for (const one of all) one?.close()
    })
    changes.push(set)
    changes.splice(0, changes.length - KEPT_CHANGES)
  }
  const file = `companies-${key}.jsonl`
  await draft.settle(file)
  const info: RegisterInfo = {
    name: request.name,
    source,
    kind: request.kind ?? 'csv',
    ...to,
    companies,
    skipped,
    skippedRows,
    countries,
    bytes,
    file,
    ...(officers === null ? {} : { officers }),
    ...(changes.length > 0 ? { changes } : {}),
  }
  await publish(folder, info)
  return info
}

function lock(folder: string): Release {
  try {
    return lockDirectory(folder)
  } catch (error) {
    if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw writeError(folder, error)
    throw new FettleError('FETTLE_LOCKED', `Cannot import into ${folder}: another import into this register is running`, {
      cause: error,
    })
  }
}

/**
 * Imports a source. A kill at any point leaves the register as it was before, and the same import again goes on where it was; an import
 * into a register that exists replaces it in one step and keeps what changed.
 * @throws FettleError FETTLE_INPUT_… for the source, FETTLE_IMPORT_SHRINKS when it would leave less than half of the register,
 * FETTLE_OUTPUT_WRITE for the register's folder, FETTLE_USAGE for a bad name,
 * FETTLE_LOCKED while another import into the register runs
 */
export async function importRegister(request: ImportRequest): Promise<RegisterInfo> {
  const folder = folderOf(request.dir, request.name)
  const facts = await sourceFacts(request.file)
  await makeFolder(folder)
  const release = lock(folder)
  try {
    const draft = await openDraft(folder, facts.sha256, request.kind ?? 'csv')
    try {
      await takeIn(request, draft)
      return await settle(request, folder, facts, draft)
    } catch (error) {
      await draft.discard()
      throw error
    }
  } catch (error) {
    throw FettleError.is(error) ? error : writeError(folder, error)
  } finally {
    release()
    // A folder that holds no register goes again; one that does is not empty and stays.
    await rmdir(folder).catch(() => {})
  }
}
