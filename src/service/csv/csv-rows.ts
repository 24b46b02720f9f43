/** The CSV of every file the service reads: RFC 4180 quotes, blank lines skipped, a byte order mark removed, strictly UTF-8. */
import { pipeline } from 'node:stream/promises'
import { CsvError, type Options, parse } from 'csv-parse'
import { FettleError } from '../../errors.ts'

/** Parses the bytes of a source. A failure of the source or of the CSV is thrown where the rows are read. */
export async function* parseRows<Row>(source: AsyncIterable<Uint8Array>, options: Options): AsyncGenerator<Row> {
  const parser = parse({ bom: true, skip_empty_lines: true, ...options })
  const feeding = pipeline(source, parser)
  // The iteration below throws the same error; this only keeps it from being reported as unhandled.
  feeding.catch(() => {})
  for await (const row of parser) yield row as Row
  await feeding
}

/** Passes the bytes on. Throws ERR_ENCODING_INVALID_ENCODED_DATA where they are not UTF-8. */
export async function* requireUtf8(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of source) {
    decoder.decode(chunk, { stream: true })
    yield chunk
  }
  decoder.decode()
}

/** Turns an error of reading an imported file into a FettleError. `linesBefore` is where counting lines started. */
export function importReadError(kind: 'register' | 'list', file: string, error: unknown, linesBefore = 0): FettleError {
  if (FettleError.is(error)) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const isMissing = 'code' in cause && cause.code === 'ENOENT'
  const message = `Reading the ${kind} ${file} failed: ${isMissing ? 'there is no such file' : cause.message}`
  if (cause instanceof CsvError) {
    const offset = linesBefore === 0 ? '' : ` (lines counted from line ${linesBefore + 1})`
    return new FettleError('FETTLE_INPUT_QUOTE', message + offset, { cause, hint: 'Fix the line named in the message.' })
  }
  if ('code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new FettleError('FETTLE_INPUT_ENCODING', `${file} is not UTF-8`, {
      cause,
      hint: 'Download it again, or save it as CSV UTF-8.',
    })
  }
  return new FettleError('FETTLE_INPUT_READ', message, { cause })
}
