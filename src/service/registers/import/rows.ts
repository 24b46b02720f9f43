/**
 * The rows of a register's source, UTF-8, comma, RFC 4180 quotes, each with its place, so that reading can be taken up there again.
 * Knows no column.
 */
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { FettleError } from '../../../errors.ts'
import { openSource, readFault } from './source.ts'

/** A place between two rows. */
export interface Place {
  /** Bytes of the unpacked table before it. */
  readonly bytes: number
  /** Lines before it. */
  readonly lines: number
}

/** One row as it stands. */
export interface Row {
  readonly cells: readonly string[]
  /** Where the row ends; `lines` is also the number of its last line. */
  readonly end: Place
}

/** The bytes from a place on, strictly UTF-8. */
async function* readText(file: string, from: number): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let before = 0
  for await (const chunk of (await openSource(file)) as AsyncIterable<Buffer>) {
    const skipped = Math.min(chunk.length, Math.max(0, from - before))
    before += chunk.length
    if (skipped === chunk.length) continue
    const rest = chunk.subarray(skipped)
    decoder.decode(rest, { stream: true })
    yield rest
  }
  decoder.decode()
}

/** An error of reading or parsing as one of ours. */
function readError(file: string, error: unknown, lines: number): unknown {
  if (FettleError.is(error)) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  if (cause instanceof CsvError) {
    const told = lines === 0 ? '' : ` (lines counted from line ${lines + 1})`
    return new FettleError('FETTLE_INPUT_QUOTE', `Reading the register ${file} failed: ${cause.message}${told}`, {
      cause,
      hint: 'Mend the line named.',
    })
  }
  if ('code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new FettleError('FETTLE_INPUT_ENCODING', `${file} is not UTF-8`, { cause, hint: 'Save it as CSV UTF-8.' })
  }
  return readFault(file, cause)
}

/**
 * The rows of a source from a place on.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_KIND, FETTLE_INPUT_ENCODING, FETTLE_INPUT_QUOTE
 */
export async function* readRows(file: string, from: Place): AsyncGenerator<Row> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true })
  const feeding = pipeline(readText(file, from.bytes), parser)
  // The parser's own iteration reports the failure; this only keeps it from being reported twice.
  feeding.catch(() => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number; bytes: number } }>) {
      yield { cells: record, end: { bytes: from.bytes + info.bytes, lines: from.lines + info.lines } }
    }
    await feeding
  } catch (error) {
    throw readError(file, error, from.lines)
  }
}

/** Why a row is not taken that is wider or narrower than the header. */
export const wrongWidth = (cells: number, width: number): string => `${cells} cells where the header has ${width}`

/** The error for a source without even a header. */
export const emptySource = (file: string, { header }: { readonly header: string }): FettleError =>
  new FettleError('FETTLE_INPUT_EMPTY', `${file} is empty`, {
    hint: `A file of this kind begins with a header such as ${header}.`,
  })
