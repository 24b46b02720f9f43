/**
 * A CSV table of a register, row by row: strictly UTF-8, comma, RFC 4180 quotes, a header in any case and order; bad rows set aside
 * with their line. Knows no column's meaning; writes nothing.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { FettleError } from '../../errors.ts'
import type { SkippedRow } from './files.ts'

/** What the file as a whole was, known once it is read to its end. */
export interface SourceFacts {
  sha256: string
  bytes: number
}

/** The columns a table may have, and those it must. */
export interface TableForm<Column extends string> {
  readonly columns: readonly Column[]
  readonly needed: readonly Column[]
}

/** One row. */
export interface TableRow<Column extends string> {
  /** Counted from 1 below the header. */
  readonly row: number
  /** Line of the file on which it ends. */
  readonly line: number
  /** The trimmed cell of a column; '' for a column that the file does not have. */
  readonly cell: (column: Column) => string
}

/** The file's text, while its bytes are counted and digested. */
async function* readText(file: string, facts: SourceFacts): AsyncGenerator<string> {
  const digest = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of createReadStream(file)) {
    digest.update(chunk)
    facts.bytes += chunk.length
    yield decoder.decode(chunk, { stream: true })
  }
  yield decoder.decode()
  facts.sha256 = digest.digest('hex')
}

/** Position of each known column; other columns are ignored. Throws when one that is needed is missing or a known one stands twice. */
function readHeader<Column extends string>(
  file: string,
  header: readonly string[],
  { columns, needed }: TableForm<Column>,
): ReadonlyMap<Column, number> {
  const known = new Map<string, Column>(columns.map(column => [column.toLowerCase(), column]))
  const found = new Map<Column, number>()
  for (const [at, cell] of header.entries()) {
    const column = known.get(cell.trim().toLowerCase())
    if (column === undefined) continue
    if (found.has(column)) throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has the column ${column} twice`)
    found.set(column, at)
  }
  const missing = needed.find(column => !found.has(column))
  if (missing !== undefined) {
    throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has no column ${missing}`, {
      hint: `The columns are ${columns.join(',')}.`,
    })
  }
  return found
}

/** An error of reading or parsing as one of ours. */
function readError(file: string, error: unknown): unknown {
  if (FettleError.is(error)) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const message = `Reading the register ${file} failed: ${cause.message}`
  if (cause instanceof CsvError) {
    return new FettleError('FETTLE_INPUT_QUOTE', message, { cause, hint: 'Mend the line named.' })
  }
  if ('code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new FettleError('FETTLE_INPUT_ENCODING', `${file} is not UTF-8`, { cause, hint: 'Save it as CSV UTF-8.' })
  }
  return new FettleError('FETTLE_INPUT_READ', message, { cause })
}

/**
 * Reads the rows in file order. Those with more or fewer cells than the header go to `skip`. `facts` is complete when the generator
 * ends.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE, FETTLE_INPUT_HEADER, FETTLE_INPUT_EMPTY
 */
export async function* readTable<Column extends string>(
  file: string,
  form: TableForm<Column>,
  facts: SourceFacts,
  skip: (row: SkippedRow) => void,
): AsyncGenerator<TableRow<Column>> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true })
  const feeding = pipeline(Readable.from(readText(file, facts)), parser)
  // The parser's own iteration reports the failure; this only keeps it from being reported twice.
  feeding.catch(() => {})
  let width = 0
  let columns: ReadonlyMap<Column, number> | null = null
  let row = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns === null) {
        columns = readHeader(file, record, form)
        width = record.length
        continue
      }
      row++
      const at = columns
      if (record.length === width) yield { row, line: info.lines, cell: column => record[at.get(column) ?? -1]?.trim() ?? '' }
      else skip({ line: info.lines, why: `${record.length} cells where the header has ${width}` })
    }
    await feeding
  } catch (error) {
    throw readError(file, error)
  }
  if (columns === null)
    throw new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, {
      hint: `A register CSV begins with the header ${form.columns.join(',')}.`,
    })
}
