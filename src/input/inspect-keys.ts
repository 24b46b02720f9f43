/**
 * Which keys were seen before, in a bounded memory: a table of 53-bit hashes, open addressing. That two of its keys are
 * taken for one has a chance of 1 in 100,000, which a warning may risk. It holds no key itself.
 */

const FIRST_SLOTS = 4_096
/** 4 MiB, which a processor keeps near: beyond 393,216 different keys the rest is not compared, since it would cost half the speed. */
const MAX_SLOTS = 524_288

/** The 53-bit hash of a stretch of bytes; two runs of FNV-1a with different multipliers. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    low = Math.imul(low ^ byte, 0x01000193)
    high = Math.imul(high ^ byte, 0x85ebca6b)
    high ^= high >>> 15
  }
  return ((high >>> 0) & 0x1fffff) * 0x100000000 + (low >>> 0)
}

/** A set of keys by their hashes. */
export class KeySet {
  #slots = new Float64Array(FIRST_SLOTS).fill(-1)
  #size = 0
  #isFull = false

  /** False when the key was there already; true for every key once the table is full. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#isFull) return true
    const hash = hashOf(bytes, start, end)
    const at = this.#find(hash)
    if (this.#slots[at] === hash) return false
    this.#slots[at] = hash
    if (++this.#size >= this.#slots.length * 0.75) {
      if (this.#slots.length < MAX_SLOTS) this.#grow()
      else this.#isFull = true
    }
    return true
  }

  /** The slot of a hash, or the free one where it belongs. */
  #find(hash: number): number {
    const mask = this.#slots.length - 1
    let at = hash & mask
    while (this.#slots[at] !== -1 && this.#slots[at] !== hash) at = (at + 1) & mask
    return at
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Float64Array(old.length * 2).fill(-1)
    for (const hash of old) if (hash !== -1) this.#slots[this.#find(hash)] = hash
  }
}
