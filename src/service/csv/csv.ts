/**
 * Reads the CSV of every file that the service gets: RFC 4180 quotes, blank lines skipped, a byte order mark removed, strictly UTF-8. An
 * uploaded file with a fault is rejected with its line and never repaired, so that row counts are exact (faults H36).
 */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { CsvError, type Options, parse } from 'csv-parse'
import { FettleError } from '../../errors.ts'
import type { Limits } from '../limits.ts'

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

/** The file cannot be read; the message names the line and the reason. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

const LF = 10

/** Counts line feeds; a lone CR does not end a line, as in most editors. */
function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1
  return lines
}

function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes.at(-back) ?? 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length
    if (byte < 0x80) break
  }
  return bytes.length
}

/** Passes the bytes on. Throws a CsvFault at the first line that holds a NUL or is not UTF-8. */
async function* checkText(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let lines = 0
  let rest: Buffer = Buffer.alloc(0)
  const check = (bytes: Buffer): Buffer => {
    if (!bytes.includes(0) && isUtf8(bytes)) {
      lines += countLines(bytes)
      return bytes
    }
    for (let start = 0; start < bytes.length; lines += 1) {
      const end = bytes.indexOf(LF, start) + 1
      const line = bytes.subarray(start, end === 0 ? bytes.length : end)
      if (line.includes(0)) throw new CsvFault(`line ${lines + 1}: the file is not text: it has a NUL byte`)
      if (!isUtf8(line)) throw new CsvFault(`line ${lines + 1}: the file is not UTF-8`)
      start += line.length
    }
    return bytes
  }
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const complete = completeLength(bytes)
    rest = bytes.subarray(complete)
    yield check(bytes.subarray(0, complete))
  }
  if (rest.length > 0) yield check(rest)
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const SAMPLE_BYTES = 64 * 1024
const SAMPLE_RECORDS = 20

/** The number of cells of the first records of the sample, for one delimiter. */
function widths(sample: string, delimiter: string): number[] {
  const found: number[] = []
  let cells = 1
  let quoted = false
  let empty = true
  for (const character of sample) {
    if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === delimiter) cells += 1
    else if (character === '\n' || character === '\r') {
      if (!empty) found.push(cells)
      if (found.length === SAMPLE_RECORDS) return found
      cells = 1
      empty = true
      continue
    }
    empty = false
  }
  // The sample may end inside a record, so the last one counts only when it is the only one.
  return found.length === 0 && !empty ? [cells] : found
}

/**
 * The delimiter of a sample: of `,` `;` tab and `|` the one that gives every record the same number of cells, the largest number
 * first; else the most frequent one in the first record; else a comma.
 */
export function sniffDelimiter(sample: string): string {
  let best = { delimiter: ',', even: false, cells: 1 }
  for (const delimiter of DELIMITERS) {
    const [first = 1, ...others] = widths(sample, delimiter)
    if (first === 1) continue
    const even = others.every(cells => cells === first)
    if ((even && !best.even) || (even === best.even && first > best.cells)) best = { delimiter, even, cells: first }
  }
  return best.delimiter
}

const readDialect = async (path: string, limits: Limits) => ({
  delimiter: sniffDelimiter(await readSample(path)),
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: limits.recordBytes,
})

async function readSample(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    return new TextDecoder().decode(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/**
 * The records of a file in order, header included, cells unchanged. Throws a CsvFault at the first record that is not well formed or
 * has another number of cells than the first one.
 */
export async function* readRecords(path: string, limits: Limits): AsyncGenerator<string[]> {
  const source = checkText(createReadStream(path, { highWaterMark: 256 * 1024 }))
  let records = 0
  try {
    for await (const cells of parseRows<string[]>(source, await readDialect(path, limits))) {
      records += 1
      if (cells.length > limits.columns) {
        throw new CsvFault(`record ${records}: ${cells.length} columns; ${limits.columns} are allowed`)
      }
      if (records > limits.rows) throw new CsvFault(`record ${records}: more than the ${limits.rows} allowed records`)
      yield cells
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED') throw new CsvFault(error.message)
    // The parser names the last line of the file instead of the line of the quote.
    const line = await lineAfter(path, limits, Number(error.records))
    throw new CsvFault(`line ${line}: a quote that opens in this record is never closed`)
  }
}

/** The first line of the record after `records` complete ones. */
async function lineAfter(path: string, limits: Limits, records: number): Promise<number> {
  if (records === 0) return 1
  const options = { ...(await readDialect(path, limits)), info: true }
  let [line, seen] = [1, 0]
  for await (const { info } of parseRows<{ info: { lines: number } }>(createReadStream(path), options)) {
    line = info.lines + 1
    if (++seen === records) break
  }
  return line
}

/** Number of cells of the first record; null when it is missing or cannot be read. */
export async function countColumns(path: string, limits: Limits): Promise<number | null> {
  try {
    for await (const record of readRecords(path, limits)) return record.length
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
  }
  return null
}

/** Column names of a file without a header: COLUMN A, COLUMN B … COLUMN AA (contract §5.4). */
export function columnName(index: number): string {
  let letters = ''
  for (let rest = index; rest >= 0; rest = Math.floor(rest / 26) - 1) letters = String.fromCharCode(65 + (rest % 26)) + letters
  return `COLUMN ${letters}`
}

/** A line of CSV (RFC 4180) that ends in LF; quotes only cells that need it. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map(cell => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
