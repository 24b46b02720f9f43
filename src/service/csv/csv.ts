/**
 * The service's own reading of an uploaded file: UTF-8, one delimiter, RFC 4180, blank lines skipped. Whatever does not read
 * cleanly is refused with its line, never repaired, so that a row count is never wrong (faults H36).
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

/** How a file is read. */
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
 * The records of a file in order, header included, cells as they stand. Throws a CsvFault at the first record that is not
 * well formed or does not have as many cells as the first one.
 */
export async function* readRecords(path: string, limits: Limits): AsyncGenerator<string[]> {
  const source = checkText(createReadStream(path, { highWaterMark: 256 * 1024 }))
  let records = 0
  try {
    for await (const cells of parseRows<string[]>(source, await dialectOf(path, limits))) {
      records += 1
      if (cells.length > limits.columns) {
        throw new CsvFault(`record ${records}: there are ${cells.length} columns; ${limits.columns} are allowed`)
      }
      if (records > limits.rows) throw new CsvFault(`record ${records}: there are more than the ${limits.rows} allowed`)
      yield cells
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED') throw new CsvFault(error.message)
    // The parser names the line where the file ends, which helps nobody.
    throw new CsvFault(
      `line ${await lineAfter(path, limits, Number(error.records))}: a quote that opens in this record is never closed`,
    )
  }
}

/** The line on which the record begins that follows so many whole ones. */
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
