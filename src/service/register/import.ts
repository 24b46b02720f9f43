/**
 * A register CSV taken in: streamed into a file of companies, then published with what is known about it. Knows the order of the
 * steps; reading is csv.ts, publishing files.ts.
 */
import { randomUUID } from 'node:crypto'
import { rm, rmdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { readCompanies } from './csv.ts'
import {
  folderOf,
  makeFolder,
  type OfficersInfo,
  publish,
  type RegisterInfo,
  type SkippedRow,
  writeError,
  writeWhole,
} from './files.ts'
import { readOfficers } from './officer.ts'
import { writeOfficers } from './officers-file.ts'

/** What to import, and where to. */
export interface ImportRequest {
  /** Path of the CSV. */
  readonly file: string
  /** Path of the CSV of the companies' officers; none when absent. */
  readonly officers?: string
  /** Name of the register, 1 to 40 of a–z, 0–9 and hyphen; one that exists is replaced. */
  readonly name: string
  /** Folder that holds the registers. */
  readonly dir: string
  readonly now: Date
  /** Day the data was taken, `2026-01-31`; the day of the file's last change when absent. */
  readonly snapshotDate?: string
  /** Told the rows of companies read so far, every 10,000 rows. */
  readonly onProgress?: (rows: number) => void
}

const NAMED_ROWS = 20
const PROGRESS_ROWS = 10_000
/** Characters gathered before they are written: large enough for few calls, small beside the register. */
const BATCH = 1 << 20

/** The day the source was last changed. Throws FETTLE_INPUT_READ when there is no such regular file. */
async function changedOn(file: string): Promise<string> {
  const facts = await stat(file).catch((cause: unknown) => {
    throw new FettleError(
      'FETTLE_INPUT_READ',
      `Reading the register ${file} failed: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    )
  })
  if (!facts.isFile()) throw new FettleError('FETTLE_INPUT_READ', `${file} is not a regular file`)
  return facts.mtime.toISOString().slice(0, 10)
}

/** Counts the rows that are not taken, and names the first. */
function makeSkipped() {
  const skippedRows: SkippedRow[] = []
  const facts = { skipped: 0, skippedRows }
  const skip = (row: SkippedRow): void => {
    facts.skipped++
    if (skippedRows.length < NAMED_ROWS) skippedRows.push(row)
  }
  return { facts, skip }
}

/** Writes the officers of companies whose connectIds are known by now. */
async function importOfficers(
  source: string,
  folder: string,
  name: string,
  connectIds: ReadonlyMap<string, string>,
): Promise<OfficersInfo> {
  const { facts: skipped, skip } = makeSkipped()
  const facts = { sha256: '', bytes: 0 }
  const [file, index] = [`officers-${name}.jsonl`, `officers-${name}.index`]
  const officers = await writeOfficers(folder, file, index, readOfficers(source, connectIds, facts, skip))
  return { source: basename(source), officers, ...skipped, ...facts, file, index }
}

/**
 * Imports a register CSV, and its officers' when there is one. A kill at any point leaves the register as it was before; a second
 * import replaces it in one step, officers included.
 * @throws FettleError FETTLE_INPUT_… for the source, FETTLE_OUTPUT_WRITE for the register's folder, FETTLE_USAGE for a bad name
 */
export async function importCsv(request: ImportRequest): Promise<RegisterInfo> {
  const folder = folderOf(request.dir, request.name)
  const changed = await changedOn(request.file)
  if (request.officers !== undefined) await changedOn(request.officers)
  const facts = { sha256: '', bytes: 0 }
  const countries: Record<string, number> = {}
  const { facts: skipped, skip } = makeSkipped()
  const connectIds = new Map<string, string>()
  let companies = 0
  let officers: OfficersInfo | null = null

  await makeFolder(folder)
  // A fresh name each time: the info.json of an earlier import keeps pointing at that import's files until it is replaced.
  const fresh = randomUUID().slice(0, 8)
  const file = `companies-${fresh}.jsonl`
  try {
    await writeWhole(folder, file, async handle => {
      let batch = ''
      for await (const company of readCompanies(request.file, facts, skip)) {
        companies++
        countries[company.country] = (countries[company.country] ?? 0) + 1
        if (request.officers !== undefined) connectIds.set(company.id, company.connectId)
        batch += `${JSON.stringify(company)}\n`
        if (batch.length > BATCH) {
          await handle.appendFile(batch)
          batch = ''
        }
        if ((companies + skipped.skipped) % PROGRESS_ROWS === 0) request.onProgress?.(companies + skipped.skipped)
      }
      await handle.appendFile(batch)
    })
    if (request.officers !== undefined) officers = await importOfficers(request.officers, folder, fresh, connectIds)
  } catch (error) {
    // A folder that holds no earlier import goes again; one that does is not empty and stays.
    await rm(join(folder, file), { force: true })
    await rmdir(folder).catch(() => {})
    throw FettleError.is(error) ? error : writeError(folder, error)
  }
  const info: RegisterInfo = {
    name: request.name,
    source: basename(request.file),
    kind: 'csv',
    importedAt: request.now.toISOString(),
    snapshotDate: request.snapshotDate ?? changed,
    companies,
    ...skipped,
    countries,
    ...facts,
    file,
    ...(officers === null ? {} : { officers }),
  }
  await publish(folder, info)
  return info
}
