/** Imports a source: streams it into a draft of companies, compares it with the register it replaces, then publishes it. */
import { hash, randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../../../errors.ts'
import { turnEvery } from '../../../loop-turns.ts'
import { type Company, defaultConnectId } from '../../matching/index.ts'
import { makeFolder, writeWhole } from '../../storage/atomic-file.ts'
import { noteSkipped, requireNoLoss, type SkippedRow, type Taken } from '../../storage/published-folders.ts'
import { writeChanges } from '../changes.ts'
import { folderOf, lockRegister, publish, type RegisterInfo, readLines, registerInfoIn, writeError } from '../files.ts'
import { currentOfficers, importOfficers, openOfficers } from '../officers.ts'
import { KINDS, type KindName, readColumns } from './kinds.ts'
import { addParents } from './parents.ts'
import { emptySource, type Row, readRows, type SourceFacts, sourceFacts, wrongWidth } from './source.ts'

const COMPANIES = '.import.jsonl'
const WITH_PARENTS = '.import-parents.jsonl'
const PROGRESS = '.import.json'
/** Characters per write. */
const BATCH = 1 << 20

const Progress = z.object({
  source: z.string(),
  kind: z.string(),
  header: z.array(z.string()),
  row: z.number(),
  place: z.object({ bytes: z.number(), lines: z.number() }),
  /** Bytes of the companies up to this progress. */
  written: z.number(),
  companies: z.number(),
  skipped: z.number(),
  skippedRows: z.array(z.object({ line: z.number(), why: z.string() })),
  countries: z.record(z.string(), z.number()),
})
type Progress = z.infer<typeof Progress>

async function readProgress(folder: string, source: string, kind: string): Promise<Progress | null> {
  try {
    const stored = Progress.parse(JSON.parse(await readFile(join(folder, PROGRESS), 'utf8')))
    const { size } = await stat(join(folder, COMPANIES))
    return stored.source === source && stored.kind === kind && size >= stored.written ? stored : null
  } catch {
    return null
  }
}

/** Opens the draft that a killed import of the same source left, or a new one. */
export async function openDraft(folder: string, source: string, kind: string) {
  const path = join(folder, COMPANIES)
  const stored = await readProgress(folder, source, kind)
  // biome-ignore format: reads better on one line
  const progress: Progress = stored ?? { source, kind, header: [], row: 0, place: { bytes: 0, lines: 0 }, written: 0, companies: 0, skipped: 0, skippedRows: [], countries: {} }
  const handle = await open(path, stored === null ? 'w' : 'r+', 0o600)
  await handle.truncate(progress.written)
  const ids = new Set<string>()
  const connectIds = new Set<string>()
  for await (const { text } of readLines(path)) {
    const { id, connectId } = JSON.parse(text) as Company
    ids.add(id)
    connectIds.add(connectId)
  }
  let batch = ''
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(batch)
    batch = ''
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, progress.written)
      done += bytesWritten
      progress.written += bytesWritten
    }
  }
  const skip = (row: SkippedRow<number>): void => noteSkipped(progress, row)
  const close = (): Promise<void> => handle.close().catch(() => {})

  return {
    progress,
    skip,
    async add(company: Omit<Company, 'connectId'>, line: number): Promise<void> {
      const { id, name, country } = company
      if (name === '' || id === '' || ids.has(id)) {
        skip({ line, why: name === '' ? 'no name' : id === '' ? 'no id' : `the id ${id} is on an earlier line too` })
        return
      }
      ids.add(id)
      // In countries with several registers (courts, chambers) a number may occur twice: the later company gets its id instead.
      const byNumber = defaultConnectId(company)
      const byId = defaultConnectId({ id, country, orgNumber: '' })
      // Ids that differ in their signs alone: the later one gets a digest.
      const distinct = `${byId}_${hash('sha256', id).slice(0, 12)}`
      const connectId = [byNumber, byId].find(id => !connectIds.has(id)) ?? distinct
      connectIds.add(connectId)
      progress.companies++
      progress.countries[country] = (progress.countries[country] ?? 0) + 1
      batch += `${JSON.stringify({ ...company, connectId })}\n`
      if (batch.length > BATCH) await flush()
    },
    /** Syncs companies and progress to disk: a killed import resumes from here. */
    async checkpoint(): Promise<void> {
      await flush()
      await handle.datasync()
      await writeWhole(join(folder, PROGRESS), write => write(JSON.stringify(progress)))
    },
    async finish(): Promise<string> {
      await flush()
      await handle.sync()
      await close()
      return path
    },
    async discard(): Promise<void> {
      await close()
      for (const file of [COMPANIES, WITH_PARENTS, PROGRESS]) await rm(join(folder, file), { force: true })
    },
  }
}

