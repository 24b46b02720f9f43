/**
 * A column of texts in one buffer of bytes, read one at a time; and one of texts that repeat, each held once. Knows no meaning.
 */
import { ByteColumn, NumberColumn } from './growing-columns.ts'
import type { Columns, Unpacked } from './packed-columns.ts'

/** Ends each text: a byte that UTF-8 never uses. */
const END = 0xff
/** Only every eighth text has its place written down; the others are counted off from there. Most texts are short, many empty. */
const SHIFT = 3
const BLOCK = 1 << SHIFT

/** Gathers a column of texts. */
export class TextColumnBuilder {
  length = 0
  readonly #bytes = new ByteColumn()
  readonly #starts = new NumberColumn()

  /** Adds the next text. */
  add(text: string): void {
    if (this.length % BLOCK === 0) this.#starts.push(this.#bytes.length)
    this.#bytes.text(text)
    this.#bytes.push(END)
    this.length++
  }

  /** The columns, to be read by `textColumnIn` under the same name. */
  columns(name: string): Columns {
    return { [`${name}.bytes`]: this.#bytes.all(), [`${name}.starts`]: this.#starts.all<Uint32Array>() }
  }
}

/** A column of texts. */
export class TextColumn {
  readonly #bytes: Uint8Array
  readonly #buffer: Buffer
  readonly #starts: Uint32Array

  constructor(bytes: Uint8Array, starts: Uint32Array) {
    this.#bytes = bytes
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#starts = starts
  }

  #start(position: number): number {
    const bytes = this.#bytes
    let at = this.#starts[position >>> SHIFT]!
    for (let skip = position & (BLOCK - 1); skip > 0; at++) if (bytes[at] === END) skip--
    return at
  }

  /** The first byte of the text at this position, without reading it; -1 when it is empty. */
  first(position: number): number {
    const byte = this.#bytes[this.#start(position)]!
    return byte === END ? -1 : byte
  }

  /** Writes the bytes of a text to `into` from `to` on, as far as there is room, and gives where they end. */
  copy(position: number, into: Uint8Array, to: number): number {
    const bytes = this.#bytes
    let end = to
    let at = this.#start(position)
    for (let byte = bytes[at]!; byte !== END; byte = bytes[++at]!) into[end++] = byte
    return end
  }

  /** The text at this position. */
  at(position: number): string {
    const bytes = this.#bytes
    const start = this.#start(position)
    let at = start
    let seen = 0
    for (let byte = bytes[at]!; byte !== END; byte = bytes[++at]!) seen |= byte
    if (at === start) return ''
    return this.#buffer.toString(seen < 0x80 ? 'latin1' : 'utf8', start, at)
  }
}

/** The column of texts packed under this name. */
export const textColumnIn = (columns: Unpacked, name: string): TextColumn =>
  new TextColumn(columns.u8(`${name}.bytes`), columns.u32(`${name}.starts`))

/** Gathers a column of texts that repeat. */
export class RepeatedTextBuilder {
  readonly #ids = new NumberColumn()
  readonly #known = new Map<string, number>()
  readonly #texts = new TextColumnBuilder()

  /** Adds the next text. */
  add(text: string): void {
    let id = this.#known.get(text)
    if (id === undefined) {
      id = this.#texts.length
      this.#texts.add(text)
      this.#known.set(text, id)
    }
    this.#ids.push(id)
  }

  /** The columns, to be read by `repeatedTextIn` under the same name. */
  columns(name: string): Columns {
    const ids = this.#ids.all<Uint32Array>()
    const most = this.#texts.length
    const narrow = most <= 0x100 ? Uint8Array.from(ids) : most <= 0x1_0000 ? Uint16Array.from(ids) : ids
    return { [`${name}.ids`]: narrow, ...this.#texts.columns(name) }
  }
}

/** TextColumn of low ids are asked for most: countries, legal forms. */
const KEPT = 1024

/** A column of texts that repeat. */
export class RepeatedTextColumn<T extends string = string> {
  readonly #ids: Uint8Array | Uint16Array | Uint32Array
  readonly #texts: TextColumn
  readonly #kept: T[] = []

  constructor(ids: Uint8Array | Uint16Array | Uint32Array, texts: TextColumn) {
    this.#ids = ids
    this.#texts = texts
  }

  /** The text at this position. */
  at(position: number): T {
    const id = this.#ids[position]!
    if (id >= KEPT) return this.#texts.at(id) as T
    this.#kept[id] ??= this.#texts.at(id) as T
    return this.#kept[id]
  }
}

/** The column of repeated texts packed under this name. */
export const repeatedTextIn = <T extends string>(columns: Unpacked, name: string): RepeatedTextColumn<T> =>
  new RepeatedTextColumn<T>(columns.ids(`${name}.ids`), textColumnIn(columns, name))
