/**
 * Reads uploaded files: UTF-8, one delimiter, RFC 4180, blank lines skipped. A file with a fault is rejected with its line and
 * never repaired, so that row counts are exact (faults H36).
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { CsvError } from 'csv-parse'
import type { Limits } from '../limits.ts'
import { parseRows } from './csv-rows.ts'
import { CsvFault, checkText } from './csv-text.ts'

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

const dialectOf = async (path: string, limits: Limits) => ({
  delimiter: sniffDelimiter(await sampleOf(path)),
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: limits.recordBytes,
})

async function sampleOf(path: string): Promise<string> {
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
    for await (const cells of parseRows<string[]>(source, await dialectOf(path, limits))) {
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
    throw new CsvFault(
      `line ${await lineAfter(path, limits, Number(error.records))}: a quote that opens in this record is never closed`,
    )
  }
}

/** The first line of the record after `records` complete ones. */
async function lineAfter(path: string, limits: Limits, records: number): Promise<number> {
  if (records === 0) return 1
  const options = { ...(await dialectOf(path, limits)), info: true }
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
