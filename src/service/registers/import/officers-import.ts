/** Imports the officers of a register with its companies. */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Company } from '../../matching/index.ts'
import type { Taken } from '../../storage/published-folders.ts'
import type { OfficersInfo, SkippedRow } from '../files.ts'
import { readOfficers } from '../officer.ts'
import { writeOfficers } from '../officers-file.ts'
import { linesOf } from './lines.ts'
import { sourceFacts } from './source.ts'

const MAX_SKIPPED_ROWS = 20

/**
 * Writes the officers of the companies in a file of companies. `key` makes the file names unique; `accept` throws for too few officers.
 * @throws FettleError FETTLE_INPUT_… for the source
 */
export async function importOfficers(
  source: string,
  folder: string,
  key: string,
  companies: string,
  accept: (found: Pick<Taken, 'now' | 'skipped' | 'skippedRows'>) => void,
): Promise<OfficersInfo> {
  const { sha256, bytes } = await sourceFacts(source)
  const connectIds = new Map<string, string>()
  for await (const { text } of linesOf(companies)) {
    const { id, connectId } = JSON.parse(text) as Company
    connectIds.set(id, connectId)
  }
  const skippedRows: SkippedRow[] = []
  let skipped = 0
  const skip = (row: SkippedRow): void => {
    skipped++
    if (skippedRows.length < MAX_SKIPPED_ROWS) skippedRows.push(row)
  }
  const [file, index] = [`officers-${key}.jsonl`, `officers-${key}.index`]
  try {
    const officers = await writeOfficers(folder, file, index, readOfficers(source, connectIds, skip))
    accept({ now: officers, skipped, skippedRows })
    return { source: basename(source), officers, skipped, skippedRows, sha256, bytes, file, index }
  } catch (error) {
    for (const one of [file, index]) await rm(join(folder, one), { force: true })
    throw error
  }
}
