/**
 * Finds where records start, by quotes and line ends alone, in a table whose quotes were checked. A count that differs from the
 * scanner's shows an error in one of the two.
 */
import { resolve } from 'node:path'
import { fileChunks, unreadable } from '../../files/file-chunks.ts'
import type { InputFacts, Plan } from '../../pipeline/model/types.ts'
import { jsonLinesOf } from '../text/json-table.ts'
import { jsonText } from './file-content.ts'
import { fileOf, tableText } from './records.ts'

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** `offset` of the first byte from 0, `line` from 1. */
export interface RecordStart {
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
        // Blank lines are no records; they belong to the record before them.
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

export interface RowPlace {
  /** From 1; null for relaxed quotes, whose quotes do not pair, and for a workbook or Parquet, which have no lines. */
  readonly line: number | null
  /** Of an input of several files: that of the row. */
  readonly file?: string
}

/** Where data rows (from 1, ascending) begin, by a quick pass over the file. Throws FETTLE_INPUT_READ. */
export async function placesOf({ input }: Pick<Plan, 'input'>, rows: readonly number[], root = ''): Promise<readonly RowPlace[]> {
  if (input.files === undefined) return (await linesOf(input, rows, root)).map(line => ({ line }))
  const places: RowPlace[] = []
  let before = 0
  for (const file of input.files) {
    const own = rows.filter(row => row > before && row <= before + file.rows).map(row => row - before)
    const lines = await linesOf(fileOf(input, file), own, root)
    places.push(...lines.map(line => ({ line, file: file.path })))
    before += file.rows
  }
  return places
}

async function linesOf(input: InputFacts, rows: readonly number[], root: string): Promise<readonly (number | null)[]> {
  const { packed } = input
  if (rows.length === 0) return []
  if (input.quotes === 'relaxed' || packed?.as === 'xlsx' || packed?.as === 'parquet') return rows.map(() => null)
  if (packed?.as === 'jsonl') {
    const file = fileChunks(resolve(root, input.path), cause => unreadable(input.path, cause))
    return jsonLinesOf(jsonText(file, input.path, packed), input.path, rows)
  }
  const headers = input.header === null ? 0 : 1
  const records = rows.map(row => row - 1 + headers)
  const { starts } = await recordStarts(tableText(input, root), records)
  return starts.map(({ line }) => line + (input.linesBefore ?? 0))
}
