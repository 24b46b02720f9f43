/**
 * Words numbered as they were met: number to word, and word to number through a table of hashes. Knows no postings.
 */
import type { Columns, Unpacked } from './packed-columns.ts'
import { type TextColumn, TextColumnBuilder, textColumnIn } from './text-columns.ts'

/** A hash of 32 bits, spread well in all of them (the finish is MurmurHash3's). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** NumberColumn words. */
export class DictionaryBuilder {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new TextColumnBuilder()

  /** The number of a word, given out when it is new. */
  number(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const fresh = this.#texts.length
    this.#texts.add(word)
    this.#numbers.set(word, fresh)
    return fresh
  }

  /** How many words there are. */
  get size(): number {
    return this.#texts.length
  }

  /** The columns, to be read by `dictionaryIn` under the same name. */
  columns(name: string): Columns {
    let slots = 16
    while (slots < this.size * 2) slots *= 2
    const table = new Uint32Array(slots)
    for (const [word, number] of this.#numbers) {
      let slot = hashOf(word) & (slots - 1)
      while (table[slot] !== 0) slot = (slot + 1) & (slots - 1)
      table[slot] = number + 1
    }
    return { [`${name}.table`]: table, ...this.#texts.columns(name) }
  }
}

/** Words read last, by number: the same few thousand are asked for over and over. A power of two. */
const KEPT = 1 << 15

/** Numbered words. */
export class Dictionary {
  readonly size: number
  readonly #texts: TextColumn
  readonly #table: Uint32Array
  readonly #keptNumbers = new Int32Array(KEPT).fill(-1)
  readonly #keptWords: string[] = new Array<string>(KEPT).fill('')

  constructor(texts: TextColumn, table: Uint32Array, size: number) {
    this.#texts = texts
    this.#table = table
    this.size = size
  }

  /** The word of a number. */
  word(number: number): string {
    const slot = number & (KEPT - 1)
    if (this.#keptNumbers[slot] !== number) {
      this.#keptWords[slot] = this.#texts.at(number)
      this.#keptNumbers[slot] = number
    }
    return this.#keptWords[slot]!
  }

  /** Writes the letters of a word to `into` from `at` on, as far as there is room, and gives where they end. */
  copy(number: number, into: Uint8Array, at: number): number {
    return this.#texts.copy(number, into, at)
  }

  /** The number of a word, -1 for one that is not there. */
  number(word: string): number {
    const last = this.#table.length - 1
    for (let slot = hashOf(word) & last; ; slot = (slot + 1) & last) {
      const number = this.#table[slot]! - 1
      if (number < 0 || this.#texts.at(number) === word) return number
    }
  }
}

/** The dictionary packed under this name. */
export const dictionaryIn = (columns: Unpacked, name: string, size: number): Dictionary =>
  new Dictionary(textColumnIn(columns, name), columns.u32(`${name}.table`), size)
