/** Columns of texts in one byte buffer, decoded one at a time; a column of repeated texts stores each text once. */
import { ByteColumn, NumberColumn } from './growing-columns.ts'
import type { Columns, Need, Unpacked } from './packed-columns.ts'

/** Ends each text: a byte that never occurs in UTF-8. */
const END = 0xff
/** Only the offset of every eighth text is stored; the others are found by counting. Most texts are short, many empty. */
const EVERY_EIGHTH = 3
/** The offset of each text is stored: binary logarithms. */
export const EVERY_ONE = 0

export class TextColumnBuilder {
  length = 0
  readonly #bytes = new ByteColumn()
  readonly #starts = new NumberColumn()
  readonly #mask: number

  constructor(stored = EVERY_EIGHTH) {
    this.#mask = (1 << stored) - 1
  }

  add(text: string): void {
    if ((this.length & this.#mask) === 0) this.#starts.push(this.#bytes.length)
    this.#bytes.text(text)
    this.#bytes.push(END)
    this.length++
  }

  /** The columns that `textColumnIn` reads under the same name. */
  columns(name: string): Columns {
    return { [`${name}.bytes`]: this.#bytes.take(), [`${name}.starts`]: this.#starts.take<Uint32Array>() }
  }
}

export class TextColumn {
  readonly bytes: Uint8Array
  readonly #buffer: Buffer
  /** Where the text of every position that is a multiple of 2^shift starts. */
  readonly starts: Uint32Array
  readonly #need: Need | null
  readonly shift: number
  readonly #mask: number

  constructor(bytes: Uint8Array, starts: Uint32Array, need: Need | null, stored = EVERY_EIGHTH) {
    this.bytes = bytes
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.starts = starts
    this.#need = need
    this.shift = stored
    this.#mask = (1 << stored) - 1
  }

  #start(position: number): number {
    const bytes = this.bytes
    const block = position >>> this.shift
    let at = this.starts[block]!
    if (this.#need !== null) this.#need(at, this.starts[block + 1] ?? bytes.length)
    for (let skip = position & this.#mask; skip > 0; at++) if (bytes[at] === END) skip--
    return at
  }

  /** The same as `at(position) === text`, without decoding. */
  is(position: number, text: string): boolean {
    const bytes = this.bytes
    const start = this.#start(position)
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 0x80) return this.at(position) === text
      if (bytes[start + at] !== code) return false
    }
    return bytes[start + text.length] === END
  }

  /** The first byte of the text at this position, without decoding it; -1 when it is empty. */
  first(position: number): number {
    const byte = this.bytes[this.#start(position)]!
    return byte === END ? -1 : byte
  }

  /** Copies the bytes of a text into `into` from `to` on, as far as they fit, and returns where they end. */
  copy(position: number, into: Uint8Array, to: number): number {
    const bytes = this.bytes
    let end = to
    let at = this.#start(position)
    for (let byte = bytes[at]!; byte !== END; byte = bytes[++at]!) into[end++] = byte
    return end
  }

  at(position: number): string {
    const bytes = this.bytes
    const start = this.#start(position)
    let at = start
    let anyBits = 0
    for (let byte = bytes[at]!; byte !== END; byte = bytes[++at]!) anyBits |= byte
    if (at === start) return ''
    return this.#buffer.toString(anyBits < 0x80 ? 'latin1' : 'utf8', start, at)
  }
}

/** `stored`: as given to its builder. */
export const textColumnIn = (columns: Unpacked, name: string, stored?: number): TextColumn =>
  new TextColumn(columns.u8(`${name}.bytes`), columns.u32(`${name}.starts`), columns.need(`${name}.bytes`), stored)

export class RepeatedTextBuilder {
  readonly #ids = new NumberColumn()
  readonly #known = new Map<string, number>()
  readonly #texts = new TextColumnBuilder()

  add(text: string): void {
    let id = this.#known.get(text)
    if (id === undefined) {
      id = this.#texts.length
      this.#texts.add(text)
      this.#known.set(text, id)
    }
    this.#ids.push(id)
  }

  /** The columns that `repeatedTextIn` reads under the same name. */
  columns(name: string): Columns {
    const ids = this.#ids.take<Uint32Array>()
    this.#known.clear()
    const most = this.#texts.length
    const narrow = most <= 0x100 ? Uint8Array.from(ids) : most <= 0x1_0000 ? Uint16Array.from(ids) : ids
    return { [`${name}.ids`]: narrow, ...this.#texts.columns(name) }
  }
}

/** Texts with low ids are read most: countries, legal forms. */
const CACHE_SIZE = 1024

export class RepeatedTextColumn<T extends string = string> {
  readonly ids: Uint8Array | Uint16Array | Uint32Array
  readonly #texts: TextColumn
  readonly #cache: T[] = []

  constructor(ids: Uint8Array | Uint16Array | Uint32Array, texts: TextColumn) {
    this.ids = ids
    this.#texts = texts
  }

  /** The same as `at(position) === text`, without decoding. */
  is(position: number, text: string): boolean {
    return this.#texts.is(this.ids[position]!, text)
  }

  at(position: number): T {
    const id = this.ids[position]!
    if (id >= CACHE_SIZE) return this.#texts.at(id) as T
    this.#cache[id] ??= this.#texts.at(id) as T
    return this.#cache[id]
  }
}

export const repeatedTextIn = <T extends string>(columns: Unpacked, name: string): RepeatedTextColumn<T> =>
  new RepeatedTextColumn<T>(columns.ids(`${name}.ids`), textColumnIn(columns, name))
