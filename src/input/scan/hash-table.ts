/** Which hashes were seen, and a place for each: open addressing in a table of a fixed size. It counts nothing and never grows. */
import type { Hash } from './hash.ts'

/** A table of hashes; whoever fills it leaves some of its slots free. */
export class HashTable {
  readonly slots: number
  size = 0
  /** The halves of a hash side by side; 0, 0 is a free slot, and the one hash of that form is never found again. */
  readonly #halves: Int32Array

  /** `slots` is a power of two. */
  constructor(slots: number) {
    this.slots = slots
    this.#halves = new Int32Array(2 * slots)
  }

  /** The slot that a hash has; when it has none, the free one where it belongs, as its complement (`~`). */
  slotOf({ low, high }: Hash): number {
    const halves = this.#halves
    const mask = halves.length - 1
    for (let at = (low << 1) & mask; ; at = (at + 2) & mask) {
      const there = halves[at]!
      const beside = halves[at + 1]!
      if (there === low && beside === high) return at >> 1
      if (there === 0 && beside === 0) return ~(at >> 1)
    }
  }

  /** Takes a free slot for a hash. */
  take(slot: number, { low, high }: Hash): void {
    this.#halves[2 * slot] = low
    this.#halves[2 * slot + 1] = high
    this.size++
  }

  /** Each hash that was put in; the object it is given in is the same every time. */
  *hashes(one: Hash): Generator<Hash> {
    for (let slot = 0; slot < this.slots; slot++) {
      one.low = this.#halves[2 * slot]!
      one.high = this.#halves[2 * slot + 1]!
      if (one.low !== 0 || one.high !== 0) yield one
    }
  }
}
