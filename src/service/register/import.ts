/**
 * A register CSV taken in: streamed into a file of companies, then published with what is known about it. Knows the order of the
 * steps; reading is csv.ts, publishing files.ts.
 */
import { randomUUID } from 'node:crypto'
import { rmdir, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { FettleError } from '../../errors.ts'
import { readCompanies } from './csv.ts'
import { folderOf, makeFolder, publish, type RegisterInfo, type SkippedRow, writeError, writeWhole } from './files.ts'

/** What to import, and where to. */
export interface ImportRequest {
  /** Path of the CSV. */
  readonly file: string
  /** Name of the register, 1 to 40 of a–z, 0–9 and hyphen; one that exists is replaced. */
  readonly name: string
  /** Folder that holds the registers. */
  readonly dir: string
  readonly now: Date
  /** Day the data was taken, `2026-01-31`; the day of the file's last change when absent. */
  readonly snapshotDate?: string
  /** Told the rows read so far, every 10,000 rows. */
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

/**
 * Imports a register CSV. A kill at any point leaves the register as it was before; a second import replaces it in one step.
 * @throws FettleError FETTLE_INPUT_… for the source, FETTLE_OUTPUT_WRITE for the register's folder, FETTLE_USAGE for a bad name
 */
export async function importCsv(request: ImportRequest): Promise<RegisterInfo> {
  const folder = folderOf(request.dir, request.name)
  const changed = await changedOn(request.file)
  const facts = { sha256: '', bytes: 0 }
  const countries: Record<string, number> = {}
  const named: SkippedRow[] = []
  let companies = 0
  let skipped = 0
  const skip = (row: SkippedRow): void => {
    skipped++
    if (named.length < NAMED_ROWS) named.push(row)
  }

  await makeFolder(folder)
  // A fresh name each time: the info.json of an earlier import keeps pointing at that import's file until it is replaced.
  const file = `companies-${randomUUID().slice(0, 8)}.jsonl`
  try {
    await writeWhole(folder, file, async handle => {
      let batch = ''
      for await (const company of readCompanies(request.file, facts, skip)) {
        companies++
        countries[company.country] = (countries[company.country] ?? 0) + 1
        batch += `${JSON.stringify(company)}\n`
        if (batch.length > BATCH) {
          await handle.appendFile(batch)
          batch = ''
        }
        if ((companies + skipped) % PROGRESS_ROWS === 0) request.onProgress?.(companies + skipped)
      }
      await handle.appendFile(batch)
    })
  } catch (error) {
    // A folder that holds no earlier import goes again; one that does is not empty and stays.
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
    skipped,
    skippedRows: named,
    countries,
    ...facts,
    file,
  }
  await publish(folder, info)
  return info
}