export type Draft = Awaited<ReturnType<typeof openDraft>>

export interface ImportRequest {
  /** Path of the source: CSV, or the same as .gz or .zip. */
  readonly file: string
  readonly officers?: string
  /** Path of the relationship records of GLEIF, RR-CDF as CSV, .gz or .zip: the parents of its companies. */
  readonly relations?: string
  readonly kind?: KindName
  /** `file` is any list, and these are its rows in the columns of a register, the header first, or the rows after the first ones. */
  readonly table?: NonNullable<RegisterInfo['table']> & { rows(after: number): AsyncIterable<Row> }
  readonly isNamedOnly?: true
  /** Name of the register, 1 to 40 of a–z, 0–9 and hyphen; an existing one is updated. */
  readonly name: string
  readonly dir: string
  readonly now: Date
  /** Day of the data, `2026-01-31`; defaults to the day in the file name, else of its last change. */
  readonly snapshotDate?: string
  /** Also imports a source without usable rows, with less than half of the existing companies, or the one that is imported already. */
  readonly force?: boolean
  /** Called with the number of rows read, every 10,000 rows, and first with the rows of a resumed import. */
  readonly onProgress?: (rows: number) => void
}

const PROGRESS_ROWS = 10_000
/** Rows between two checkpoints: some seconds. */
const CHECKPOINT_ROWS = 50_000
/** Higher when the importer keeps more of a source than before: the same file is then worth importing again. */
const IMPORTER = 3
/** Number of change sets to keep: more than a year of daily imports. */
const MAX_CHANGE_SETS = 400

