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

  /** The slot that a hash has, or the free one where it belongs: `has` tells which. */
  slotOf({ low, high }: Hash): number {
    const halves = this.#halves
    const mask = halves.length - 1
    let at = (low << 1) & mask
    while ((halves[at] !== low || halves[at + 1] !== high) && (halves[at] !== 0 || halves[at + 1] !== 0)) at = (at + 2) & mask
    return at >> 1
  }

  /** True when the slot is taken. */
  has(slot: number): boolean {
    return this.#halves[2 * slot] !== 0 || this.#halves[2 * slot + 1] !== 0
  }

  /** Takes the free slot that `slotOf` gave for a hash. */
  take(slot: number, { low, high }: Hash): void {
    this.#halves[2 * slot] = low
    this.#halves[2 * slot + 1] = high
    this.size++
  }

  /** Each hash that was put in; the object it is given in is the same every time. */
  *hashes(one: Hash): Generator<Hash> {
    for (let slot = 0; slot < this.slots; slot++) {
      if (!this.has(slot)) continue
      one.low = this.#halves[2 * slot]!
      one.high = this.#halves[2 * slot + 1]!
      yield one
    }
  }
}
