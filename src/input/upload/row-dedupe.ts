/**
 * Which questions were asked before: rows that are alike on the mapped cells, each by a digest of 128 bits, so that two different
 * ones are never taken for one. About 40 bytes a different row, which is the one part of a run that grows with the input.
 */
import type { Plan } from '../../pipeline/model/types.ts'
import { readRows } from '../table/records.ts'
import { dedupeKeyOf, rowMaker } from './upload-row.ts'

const WORDS = 4
const FIRST_SLOTS = 4_096

/** Numbers different questions from 0, in the order of their first asking. */
export class DigestIndex {
  size = 0
  #words = new Uint32Array(FIRST_SLOTS * WORDS)
  /** The number plus one, 0 for a free slot. */
  #numbers = new Uint32Array(FIRST_SLOTS)

  /** The number of a question of 16 bytes; the present `size` when it is a new one, which it then is no longer. */
  place(question: Buffer): number {
    const at = this.#find(word(question, 0), word(question, 1), word(question, 2), word(question, 3))
    const known = this.#numbers[at]!
    if (known !== 0) return known - 1
    this.#put(at, question)
    if (this.size > this.#numbers.length / 2) this.#grow()
    return this.size - 1
  }

  #put(at: number, question: Buffer): void {
    for (let n = 0; n < WORDS; n++) this.#words[at * WORDS + n] = word(question, n)
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
      const question = words.subarray(slot * WORDS, slot * WORDS + WORDS)
      const at = this.#find(question[0]!, question[1]!, question[2]!, question[3]!)
      this.#words.set(question, at * WORDS)
      this.#numbers[at] = number
    }
  }
}

const word = (question: Buffer, n: number): number => question.readUInt32LE(n * 4)

/**
 * How many different questions the rows of a plan ask; and how many had been asked before each of the rows `at` (from 0, rising),
 * whoever may be about to ask them. Throws FETTLE_INPUT_READ.
 */
export async function countDistinctRows(
  { input, mappings, rows }: Pick<Plan, 'input' | 'mappings' | 'rows'>,
  root = '',
  at: readonly number[] = [],
): Promise<{ readonly all: number; readonly before: readonly number[] }> {
  const fold = new DigestIndex()
  const sent = rowMaker(mappings)
  const question = dedupeKeyOf(mappings)
  const before: number[] = []
  let read = 0
  if (rows > 0)
    for await (const row of readRows(input, root)) {
      while (at[before.length] === read) before.push(fold.size)
      fold.place(question(sent(row)))
      if (++read === rows) break
    }
  while (before.length < at.length) before.push(fold.size)
  return { all: fold.size, before }
}
