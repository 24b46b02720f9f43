/**
 * Decides how to read a file, from its head and the options: kind, encoding, delimiter, skipped lines. Anything ambiguous is an error.
 * Exactly one delimiter is detected, with the evidence: a list of them would read `Acme, Ltd;01` as three cells without an error.
 */
import { parse } from 'csv-parse/sync'
import { canonicalEncoding } from '../../encodings.ts'
import { type Issue, issue } from '../../errors.ts'
import type { InputFacts, InputOptions, SkippedLines } from '../../pipeline/model/types.ts'
import { RecordScanner } from '../scan/record-scanner.ts'
import { byteOrderMark, makeDecoder } from '../text/encoding.ts'
import { foreignKind, unmarkedUtf16 } from '../text/file-signature.ts'
import type { FileHead } from './file-content.ts'
import { lenientOptions } from './records.ts'
import { lineStart, sepLine } from './table-range.ts'

export interface ResolvedDialect {
  readonly encoding: string
  readonly bom: boolean
  readonly delimiter: string
  readonly evidence: string
  /** Whole records from the first one on, in UTF-8. */
  readonly sample: Buffer
  /** The lines that are skipped above the table. */
  readonly above: Buffer
  readonly linesBefore: number
  /** The skipped lines around the table, null without any. */
  readonly skipped: NonNullable<InputFacts['skipped']> | null
}

/**
 * Resolves the dialect from the head of a file, without the lines of `skip`. `tail` finds where the lines below the table begin;
 * called only when `skip` has some.
 */
export async function resolveDialect(
  options: InputOptions,
  skip: SkippedLines<number>,
  { head, isWhole }: FileHead,
  tail: (encoding: string, lines: number) => Promise<number | null>,
): Promise<ResolvedDialect | Issue> {
  const at = { file: options.path, line: null, column: null }
  const foreign = foreignKind(head)
  if (foreign) {
    const { kind, ...hint } = foreign
    return issue('FETTLE_INPUT_KIND', `${options.path} is ${kind}`, { at, ...hint })
  }
  const encoding = resolveEncoding(options, head)
  if (typeof encoding !== 'string') return encoding
  const mark = byteOrderMark(head)
  const text = decodeHead(head, encoding).subarray(encoding === 'utf-8' ? (mark?.bytes ?? 0) : 0)
  const from = lineStart(text, skip.head)
  const to = skip.tail === 0 ? Number.MAX_SAFE_INTEGER : await tail(encoding, skip.tail)
  if (from === null || to === null || from > to)
    return issue('FETTLE_INPUT_FIELDS', `${options.path} has no more lines than input.skip leaves out`, {
      at,
      hint: `Leave out fewer than ${skip.head} lines above the header and ${skip.tail} below the last row.`,
    })
  const skipped = skip.head + skip.tail === 0 ? null : { ...skip, from, to }
  const sep = sepLine(text.subarray(from, to))
  const table = text.subarray(from + (sep?.bytes ?? 0), to)
  const start = table.subarray(0, SAMPLE_BYTES)
  const delimiter = resolveDelimiter(options, start, isWhole && table.length <= SAMPLE_BYTES, sep?.delimiter)
  if ('code' in delimiter) return delimiter
  const sample = isWhole ? table : table.subarray(0, scanSample(table, delimiter.delimiter, false).consumed)
  return {
    encoding,
    bom: mark !== null,
    ...delimiter,
    sample,
    above: text.subarray(0, from),
    skipped,
    linesBefore: skip.head + (sep ? 1 : 0),
  }
}

function resolveEncoding({ path, encoding }: InputOptions, head: Buffer): string | Issue {
  const refuse = (message: string, hint: string): Issue =>
    issue('FETTLE_INPUT_ENCODING', message, { at: { file: path, line: 1, column: 1 }, hint })
  const mark = byteOrderMark(head)
  if (encoding === 'auto') {
    const bare = mark ? null : unmarkedUtf16(head)
    if (bare) return refuse(`${path} looks like UTF-16 without a byte-order mark`, `Name the encoding: input.encoding: ${bare}.`)
    return mark?.encoding ?? 'utf-8'
  }
  const named = canonicalEncoding(encoding)
  if (named === null)
    return refuse(`no encoding is called "${encoding}"`, 'Known are utf-8, windows-1252, iso-8859-2, utf-16le, shift_jis …')
  if (mark && mark.encoding !== named)
    return refuse(
      `${path} begins with the byte-order mark of ${mark.encoding}, but input.encoding is ${encoding}`,
      'Leave input.encoding out.',
    )
  return named
}

