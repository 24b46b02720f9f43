/**
 * Detects the delimiter of a table from its first 64 KiB, with the evidence. Exactly one delimiter: a list of them would read
 * `Acme, Ltd;01` as three cells without an error. Two that fit equally well are an error.
 */
import { RecordScanner } from '../scan/record-scanner.ts'

export const SAMPLE_BYTES = 65_536
const CANDIDATES = [',', ';', '\t', '|'] as const

/**
 * The line `sep=;` above the header, as Excel writes and reads it, of a table in UTF-8 without byte-order mark; null without one.
 * `bytes` include the line end.
 */
export function sepLine(head: Buffer): { readonly delimiter: string; readonly bytes: number } | null {
  const found = /^"?sep=([\x01-\x7e])"?(\r\n|\n|\r)/i.exec(head.subarray(0, 16).toString('latin1'))
  return found ? { delimiter: found[1]!, bytes: found[0].length } : null
}

export type Delimiter =
  | { readonly delimiter: string; readonly evidence: string }
  | { readonly delimiter: null; readonly reason: string }

interface Reading {
  readonly delimiter: string
  readonly width: number
  readonly agreeing: number
  readonly records: number
  readonly score: number
}

/** Detects the delimiter; `sample` is the head of the table in UTF-8, `isWhole` that nothing follows it. */
export function sniffDelimiter(sample: Buffer, isWhole: boolean): Delimiter {
  const readings = CANDIDATES.map(delimiter => read(sample, delimiter, isWhole)).sort((a, b) => b.score - a.score)
  const [first, second] = readings.filter(one => one.width > 1)
  if (first === undefined) return { delimiter: ',', evidence: 'none of "," ";" tab "|" in most records: one column' }
  if (second !== undefined && first.score - second.score < 0.05) {
    // A wide table is clear even if another character occurs once in every record; two readings of similar width are not.
    const [wide, narrow] = first.width >= second.width ? [first, second] : [second, first]
    if (wide.width - 1 < 3 * (narrow.width - 1))
      return { delimiter: null, reason: `${formatReading(first)}; ${formatReading(second)}` }
    return { delimiter: wide.delimiter, evidence: evidence(wide, readings) }
  }
  return { delimiter: first.delimiter, evidence: evidence(first, readings) }
}

/** How each candidate would read the sample, `"," none; ";" 4 in every one of 20 records …`; null if none finds columns. */
export function otherReadings(sample: Buffer, isWhole: boolean): string | null {
  const readings = CANDIDATES.map(delimiter => read(sample, delimiter, isWhole))
  const hasColumns = readings.some(({ width, agreeing, records }) => width > 1 && agreeing > records * 0.9)
  return hasColumns ? readings.map(formatReading).join('; ') : null
}

export const delimiterName = (delimiter: string): string => (delimiter === '\t' ? 'tab' : `"${delimiter}"`)

function read(sample: Buffer, delimiter: string, isWhole: boolean): Reading {
  const scanner = new RecordScanner(delimiter)
  scanner.push(sample)
  if (isWhole) scanner.end()
  const { records, widths } = scanner
  let width = 0
  for (let cells = 1; cells < widths.length; cells++) if (widths[cells]! > (widths[width] ?? 0)) width = cells
  const agreeing = records === 0 ? 0 : widths[width]!
  const misquoted = ['bareQuote', 'spaceBeforeQuote', 'afterQuote', 'unclosed'] as const
  const quoteErrors = misquoted.reduce((sum, kind) => sum + (scanner.counts.get(kind) ?? 0), 0)
  const share = records === 0 ? 0 : agreeing / records
  const score = share + (scanner.columns === width ? 0.5 : 0) - Math.min(1, quoteErrors / Math.max(1, records)) / 2
  return { delimiter, width, agreeing, records, score }
}

function formatReading({ delimiter, width, agreeing, records }: Reading): string {
  if (width <= 1) return `${delimiterName(delimiter)} ${agreeing === records ? 'none' : 'in few records'}`
  const where = agreeing === records ? `every one of ${records}` : `${agreeing} of ${records}`
  return `${delimiterName(delimiter)} ${width - 1} in ${where} records`
}

function evidence(chosen: Reading, all: readonly Reading[]): string {
  const others = all.filter(one => one.delimiter !== chosen.delimiter && one.width > 1)
  const none = others.length === 0 ? ['no other'] : others.map(formatReading)
  return [formatReading(chosen), ...none].join('; ')
}
