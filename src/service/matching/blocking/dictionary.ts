/** Numbers words in order of first occurrence: number to word, and word to number through a hash table. */
import { lettersOf } from '../similarity.ts'
import type { Columns, Unpacked } from './packed-columns.ts'
import { EVERY_ONE, type TextColumn, TextColumnBuilder, textColumnIn } from './text-columns.ts'

/** A 32-bit FNV-1a hash with MurmurHash3's finish, well distributed in all bits. */
export function hashOf(text: string): number {
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

  /** The columns that `dictionaryIn` reads under the same name. */
  columns(name: string): Columns {
    let slots = 16
    while (slots < this.size * 2) slots *= 2
    const table = new Uint32Array(slots)
    for (const [word, number] of this.#numbers) {
      let slot = hashOf(word) & (slots - 1)
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

  constructor(texts: TextColumn, table: Uint32Array, size: number) {
    this.#texts = texts
    this.#table = table
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
    for (let slot = hashOf(word) & last; ; slot = (slot + 1) & last) {
      const number = this.#table[slot]! - 1
      if (number < 0 || this.#texts.is(number, word)) return number
    }
  }
}

export const dictionaryIn = (columns: Unpacked, name: string, size: number): Dictionary =>
  new Dictionary(textColumnIn(columns, name, EVERY_ONE), columns.u32(`${name}.table`), size)
