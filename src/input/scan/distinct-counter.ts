/**
 * How many different values there are, in a bounded memory: a table of their hashes while they are few, a sketch from then on.
 * That two of a table's values are taken for one has a chance of 1 in 100,000, which a warning may risk. It holds no value itself.
 */
import { Hash } from './hash.ts'
import { HashTable } from './hash-table.ts'
import { HyperLogLog } from './hyperloglog.ts'

const FIRST_SLOTS = 1_024
/** Of a table, how much may be taken. */
const LOAD = 0.75
/** For a column: 12,288 values. */
const COLUMN_SLOTS = 16_384
/** For a key: 4 MiB, which a processor keeps near; beyond 393,216 values a repeated one is not found, since it would cost half the speed. */
const KEY_SLOTS = 524_288

/** Counts the different ones of the hashes it is given. */
export class DistinctCounter {
  #table = new HashTable(FIRST_SLOTS)
  #sketch: HyperLogLog | null = null
  /** The latest hash. */
  #low = 0
  #high = 0
  readonly #mostSlots: number

  /** Those of a key are told apart for longer, since one that is repeated matters. */
  constructor(isKey: boolean) {
    this.#mostSlots = isKey ? KEY_SLOTS : COLUMN_SLOTS
  }

  /** Exact unless `isEstimate`. */
  get count(): number {
    return this.#sketch?.count() ?? this.#table.size
  }

  get isEstimate(): boolean {
    return this.#sketch !== null
  }

  /** False when the hash was there already; true for every one once the table is full. */
  add(hash: Hash): boolean {
    if (this.#sketch !== null) {
      this.#sketch.add(hash)
      return true
    }
    // Towns and countries come in runs.
    if (hash.low === this.#low && hash.high === this.#high) return false
    this.#low = hash.low
    this.#high = hash.high
    const slot = this.#table.slotOf(hash)
    if (slot >= 0) return false
    this.#table.take(~slot, hash)
    if (this.#table.size >= this.#table.slots * LOAD) this.#grow()
    return true
  }

  #grow(): void {
    const old = this.#table
    const hasRoom = old.slots < this.#mostSlots
    this.#table = new HashTable(hasRoom ? 2 * old.slots : 1)
    this.#sketch = hasRoom ? null : new HyperLogLog()
    for (const hash of old.hashes(new Hash())) {
      if (this.#sketch === null) this.#table.take(~this.#table.slotOf(hash), hash)
      else this.#sketch.add(hash)
    }
  }
}
