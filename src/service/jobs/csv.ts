/**
 * The service's own reading of an uploaded file: UTF-8, one delimiter, RFC 4180, blank lines skipped. Whatever does not read
 * cleanly is refused with its line, never repaired, so that a row count is never wrong (faults H36).
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { Limits } from '../limits.ts'

/** The file is not one the service can read; the message says where and why. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const SAMPLE_BYTES = 64 * 1024
const SAMPLE_RECORDS = 20

/** Cells per record of the sample's first records, for one delimiter; quoted cells are passed over. */
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
  // The sample may end inside a record: only a lone one counts.
  return found.length === 0 && !empty ? [cells] : found
}

/**
 * The delimiter of a sample: of `,` `;` tab and `|` the one that gives every record the same number of cells, the more the
 * better; when none does, the one the first record has most of; a comma when there is only one column.
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

async function sampleOf(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    return new TextDecoder().decode(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** Passes the bytes on, and stops at the first that is not text. */
async function* checked(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let before = 0
  const decode = (chunk?: Buffer): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new CsvFault(`the file is not UTF-8: see the bytes after ${before}`)
    }
  }
  for await (const chunk of source) {
    const zero = chunk.indexOf(0)
    if (zero >= 0) throw new CsvFault(`the file is not text: byte ${before + zero} is NUL`)
    decode(chunk)
    before += chunk.length
    yield chunk
  }
  decode()
}

/**
 * The records of a file in order, header included, cells as they stand. Throws a CsvFault at the first record that is not
 * well formed or does not have as many cells as the first one.
 */
export async function* readRecords(path: string, limits: Limits): AsyncGenerator<string[]> {
  const parser = parse({
    delimiter: sniffDelimiter(await sampleOf(path)),
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    max_record_size: limits.recordBytes,
  })
  pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), checked, parser, () => {
    // Any failure surfaces in the loop below: the pipeline has destroyed the parser with it.
  })
  try {
    for await (const record of parser) {
      const cells = record as string[]
      if (cells.length > limits.columns) throw new CsvFault(`the file has ${cells.length} columns; ${limits.columns} are allowed`)
      yield cells
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The parser names the line where the file ends, which helps nobody.
    const open = error.code === 'CSV_QUOTE_NOT_CLOSED'
    throw new CsvFault(open ? `a quote that opens in record ${Number(error.records) + 1} is never closed` : error.message)
  }
}

/** Number of cells of the first record; null when it cannot be read or there is none. */
export async function countColumns(path: string, limits: Limits): Promise<number | null> {
  try {
    for await (const record of readRecords(path, limits)) return record.length
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
  }
  return null
}

/** Names of the columns of a file without a header: COLUMN A, COLUMN B … COLUMN AA (contract §5.4). */
export function columnName(index: number): string {
  let letters = ''
  for (let rest = index; rest >= 0; rest = Math.floor(rest / 26) - 1) letters = String.fromCharCode(65 + (rest % 26)) + letters
  return `COLUMN ${letters}`
}

/** One line of CSV, RFC 4180: quoted only where a cell needs it, ended by LF. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map(cell => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
