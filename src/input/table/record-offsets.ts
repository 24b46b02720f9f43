/**
 * Where records begin in a table whose quotes are known to be right: whoever sends a part of it sends bytes, not cells. It counts
 * by quotes and line ends alone, so that a count other than the scanner's shows that one of the two is wrong.
 */

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** Where a record begins: its first byte from 0, and its line from 1. */
export interface RecordStart {
  readonly offset: number
  readonly line: number
}

/** Where the `wanted` records (from 0, rising) begin in the bytes that come, and how many records there are in all. */
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
        // Blank lines are no records; they stay with the one before them.
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
