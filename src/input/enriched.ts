/**
 * The enriched file as rows: which column is which, and what became of a row. Columns are found by name, never by position,
 * since the service may put more of them in (contract §14.1). It writes nothing.
 */
import { open } from 'node:fs/promises'
import type { Options } from 'csv-parse'
import { FettleError } from '../errors.ts'
import type { Plan } from '../pipeline/types.ts'
import { filePieces, isOfDisk, READ_BYTES, readHead } from './pieces.ts'
import { enrichedDelimiter, enrichedPath } from './receive.ts'
import { parseRows, parserOptions } from './records.ts'
import { sentColumns, sentHeader } from './sent-row.ts'

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

/** Finds columns of an enriched file by name. */
export interface EnrichedColumns {
  readonly header: readonly string[]
  /** The file begins with the input's own columns. */
  readonly repeatsInput: boolean
  /** Index of an added column, -1 when the file has none of this name. */
  find(name: string): number
}

/** The columns that name the company found, as contract §5.7 calls them. */
export const COMPANY_TAGS = ['general.connectId', 'general.safeNumber'] as const

/** Of rows that have no answer. */
export const NO_COLUMNS: EnrichedColumns = { header: [], repeatsInput: false, find: () => -1 }

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
  const pieces = filePieces(path, cause => lost(path, cause))
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
  return { columns: locate(first.value, plan), rows, delimiter, place: () => place, close }
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

function locate(header: readonly string[], plan: Plan): EnrichedColumns {
  const sent = sentHeader(plan)
  const columns = sentColumns(plan)
  const repeatsInput = sent === null ? header.length > columns : sent.every((cell, at) => header[at]?.trim() === cell.trim())
  const places = new Map<string, number>()
  for (let at = header.length - 1; at >= (repeatsInput ? columns : 0); at--) places.set(header[at]!, at)
  return { header, repeatsInput, find: name => places.get(name) ?? -1 }
}

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

/**
 * Checks that row `number` of the enriched file is that row of the input: by `general.rowNumber` where there is one, and where
 * the file repeats the input by the key and by most of its cells. Throws FETTLE_LEDGER.
 */
export function alignment(plan: Plan, columns: EnrichedColumns, rowsBefore: number) {
  const numberAt = columns.find('general.rowNumber')
  const nameAt = plan.mappings.find(({ mapping }) => mapping === 'name')?.index
  let base: number | null = null
  return (number: number, enriched: readonly string[], sent: readonly string[]): void => {
    if (numberAt !== -1) {
      const said = Number(enriched[numberAt])
      // Whether rows are counted from 0 or 1, with the header or without it, over the part or the run, is not documented.
      base ??= said - number
      const isKnownBase = base >= -1 - rowsBefore && base <= 1
      if (!isKnownBase || said - number !== base) throw astray(number, `it says it is row ${enriched[numberAt]}`)
    }
    if (!columns.repeatsInput) return
    const differs = (at: number): boolean => tidy(enriched[at]) !== tidy(sent[at])
    if (plan.key !== null && differs(plan.key.index)) throw astray(number, 'its key is not the one that was sent')
    // A service may tidy a cell it repeats; another row shows in most of them, though a country or a town may be the same.
    const filled = sent.flatMap((cell, at) => (cell.trim() === '' ? [] : [at]))
    const strange = filled.filter(differs).length
    // Columns that are alike in every row prove nothing: a name that is another one does, when it is not the only change.
    const isOtherName = strange > 1 && nameAt !== undefined && filled.includes(nameAt) && differs(nameAt)
    if (strange > 0 && (isOtherName || strange * 2 >= filled.length))
      throw astray(number, `${strange} of its ${filled.length} cells are not the ones that were sent`)
  }
}

/** A cell with what a service may have tidied in it left out. */
const tidy = (cell = ''): string => cell.trim().replace(/\s+/g, ' ').toLowerCase()

const astray = (number: number, why: string): FettleError =>
  new FettleError('FETTLE_LEDGER', `row ${number} of the enriched file is not row ${number} of the input: ${why}`)