/** The head in UTF-8; invalid bytes are replaced, since the pass over the file reports their position. */
function decodeHead(head: Buffer, encoding: string): Buffer {
  if (encoding === 'utf-8') return head
  try {
    return Buffer.from(makeDecoder(encoding).decode(head))
  } catch {
    return Buffer.from(new TextDecoder(encoding).decode(head, { stream: true }))
  }
}

function resolveDelimiter(
  { path, delimiter }: InputOptions,
  sample: Buffer,
  isWhole: boolean,
  ofSepLine: string | undefined,
): { delimiter: string; evidence: string } | Issue {
  const refuse = (message: string): Issue =>
    issue('FETTLE_INPUT_DELIMITER', message, { at: { file: path, line: null, column: null } })
  if (delimiter === 'auto') {
    if (ofSepLine !== undefined) return { delimiter: ofSepLine, evidence: `sep= line: ${delimiterName(ofSepLine)}` }
    const sniffed = sniffDelimiter(sample, isWhole)
    if (sniffed.delimiter !== null) return sniffed
    return refuse(`cannot detect the delimiter of ${path}: ${sniffed.reason}`)
  }
  if (!/^[\x01-\x7f]$/.test(delimiter) || /["\r\n]/.test(delimiter))
    return refuse(`the delimiter ${JSON.stringify(delimiter)} is not one ASCII character`)
  const others = scanSample(sample, delimiter, isWhole).columns === 1 ? otherReadings(sample, isWhole) : null
  if (others !== null) return refuse(`the delimiter ${delimiterName(delimiter)} gives one column in ${path}: ${others}`)
  return { delimiter, evidence: `named: ${delimiterName(delimiter)}` }
}

function scanSample(sample: Buffer, delimiter: string, isWhole: boolean): RecordScanner {
  const scanner = new RecordScanner(delimiter)
  scanner.push(sample)
  if (isWhole) scanner.end()
  return scanner
}

/** The first rows as cells; damaged ones are read leniently, since the scanner reports the damage. */
export function firstRows({ sample, delimiter }: ResolvedDialect): string[][] {
  const options = lenientOptions(delimiter)
  // An unclosed quote fails the whole parse: the header alone may still be readable.
  for (const to of [21, 1]) {
    try {
      return parse(sample, { ...options, to }) as string[][]
    } catch {
      // The scanner reports it.
    }
  }
  return []
}

/** Bytes of the first record, with its line end; 0 when its quotes cannot be read, which the scanner reports. */
export function countHeadBytes({ sample, delimiter }: ResolvedDialect): number {
  const options = { ...lenientOptions(delimiter), info: true, to: 1 } as const
  try {
    const [first] = parse(sample, options) as unknown as readonly { readonly info: { readonly bytes: number } }[]
    return first?.info.bytes ?? 0
  } catch {
    return 0
  }
}

/** Bytes of a table by which its delimiter is detected. */
export const SAMPLE_BYTES = 65_536
const CANDIDATES = [',', ';', '\t', '|'] as const

type Delimiter = { readonly delimiter: string; readonly evidence: string } | { readonly delimiter: null; readonly reason: string }

type Reading = ReturnType<typeof readSample>

/** Detects the delimiter; `sample` is the head of the table in UTF-8, `isWhole` that nothing follows it. */
export function sniffDelimiter(sample: Buffer, isWhole: boolean): Delimiter {
  const readings = CANDIDATES.map(delimiter => readSample(sample, delimiter, isWhole)).sort((a, b) => b.score - a.score)
  const [first, second] = readings.filter(reading => reading.width > 1)
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
function otherReadings(sample: Buffer, isWhole: boolean): string | null {
  const readings = CANDIDATES.map(delimiter => readSample(sample, delimiter, isWhole))
  const hasColumns = readings.some(({ width, agreeing, records }) => width > 1 && agreeing > records * 0.9)
  return hasColumns ? readings.map(formatReading).join('; ') : null
}

export const delimiterName = (delimiter: string): string => (delimiter === '\t' ? 'tab' : `"${delimiter}"`)

function readSample(sample: Buffer, delimiter: string, isWhole: boolean) {
  const scanner = scanSample(sample, delimiter, isWhole)
  const { records, widths } = scanner
  const width = scanner.usualWidth
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
  const others = all.filter(reading => reading.delimiter !== chosen.delimiter && reading.width > 1)
  const none = others.length === 0 ? ['no other'] : others.map(formatReading)
  return [formatReading(chosen), ...none].join('; ')
}
