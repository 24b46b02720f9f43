/**
 * Finds where records start, by quotes and line ends alone, in a table whose quotes were checked. A count that differs from the
 * scanner's shows an error in one of the two.
 */
import { resolve } from 'node:path'
import { fileChunks, unreadable } from '../../files/file-chunks.ts'
import type { InputFacts, Plan, Shard } from '../../pipeline/model/types.ts'
import { findJsonLines } from '../text/json-table.ts'
import { jsonText } from './file-content.ts'
import { parseRows, parserOptions, selectFile, tableText } from './records.ts'

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** `offset` of the first byte from 0, `line` from 1. */
interface RecordStart {
  readonly offset: number
  readonly line: number
}

/** The starts of the `wanted` records (from 0, ascending), and the number of all records. */
export async function recordStarts(
  pieces: AsyncIterable<Uint8Array>,
  wanted: readonly number[],
): Promise<{ readonly starts: readonly RecordStart[]; readonly records: number }> {
  const starts: RecordStart[] = []
  let records = 0
  let before = 0
  let line = 1
  let isOpen = false
  let isQuoted = false
  let last = 0
  for await (const piece of pieces) {
    const { length } = piece
    for (let i = 0; i < length; i++) {
      if (isOpen) while (i < length && piece[i] !== QUOTE && piece[i] !== LF && piece[i] !== CR) i++
      if (i === length) break
      const byte = piece[i]!
      const isBreak = byte === LF || byte === CR
      // The LF of a CRLF was counted with its CR.
      if (isBreak && !(byte === LF && (i === 0 ? last : piece[i - 1]) === CR)) line++
      if (!isOpen) {
        // Blank lines are not records; they belong to the record before them.
        if (isBreak) continue
        if (records === wanted[starts.length]) starts.push({ offset: before + i, line })
        records++
        isOpen = true
      }
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (isBreak && !isQuoted) isOpen = false
    }
    before += length
    last = piece[length - 1] ?? last
  }
  return { starts, records }
}

interface RowPlace {
  /** From 1; null for relaxed quotes, whose quotes do not pair, and for a workbook or Parquet, which have no lines. */
  readonly line: number | null
  /** The file of the row, for an input of several files. */
  readonly file?: string
}

/** Where data rows (from 1, ascending) begin, by a quick pass over the file. Throws FETTLE_INPUT_READ. */
export async function locateRowLines(
  { input }: Pick<Plan, 'input'>,
  rows: readonly number[],
  root = '',
): Promise<readonly RowPlace[]> {
  if (input.files === undefined) return (await findLines(input, rows, root)).map(line => ({ line }))
  const places: RowPlace[] = []
  let before = 0
  for (const file of input.files) {
    const own = rows.filter(row => row > before && row <= before + file.rows).map(row => row - before)
    const lines = await findLines(selectFile(input, file), own, root)
    places.push(...lines.map(line => ({ line, file: file.path })))
    before += file.rows
  }
  return places
}

async function findLines(input: InputFacts, rows: readonly number[], root: string): Promise<readonly (number | null)[]> {
  const { packed } = input
  if (rows.length === 0) return []
  if (input.quotes === 'relaxed' || packed?.as === 'xlsx' || packed?.as === 'parquet') return rows.map(() => null)
  if (packed?.as === 'jsonl') {
    const file = fileChunks(resolve(root, input.path), cause => unreadable(input.path, cause))
    return findJsonLines(jsonText(file, input.path, packed), input.path, rows)
  }
  const headers = input.header === null ? 0 : 1
  const records = rows.map(row => row - 1 + headers)
  const { starts } = await recordStarts(tableText(input, root), records)
  return starts.map(({ line }) => line + (input.linesBefore ?? 0))
}

/** `records` (the header is one) precede the byte at `offset` in the text of the table. */
export interface RecordMark {
  readonly records: number
  readonly offset: number
}

const MARK_BYTES = 1_048_576

export class Checkpoints {
  readonly all: RecordMark[] = [{ records: 0, offset: 0 }]

  note(records: number, offset: number): void {
    if (offset - this.all.at(-1)!.offset >= MARK_BYTES) this.all.push({ records, offset })
  }
}

/** The end of the header, and the byte range of rows `from` (from 0) to `to`. Throws FETTLE_INPUT_READ. */
export async function locateRows(
  facts: InputFacts,
  marks: readonly RecordMark[],
  { from, to }: { readonly from: number; readonly to: number },
  root = '',
): Promise<Shard['span']> {
  if (from === to) return { head: 0, from: 0, to: 0 }
  const headers = facts.header === null ? 0 : 1
  const place = (record: number): Promise<number> => recordPlace(facts, marks, record, root)
  return {
    head: await place(headers),
    from: await place(from + headers),
    to: to === facts.rows ? null : await place(to + headers),
  }
}

async function recordPlace(facts: InputFacts, marks: readonly RecordMark[], records: number, root: string): Promise<number> {
  const mark = marks.findLast(earlier => earlier.records <= records)!
  let left = records - mark.records
  if (left === 0) return mark.offset
  const text = tableText(facts, root, { from: mark.offset, to: Number.POSITIVE_INFINITY })
  const parsed = parseRows(text, { ...parserOptions(facts.delimiter, facts.quotes), info: true }) as AsyncIterable<unknown>
  for await (const { info } of parsed as AsyncIterable<{ info: { bytes: number } }>)
    if (--left === 0) return mark.offset + info.bytes
  throw new RangeError(`the table has fewer than ${records} records`)
}
