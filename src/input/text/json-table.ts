/**
 * Reads JSON lines as a table: the keys of all records are its columns, in the order in which they first occur, and each record is a
 * row. The table is the text of a CSV, so that every reader of an input reads it.
 */
import { FettleError } from '../../errors.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { Packing } from '../../pipeline/model/types.ts'

const BATCH = 500
const LINE_FEED = 10
const MAX_COLUMNS = 10_000
const ONE_RECORD = 'Write one record a line, such as {"name": "Acme Ltd"}.'
/** A line of more bytes than this is a JSON document rather than a record. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** `numbers`, `booleans`: the columns (from 0) whose values are all of this type; absent for none. */
type JsonColumns = Pick<Extract<Packing, { as: 'jsonl' }>, 'columns' | 'numbers' | 'booleans'>

type Pieces = AsyncIterable<Buffer>
type JsonRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the first line of a text is one complete record. */
export function isJsonLines(head: Buffer): boolean {
  const text = head.toString().replace(/^\ufeff?\s*/, '')
  if (!text.startsWith('{')) return false
  try {
    return isRecord(JSON.parse(text.split('\n', 1)[0]!))
  } catch {
    return false
  }
}

/** The columns of a text, which is read to its end. Throws FETTLE_INPUT_FIELDS, FETTLE_INPUT_ENCODING, FETTLE_INPUT_LIMIT. */
export async function jsonColumns(pieces: Pieces, path: string): Promise<JsonColumns> {
  /** The types of the values of each column. */
  const types = new Map<string, Set<string>>()
  for await (const { record } of readRecords(pieces, path))
    for (const [name, value] of Object.entries(record)) {
      const known = types.get(name) ?? new Set()
      types.set(name, known)
      if (value !== null) known.add(typeof value)
    }
  if (types.size > MAX_COLUMNS)
    throw new FettleError('FETTLE_INPUT_LIMIT', `${path} has records of ${types.size} different keys, more than ${MAX_COLUMNS}`)
  const only = (type: string): number[] | undefined => {
    const found = [...types.values()].flatMap((known, at) => (known.size === 1 && known.has(type) ? [at] : []))
    return found.length === 0 ? undefined : found
  }
  return { columns: [...types.keys()], numbers: only('number'), booleans: only('boolean') }
}

/** The text as CSV, with a header. */
export async function* jsonTable(pieces: Pieces, path: string, { columns }: JsonColumns): AsyncGenerator<Buffer, void, void> {
  const style = { delimiter: ',', lineEnd: '\n', columns: columns.length }
  let batch: string[][] = [[...columns]]
  for await (const { record } of readRecords(pieces, path)) {
    batch.push(columns.map(name => (Object.hasOwn(record, name) ? formatCell(record[name]) : '')))
    if (batch.length < BATCH) continue
    yield Buffer.from(csvText(batch, style))
    batch = []
  }
  yield Buffer.from(csvText(batch, style))
}

/** The lines (from 1) of data rows (from 1, ascending). */
export async function findJsonLines(pieces: Pieces, path: string, rows: readonly number[]): Promise<number[]> {
  const lines: number[] = []
  let row = 0
  for await (const { line } of readRecords(pieces, path)) {
    if (rows[lines.length] === ++row) lines.push(line)
    if (lines.length === rows.length) break
  }
  return lines
}

/** A list or a record in a cell stays JSON. */
const formatCell = (value: unknown): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

async function* readRecords(pieces: Pieces, path: string): AsyncGenerator<{ record: JsonRecord; line: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 0
  for await (const bytes of readLines(pieces, path)) {
    line++
    const refuse = (code: 'FETTLE_INPUT_FIELDS' | 'FETTLE_INPUT_ENCODING', why: string, hint: string): FettleError =>
      new FettleError(code, `${path}, line ${line}: ${why}`, { at: { file: path, line, column: null }, hint })
    let text: string
    try {
      text = decoder.decode(bytes)
    } catch {
      throw refuse('FETTLE_INPUT_ENCODING', 'is not UTF-8', 'Write JSON lines in UTF-8.')
    }
    if (text.trim() === '') continue
    let record: unknown
    try {
      record = JSON.parse(text)
    } catch {
      throw refuse('FETTLE_INPUT_FIELDS', 'is not JSON', ONE_RECORD)
    }
    if (!isRecord(record)) throw refuse('FETTLE_INPUT_FIELDS', 'is not a record with keys', ONE_RECORD)
    for (const [name, value] of Object.entries(record))
      if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
        const why = `the number of ${JSON.stringify(name)} has more digits than a number of JSON keeps`
        throw refuse('FETTLE_INPUT_FIELDS', why, 'Write it in quotes.')
      }
    yield { record, line }
  }
}

async function* readLines(pieces: Pieces, path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let size = 0
  for await (const piece of pieces) {
    let from = 0
    for (let to = piece.indexOf(LINE_FEED); to !== -1; to = piece.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...rest, piece.subarray(from, to)])
      rest = []
      size = 0
      from = to + 1
    }
    if (from === piece.length) continue
    // A piece is valid until the next one is read.
    rest.push(Buffer.from(piece.subarray(from)))
    size += piece.length - from
    if (size > MAX_LINE_BYTES)
      throw new FettleError('FETTLE_INPUT_LIMIT', `${path} has a line of more than ${MAX_LINE_BYTES} bytes`, {
        hint: 'Write one record a line.',
      })
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}
