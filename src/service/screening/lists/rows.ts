/**
 * A published list as rows with named cells: UTF-8, comma, RFC 4180 quotes, streamed and digested on the way. It knows no list; who
 * reads one says which columns it cannot do without.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { FettleError } from '../../../errors.ts'
import { importReadError, parseRows, requireUtf8 } from '../../csv/csv-rows.ts'

/** What the file as a whole was, known once it is read to its end. */
export interface SourceFacts {
  sha256: string
  bytes: number
}

/** A row that was not taken. */
export interface SkippedRow {
  /** Line of the file on which the row ends, from 1; null where it is no longer known. */
  readonly line: number | null
  readonly why: string
}

/** One row: the text under a header, '' for a column the file does not have. */
export interface ListRow {
  readonly line: number
  cell(column: string): string
}

/** A file to read, where its facts go, and who is told of rows that cannot be taken. */
export interface ListSource {
  readonly file: string
  readonly facts: SourceFacts
  readonly skip: (row: SkippedRow) => void
}

/** Lines before the header that are looked at: the British list says first when it was made. */
const PREAMBLE = 3

async function* readDigested(file: string, facts: SourceFacts): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    digest.update(chunk)
    facts.bytes += chunk.length
    yield chunk
  }
  facts.sha256 = digest.digest('hex')
}

const keyOf = (header: string): string => header.trim().toLowerCase().replace(/\s+/g, ' ')

/** Positions by header; null when the row is not the header, since it lacks a column of `needed`. */
function readHeader(record: readonly string[], needed: readonly string[]): ReadonlyMap<string, number> | null {
  const found = new Map<string, number>()
  for (const [at, header] of record.entries()) if (!found.has(keyOf(header))) found.set(keyOf(header), at)
  return needed.every(column => found.has(keyOf(column))) ? found : null
}

/**
 * The rows below the header, which must hold every column of `needed` (in any case and order). Rows of another width go to `skip`.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE, FETTLE_INPUT_HEADER, FETTLE_INPUT_EMPTY
 */
export async function* readRows({ file, facts, skip }: ListSource, needed: readonly string[]): AsyncGenerator<ListRow> {
  type Parsed = { record: string[]; info: { lines: number } }
  const source = requireUtf8(readDigested(file, facts))
  let columns: ReadonlyMap<string, number> | null = null
  let width = 0
  let before = 0
  try {
    for await (const { record, info } of parseRows<Parsed>(source, { info: true, relax_column_count: true })) {
      if (columns === null) {
        columns = readHeader(record, needed)
        width = record.length
        before++
        if (columns === null && before > PREAMBLE) break
        continue
      }
      if (record.length !== width) {
        skip({ line: info.lines, why: `${record.length} cells where the header has ${width}` })
        continue
      }
      const at = columns
      yield { line: info.lines, cell: column => record[at.get(keyOf(column)) ?? -1]?.trim() ?? '' }
    }
  } catch (error) {
    throw importReadError('list', file, error)
  }
  if (columns !== null) return
  if (before === 0) throw new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, { hint: 'A list begins with a header.' })
  throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} is not that of such a list`, {
    hint: `It needs the columns ${needed.join(', ')}.`,
  })
}
