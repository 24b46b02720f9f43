/** Looks up by hash: words with their numbers in order of first occurrence, and the companies or documents of an exact key. */
import { lettersOf } from '../similarity.ts'
import { type Columns, EVERY_ONE, type Need, NumberColumn, TextColumn, TextColumnBuilder, type Unpacked } from './columns.ts'

/** A 32-bit FNV-1a hash with MurmurHash3's finish, well distributed in all bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export class DictionaryBuilder {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new TextColumnBuilder(EVERY_ONE)

  /** The number of a word; a new word gets the next one. */
  number(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const next = this.#texts.length
    this.#texts.add(word)
    this.#numbers.set(word, next)
    return next
  }

  get size(): number {
    return this.#texts.length
  }

  /** The columns that `Dictionary` reads under the same name. */
  columns(name: string): Columns {
    let slots = 16
    while (slots < this.size * 2) slots *= 2
    const table = new Uint32Array(slots)
    for (const [word, number] of this.#numbers) {
      let slot = hashText(word) & (slots - 1)
      while (table[slot] !== 0) slot = (slot + 1) & (slots - 1)
      table[slot] = number + 1
    }
    this.#numbers.clear()
    return { [`${name}.table`]: table, ...this.#texts.columns(name) }
  }
}

/** Size of the cache of decoded words: most queries read the same few thousand. A power of two. */
const CACHE_SIZE = 1 << 15

export class Dictionary {
  readonly size: number
  readonly #texts: TextColumn
  readonly #table: Uint32Array
  readonly #cachedNumbers = new Int32Array(CACHE_SIZE).fill(-1)
  readonly #cachedWords: string[] = new Array<string>(CACHE_SIZE).fill('')
  readonly #cachedLetters = new Int32Array(CACHE_SIZE)

  constructor(columns: Unpacked, name: string, size: number) {
    this.#texts = new TextColumn(columns, name, EVERY_ONE)
    this.#table = columns.u32(`${name}.table`)
    this.size = size
  }

  word(number: number): string {
    const slot = number & (CACHE_SIZE - 1)
    if (this.#cachedNumbers[slot] !== number) {
      this.#cachedWords[slot] = this.#texts.at(number)
      this.#cachedLetters[slot] = lettersOf(this.#cachedWords[slot])
      this.#cachedNumbers[slot] = number
    }
    return this.#cachedWords[slot]!
  }

  /** The letters of a word as bits. */
  letters(number: number): number {
    this.word(number)
    return this.#cachedLetters[number & (CACHE_SIZE - 1)]!
  }

  /** Copies the letters of a word into `into` from `at` on, as far as they fit, and returns where they end. */
  copy(number: number, into: Uint8Array, at: number): number {
    return this.#texts.copy(number, into, at)
  }

  /** The number of a word, -1 for an unknown one. */
  number(word: string): number {
    const last = this.#table.length - 1
    for (let slot = hashText(word) & last; ; slot = (slot + 1) & last) {
      const number = this.#table[slot]! - 1
      if (number < 0 || this.#texts.is(number, word)) return number
    }
  }
}

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
    this.#hashes.push(hashText(key))
    this.#values.push(value)
  }

  /** The columns that `KeyIndex` reads under the same name. */
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
        for (const member of group) {
          tails.push(hash & HALF)
          kept.push(member)
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

/** Two keys with one hash return the companies of both, which is safe: every candidate is compared in full. */
export class KeyIndex {
  readonly #buckets: Uint32Array
  readonly #tails: Uint16Array
  readonly #values: Uint32Array
  readonly #shift: number
  readonly #needs: readonly (Need | null)[]

  constructor(columns: Unpacked, name: string) {
    this.#needs = ['tails', 'values'].map(column => columns.need(`${name}.${column}`))
    this.#buckets = columns.u32(`${name}.buckets`)
    this.#tails = columns.u16(`${name}.tails`)
    this.#values = columns.u32(`${name}.values`)
    this.#shift = 32 - Math.log2(this.#buckets.length - 1)
  }

  /** The values of a key, in the order they were added; empty when more than 200 share it. */
  lookup(key: string): number[] {
    const hash = hashText(key)
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
