/** Decides how to read a file, from its head and the options: kind, encoding, delimiter, skipped lines. Anything ambiguous is an error. */
import { parse } from 'csv-parse/sync'
import { canonicalEncoding } from '../../encodings.ts'
import { type Issue, issue } from '../../errors.ts'
import type { InputFacts, InputOptions, SkippedLines } from '../../pipeline/model/types.ts'
import { RecordScanner } from '../scan/record-scanner.ts'
import { byteOrderMark, makeDecoder } from '../text/encoding.ts'
import { foreignKind, unmarkedUtf16 } from '../text/file-signature.ts'
import { delimiterName, otherReadings, SAMPLE_BYTES, sepLine, sniffDelimiter } from './dialect.ts'
import { parserOptions } from './records.ts'
import { lineStart } from './table-range.ts'

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
 * Resolves the dialect from the head of a file, without the lines of `skip`; `isWhole`: the head is the complete file. `tail` finds where the lines below the
 * table begin; called only when `skip` has some.
 */
export async function resolveDialect(
  options: InputOptions,
  skip: SkippedLines<number>,
  head: Buffer,
  isWhole: boolean,
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
  const delimiter = resolveDelimiter(
    options,
    table.subarray(0, SAMPLE_BYTES),
    isWhole && table.length <= SAMPLE_BYTES,
    sep?.delimiter,
  )
  if ('code' in delimiter) return delimiter
  const sample = isWhole ? table : wholeRecords(table, delimiter.delimiter)
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
  const refuse = (message: string, hint?: string): Issue =>
    issue('FETTLE_INPUT_ENCODING', message, { at: { file: path, line: 1, column: 1 }, ...(hint === undefined ? {} : { hint }) })
  const mark = byteOrderMark(head)
  if (encoding === 'auto') {
    const bare = mark ? null : unmarkedUtf16(head)
    if (bare) return refuse(`${path} looks like UTF-16 without a byte-order mark`, `Name the encoding: input.encoding: ${bare}.`)
    return mark?.encoding ?? 'utf-8'
  }
  const named = canonicalEncoding(encoding)
  if (named === null)
    return refuse(`no encoding is called "${encoding}"`, 'Known are utf-8, windows-1252, iso-8859-2, utf-16le, shift_jis …')
  if (mark && mark.encoding !== named) {
    return refuse(
      `${path} begins with the byte-order mark of ${mark.encoding}, but input.encoding is ${encoding}`,
      'Leave input.encoding out.',
    )
  }
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
  if (!/^[\x01-\x7f]$/.test(delimiter) || /["\r\n]/.test(delimiter)) {
    return refuse(`the delimiter ${JSON.stringify(delimiter)} is not one ASCII character`)
  }
  const scanner = new RecordScanner(delimiter)
  scanner.push(sample)
  if (isWhole) scanner.end()
  const others = scanner.columns === 1 ? otherReadings(sample, isWhole) : null
  if (others !== null) return refuse(`the delimiter ${delimiterName(delimiter)} gives one column in ${path}: ${others}`)
  return { delimiter, evidence: `named: ${delimiterName(delimiter)}` }
}

function wholeRecords(table: Buffer, delimiter: string): Buffer {
  const scanner = new RecordScanner(delimiter)
  scanner.push(table)
  return table.subarray(0, scanner.consumed)
}

/** The first rows as cells; damaged ones are read leniently, since the scanner reports the damage. */
export function firstRows({ sample, delimiter }: ResolvedDialect): string[][] {
  const options = { ...parserOptions(delimiter, 'relaxed'), relax_column_count: true }
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
export function headBytesOf({ sample, delimiter }: ResolvedDialect): number {
  const options = { ...parserOptions(delimiter, 'relaxed'), relax_column_count: true, info: true, to: 1 } as const
  try {
    const [first] = parse(sample, options) as unknown as readonly { readonly info: { readonly bytes: number } }[]
    return first?.info.bytes ?? 0
  } catch {
    return 0
  }
}