/** The day in a publisher's file name; null without one. */
export function dayIn(name: string): string | null {
  const found = /(?<!\d)(20\d\d)(-?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/.exec(name)
  return found === null ? null : `${found[1]}-${found[3]}-${found[4]}`
}

async function readSource({ file, kind = 'csv', table, onProgress }: ImportRequest, draft: Draft): Promise<void> {
  const { progress } = draft
  if (progress.row > 0) onProgress?.(progress.row)
  let read = progress.header.length > 0 ? KINDS[kind].reader(readColumns(file, progress.header, KINDS[kind])) : null
  const turn = turnEvery()
  for await (const { cells, end } of table?.rows(progress.row) ?? readRows(file, progress.place)) {
    await turn()
    progress.place = end
    if (read === null) {
      read = KINDS[kind].reader(readColumns(file, cells, KINDS[kind]))
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
    if (progress.row % CHECKPOINT_ROWS === 0) await draft.checkpoint()
  }
  if (read === null) throw emptySource(file, KINDS[kind])
}

/** Completes a draft: writes changes against the existing register and info.json, then publishes all in one step. */
async function publishDraft(request: ImportRequest, folder: string, facts: SourceFacts, draft: Draft): Promise<RegisterInfo> {
  const { companies, skipped, skippedRows, countries } = draft.progress
  const before = await registerInfoIn(folder)
  const target = `register "${request.name}"`
  if (request.force !== true) {
    const counts = { now: companies, before: before?.companies ?? null, skipped, skippedRows }
    requireNoLoss({ file: request.file, target, things: 'companies', ...counts })
  }
  const read = await draft.finish()
  const columns = request.table === undefined ? draft.progress.header : Object.keys(request.table.columns)
  const hasParents = request.relations !== undefined || columns.some(column => column.trim().toLowerCase() === 'parent')
  const fresh = hasParents ? join(folder, WITH_PARENTS) : read
  const relations = hasParents ? await addParents(read, request.relations ?? null, fresh) : undefined
  const { sha256, bytes, changedOn } = facts
  const source = basename(request.file)
  const snapshotDate = request.snapshotDate ?? dayIn(source) ?? changedOn
  const to = { snapshotDate, importedAt: request.now.toISOString(), sha256 }
  const key = randomUUID().slice(0, 8)
  const file = `companies-${key}.jsonl`
  const changes = [...(before?.changes ?? [])]
  const { officers: officersFile } = request
  const accept = (counts: Pick<Taken, 'now' | 'skipped' | 'skippedRows'>): void => {
    if (request.force === true) return
    requireNoLoss({ file: officersFile ?? '', target, things: 'officers', before: before?.officers?.officers ?? null, ...counts })
  }
  const officers =
    officersFile === undefined ? null : await importOfficers({ source: officersFile, folder, key, companies: fresh, accept })
  if (before !== null) {
    const from = { snapshotDate: before.snapshotDate, importedAt: before.importedAt, sha256: before.sha256 }
    const paths = { old: join(folder, before.file), fresh, merged: join(folder, file) }
    const all = await Promise.all([before.officers, officers].map(info => info && openOfficers(folder, info)))
    const [old, now] = all.map(opened => opened && currentOfficers(opened))
    // Directors are compared only if both imports have officers.
    const people = old && now ? { old, fresh: now } : undefined
    const set = await writeChanges(folder, `changes-${key}.jsonl`, { ...paths, from, to, people }).finally(() => {
      for (const opened of all) opened?.close()
    })
    changes.push(set)
    changes.splice(0, changes.length - MAX_CHANGE_SETS)
  }
  if (before === null) await rename(fresh, join(folder, file))
  await draft.discard()
  const info: RegisterInfo = {
    name: request.name,
    source,
    kind: request.kind ?? 'csv',
    ...to,
    importer: IMPORTER,
    companies,
    skipped,
    skippedRows,
    countries,
    bytes,
    file,
    table: request.table && tableOf(request.table),
    isNamedOnly: request.isNamedOnly,
    officers: officers ?? undefined,
    relations,
    aliases: before?.aliases,
    changes: changes.length > 0 ? changes : undefined,
  }
  await publish(folder, info)
  return info
}

const tableOf = ({ columns, sheet }: NonNullable<RegisterInfo['table']>) => ({ columns, sheet })

/** What a source is read as. */
const describeReading = ({ kind = 'csv', table }: Pick<ImportRequest, 'kind'> & Pick<RegisterInfo, 'table'>): string =>
  table === undefined ? kind : `${kind} ${JSON.stringify(tableOf(table))}`

/** The existing register, if it consists of this very source and officers, read by this importer. */
async function sameRegister(request: ImportRequest, folder: string, { sha256 }: SourceFacts): Promise<RegisterInfo | null> {
  const before = await registerInfoIn(folder)
  if (before === null || request.force === true || before.sha256 !== sha256 || before.importer !== IMPORTER) return null
  const officers = request.officers === undefined ? undefined : (await sourceFacts(request.officers)).sha256
  const relations = request.relations === undefined ? undefined : (await sourceFacts(request.relations)).sha256
  const reading = describeReading({ kind: before.kind, table: before.table })
  const isSame =
    reading === describeReading(request) && before.officers?.sha256 === officers && before.relations?.sha256 === relations
  return isSame && (request.snapshotDate ?? before.snapshotDate) === before.snapshotDate ? before : null
}

/**
 * Imports a source. A kill at any point leaves the register unchanged, and the next import of the same source resumes. An import into
 * an existing register replaces it in one step and records the changes; a company keeps names that only the earlier import had. A source
 * that is imported already is not read again: the register is returned as it was published.
 * @throws FettleError FETTLE_INPUT_… for the source, FETTLE_IMPORT_SHRINKS when it would leave less than half of the register,
 * FETTLE_OUTPUT_WRITE for the register's folder, FETTLE_USAGE for a bad name,
 * FETTLE_LOCKED while another import into the register runs
 */
export async function importRegister(request: ImportRequest): Promise<RegisterInfo> {
  const folder = folderOf(request.dir, request.name)
  const facts = await sourceFacts(request.file)
  await makeFolder(folder).catch(error => {
    throw writeError(folder, error)
  })
  const release = lockRegister(folder)
  try {
    const same = await sameRegister(request, folder, facts)
    if (same !== null) return same
    const draft = await openDraft(folder, facts.sha256, describeReading(request))
    try {
      await readSource(request, draft)
      return await publishDraft(request, folder, facts, draft)
    } catch (error) {
      await draft.discard()
      throw error
    }
  } catch (error) {
    throw FettleError.is(error) ? error : writeError(folder, error)
  } finally {
    release()
    // Removes the folder if it is empty, that is, without a register.
    await rmdir(folder).catch(() => {})
  }
}
