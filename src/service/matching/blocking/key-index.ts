/**
 * Maps exact keys to companies or documents by hash. Two keys with one hash return the companies of both, which is safe: every
 * candidate is compared in full.
 */
import { hashOf } from './dictionary.ts'
import { NumberColumn } from './growing-columns.ts'
import type { Columns, Need, Unpacked } from './packed-columns.ts'

/** A key that more companies share selects nothing: about 200 share a postcode. */
const MAX_PER_KEY = 200
const HALF = 0xffff

/** Indexes of the entries sorted by hash. The sort is stable: entries of one key keep their order. */
function sortedBy(hashes: Uint32Array): Uint32Array {
  let order = Uint32Array.from(hashes, (_, at) => at)
  for (const shift of [0, 16]) {
    const next = new Uint32Array(HALF + 2)
    for (const hash of hashes) next[((hash >>> shift) & HALF) + 1]!++
    for (let at = 1; at < next.length; at++) next[at]! += next[at - 1]!
    const sorted = new Uint32Array(order.length)
    for (const entry of order) sorted[next[(hashes[entry]! >>> shift) & HALF]!++] = entry
    order = sorted
  }
  return order
}

export class KeysBuilder {
  readonly #hashes = new NumberColumn()
  readonly #values = new NumberColumn()

  /** Adds a company under a key. A repetition directly after another counts once. */
  add(key: string, value: number): void {
    this.#hashes.push(hashOf(key))
    this.#values.push(value)
  }

  /** The columns that `keysIn` reads under the same name. */
  columns(name: string): Columns {
    const hashes = this.#hashes.take<Uint32Array>()
    const values = this.#values.take<Uint32Array>()
    const order = sortedBy(hashes)
    let bits = 1
    while (bits < 22 && 2 ** bits < hashes.length / 4) bits++
    const buckets = new Uint32Array(2 ** bits + 1)
    const tails = new NumberColumn(true)
    const kept = new NumberColumn()
    let group: number[] = []
    for (let at = 0; at < order.length; at++) {
      const hash = hashes[order[at]!]!
      const value = values[order[at]!]!
      if (group.at(-1) !== value && group.length <= MAX_PER_KEY) group.push(value)
      if (at + 1 < order.length && hashes[order[at + 1]!] === hash) continue
      if (group.length <= MAX_PER_KEY) {
        buckets[(hash >>> (32 - bits)) + 1]! += group.length
        for (const one of group) {
          tails.push(hash & HALF)
          kept.push(one)
        }
      }
      group = []
    }
    for (let at = 1; at < buckets.length; at++) buckets[at]! += buckets[at - 1]!
    return {
      [`${name}.buckets`]: buckets,
      [`${name}.tails`]: tails.take<Uint16Array>(),
      [`${name}.values`]: kept.take<Uint32Array>(),
    }
  }
}

export class KeyIndex {
  readonly #buckets: Uint32Array
  readonly #tails: Uint16Array
  readonly #values: Uint32Array
  readonly #shift: number
  readonly #needs: readonly (Need | null)[]

  constructor(buckets: Uint32Array, tails: Uint16Array, values: Uint32Array, needs: readonly (Need | null)[]) {
    this.#needs = needs
    this.#buckets = buckets
    this.#tails = tails
    this.#values = values
    this.#shift = 32 - Math.log2(buckets.length - 1)
  }

  /** The values of a key, in the order they were added; empty when more than 200 share it. */
  lookup(key: string): number[] {
    const hash = hashOf(key)
    const bucket = hash >>> this.#shift
    const found: number[] = []
    const [start, end] = [this.#buckets[bucket]!, this.#buckets[bucket + 1]!]
    for (const need of this.#needs) need?.(start, end)
    for (let at = start; at < end; at++) {
      if (this.#tails[at] === (hash & HALF)) found.push(this.#values[at]!)
    }
    return found
  }
}

export const keysIn = (columns: Unpacked, name: string): KeyIndex =>
  new KeyIndex(
    columns.u32(`${name}.buckets`),
    columns.u16(`${name}.tails`),
    columns.u32(`${name}.values`),
    ['tails', 'values'].map(column => columns.need(`${name}.${column}`)),
  )
