/**
 * Reads the rows of a register's source, UTF-8, comma, RFC 4180 quotes. Each row has its position, from which reading can resume.
 */
import { FettleError } from '../../../errors.ts'
import { importReadError, parseRows, requireUtf8 } from '../../csv/csv.ts'
import { openSource } from './source.ts'

/** A position between two rows. */
export interface Position {
  /** Bytes of the uncompressed table before it. */
  readonly bytes: number
  /** Lines before it. */
  readonly lines: number
}

export interface Row {
  readonly cells: readonly string[]
  /** End of the row; `lines` is also the number of its last line. */
  readonly end: Position
}

/** The bytes from a position on. */
async function* readFrom(file: string, from: number): AsyncGenerator<Buffer> {
  let before = 0
  for await (const chunk of (await openSource(file)) as AsyncIterable<Buffer>) {
    const skipped = Math.min(chunk.length, Math.max(0, from - before))
    before += chunk.length
    if (skipped < chunk.length) yield chunk.subarray(skipped)
  }
}

/**
 * The rows of a source from a position on.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_KIND, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE
 */
export async function* readRows(file: string, from: Position): AsyncGenerator<Row> {
  type Parsed = { record: string[]; info: { lines: number; bytes: number } }
  const source = requireUtf8(readFrom(file, from.bytes))
  try {
    for await (const { record, info } of parseRows<Parsed>(source, { info: true, relax_column_count: true })) {
      yield { cells: record, end: { bytes: from.bytes + info.bytes, lines: from.lines + info.lines } }
    }
  } catch (error) {
    throw importReadError('register', file, error, from.lines)
  }
}

export const wrongWidth = (cells: number, width: number): string => `${cells} cells where the header has ${width}`

/** The error for a source without a header. */
export const emptySource = (file: string, { header }: { readonly header: string }): FettleError =>
  new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, {
    hint: `A file of this kind begins with a header such as ${header}.`,
  })
