/**
 * Finds where records start, by quotes and line ends alone, in a table whose quotes were checked. A count that differs from the
 * scanner's shows an error in one of the two.
 */
import type { Plan } from '../../pipeline/model/types.ts'
import { tableText } from './records.ts'

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

/**
 * The lines (from 1) on which data rows (from 1, ascending) start, by a quick pass over the file. Empty for relaxed quotes, whose
 * quotes do not pair, and for a workbook, which has no lines. Throws FETTLE_INPUT_READ.
 */
export async function linesOf({ input }: Pick<Plan, 'input'>, rows: readonly number[], root = ''): Promise<readonly number[]> {
  if (rows.length === 0 || input.quotes === 'relaxed' || input.packed?.as === 'xlsx') return []
  const headers = input.header === null ? 0 : 1
  const records = rows.map(row => row - 1 + headers)
  const { starts } = await recordStarts(tableText(input, root), records)
  return starts.map(({ line }) => line + (input.linesBefore ?? 0))
}
