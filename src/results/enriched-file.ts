/**
 * The enriched file as rows, and what became of each of them. It writes nothing.
 */
import { open } from 'node:fs/promises'
import type { Options } from 'csv-parse'
import { FettleError } from '../errors.ts'
import { fileChunks, isOfDisk, READ_BYTES, readHead } from '../files/file-chunks.ts'
import { parseRows, parserOptions } from '../input/table/records.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { type EnrichedColumns, locateColumns, NO_COLUMNS } from './enriched-columns.ts'
import { enrichedPath } from './file-names.ts'
import { enrichedDelimiter } from './receive.ts'

/** What became of one row. */
export type RowOutcome = 'matched' | 'manualMatched' | 'review' | 'unmatched' | 'duplicate' | 'failed'

const OUTCOMES: ReadonlySet<string> = new Set<RowOutcome>([
  'matched',
  'manualMatched',
  'review',
  'unmatched',
  'duplicate',
  'failed',
])

/** The columns that name the company found, as contract §5.7 calls them. */
export const COMPANY_TAGS = ['general.connectId', 'general.safeNumber'] as const

/** One part's file: its columns, and its rows in order. */
export interface EnrichedFile {
  readonly columns: EnrichedColumns
  readonly rows: AsyncIterator<readonly string[]>
  readonly delimiter: string
  /** Where the record read last ends in the file, in bytes; only where rows may be read again. */
  place(): number
  /** Lets go of the file; safe to call at any time. */
  close(): Promise<void>
}

/** In place of the file of a part that failed: so many empty rows. */
export function noFile(rows: number): EnrichedFile {
  async function* empty(): AsyncGenerator<readonly string[]> {
    for (let row = 0; row < rows; row++) yield []
  }
  return { columns: NO_COLUMNS, rows: empty(), delimiter: ',', place: () => 0, close: async () => {} }
}

/**
 * Opens the received file of a part; null when there is none. Throws FETTLE_LEDGER when it has no header, FETTLE_OUTPUT_WRITE
 * when our own disk does not give it back.
 */
export async function openEnriched(plan: Plan, workDir: string, part: number): Promise<EnrichedFile | null> {
  const path = enrichedPath(workDir, part)
  const head = await headOf(path)
  if (head === null) return null
  const delimiter = enrichedDelimiter(head, head.length < READ_BYTES)
  const pieces = fileChunks(path, cause => lost(path, cause))
  const options = { ...parserOptions(delimiter, 'relaxed'), bom: true }
  let place = 0
  const rows = plan.collapse
    ? placedRows(pieces, options, end => (place = end))
    : parseRows(pieces, options)[Symbol.asyncIterator]()
  const close = async (): Promise<void> => {
    await rows.return?.()
  }
  const first = await rows.next()
  if (first.done) throw new FettleError('FETTLE_LEDGER', `${path} is empty`)
  return { columns: locateColumns(first.value, plan), rows, delimiter, place: () => place, close }
}

/** Rows, and where each ends; a third slower than rows alone. */
async function* placedRows(
  pieces: AsyncIterable<Buffer>,
  options: Options,
  onRow: (end: number) => void,
): AsyncGenerator<string[]> {
  const records = parseRows(pieces, { ...options, info: true }) as AsyncIterable<unknown>
  for await (const one of records as AsyncIterable<{ record: string[]; info: { bytes: number } }>) {
    onRow(one.info.bytes)
    yield one.record
  }
}

async function headOf(path: string): Promise<Buffer | null> {
  try {
    const handle = await open(path)
    return await readHead(handle).finally(() => handle.close())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw isOfDisk(error) ? lost(path, error) : error
  }
}

const lost = (path: string, cause: Error): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${cause.message}`, { cause })

/** Tells what became of a row, by the best column the file has; `isTold` says whether that is `match.outcome` itself. */
export function outcomeReader(columns: EnrichedColumns): {
  isTold: boolean
  of(row: readonly string[], number: number): RowOutcome
} {
  const told = columns.find('match.outcome')
  if (told !== -1) {
    const of = (row: readonly string[], number: number): RowOutcome => {
      const outcome = row[told]!
      if (OUTCOMES.has(outcome)) return outcome as RowOutcome
      throw new FettleError(
        'FETTLE_LEDGER',
        `row ${number} of the enriched file has the outcome ${JSON.stringify(outcome)}, which is none`,
      )
    }
    return { isTold: true, of }
  }
  const duplicate = columns.find('general.duplicate')
  const ids = COMPANY_TAGS.map(name => columns.find(name))
  const of = (row: readonly string[]): RowOutcome => {
    if (/^(y|yes|true|1)$/i.test(row[duplicate] ?? '')) return 'duplicate'
    return ids.some(at => (row[at] ?? '').trim() !== '') ? 'matched' : 'unmatched'
  }
  return { isTold: false, of }
}
