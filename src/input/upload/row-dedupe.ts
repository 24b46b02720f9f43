/**
 * Numbers distinct rows by a 128-bit digest of their mapped cells. About 40 bytes per distinct row: the one part of a run whose memory
 * grows with the input.
 */
import type { Plan } from '../../pipeline/model/types.ts'
import { emptyRowsOf } from '../table/empty-row.ts'
import { readRows } from '../table/records.ts'
import { dedupeKeyOf, rowMaker } from './upload-row.ts'

const WORDS = 4
const FIRST_SLOTS = 4_096

export class DigestIndex {
  size = 0
  #words = new Uint32Array(FIRST_SLOTS * WORDS)
  /** The number plus one, 0 for a free slot. */
  #numbers = new Uint32Array(FIRST_SLOTS)

  /** The number of a digest of 16 bytes; adds a new one under the number `size`. */
  add(digest: Buffer): number {
    const at = this.#find(word(digest, 0), word(digest, 1), word(digest, 2), word(digest, 3))
    const known = this.#numbers[at]!
    if (known !== 0) return known - 1
    this.#put(at, digest)
    if (this.size > this.#numbers.length / 2) this.#grow()
    return this.size - 1
  }

  /** The number of a digest of 16 bytes, -1 where it was not added. */
  find(digest: Buffer): number {
    return this.#numbers[this.#find(word(digest, 0), word(digest, 1), word(digest, 2), word(digest, 3))]! - 1
  }

  #put(at: number, digest: Buffer): void {
    for (let n = 0; n < WORDS; n++) this.#words[at * WORDS + n] = word(digest, n)
    this.#numbers[at] = ++this.size
  }

  #find(a: number, b: number, c: number, d: number): number {
    const words = this.#words
    const mask = this.#numbers.length - 1
    for (let at = a & mask; ; at = (at + 1) & mask) {
      if (this.#numbers[at] === 0) return at
      const from = at * WORDS
      if (words[from] === a && words[from + 1] === b && words[from + 2] === c && words[from + 3] === d) return at
    }
  }

  #grow(): void {
    const words = this.#words
    const numbers = this.#numbers
    this.#words = new Uint32Array(words.length * 2)
    this.#numbers = new Uint32Array(numbers.length * 2)
    for (const [slot, number] of numbers.entries()) {
      if (number === 0) continue
      const digest = words.subarray(slot * WORDS, slot * WORDS + WORDS)
      const at = this.#find(digest[0]!, digest[1]!, digest[2]!, digest[3]!)
      this.#words.set(digest, at * WORDS)
      this.#numbers[at] = number
    }
  }
}

const word = (digest: Buffer, n: number): number => digest.readUInt32LE(n * 4)

/** Rows that are sent, each different one once where rows are collapsed, and empty rows, which are not. */
export interface RowCounts {
  readonly sent: number
  readonly skipped: number
}

/** Counts the rows of a plan, and those before each of the rows `at` (from 0, ascending). Throws FETTLE_INPUT_READ. */
export async function countRows(
  { input, mappings, rows, collapse }: Pick<Plan, 'input' | 'mappings' | 'rows' | 'collapse'>,
  root = '',
  at: readonly number[] = [],
): Promise<{ readonly all: RowCounts; readonly before: readonly RowCounts[] }> {
  const index = new DigestIndex()
  const toUploadRow = rowMaker(mappings)
  const dedupeKey = dedupeKeyOf(mappings)
  const isSkipped = emptyRowsOf(input)
  const before: RowCounts[] = []
  let read = 0
  let skipped = 0
  const counts = (): RowCounts => ({ sent: collapse ? index.size : read - skipped, skipped })
  if (rows > 0)
    for await (const inputRow of readRows(input, root)) {
      while (at[before.length] === read) before.push(counts())
      if (isSkipped(inputRow)) skipped++
      else if (collapse) index.add(dedupeKey(toUploadRow(inputRow)))
      if (++read === rows) break
    }
  while (before.length < at.length) before.push(counts())
  return { all: counts(), before }
}
