/**
 * Where records begin in a table whose quotes are known to be right: whoever sends a part of it sends bytes, not cells. It counts
 * by quotes and line ends alone, so that a count other than the scanner's shows that one of the two is wrong.
 */

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

/** Offsets of the `wanted` records (from 0, rising) in the bytes that come, and how many records there are in all. */
export async function recordOffsets(
  pieces: AsyncIterable<Uint8Array>,
  wanted: readonly number[],
): Promise<{ readonly offsets: readonly number[]; readonly records: number; readonly bytes: number }> {
  const offsets: number[] = []
  let records = 0
  let before = 0
  let isOpen = false
  let isQuoted = false
  for await (const piece of pieces) {
    const { length } = piece
    for (let i = 0; i < length; i++) {
      if (!isOpen) {
        // Blank lines are no records; they stay with the one before them.
        if (piece[i] === LF || piece[i] === CR) continue
        if (records === wanted[offsets.length]) offsets.push(before + i)
        records++
        isOpen = true
      }
      while (i < length && piece[i] !== QUOTE && piece[i] !== LF && piece[i] !== CR) i++
      if (i === length) break
      if (piece[i] === QUOTE) isQuoted = !isQuoted
      else if (!isQuoted) isOpen = false
    }
    before += length
  }
  return { offsets, records, bytes: before }
}
