/**
 * The columns of an index. Builders grow them: numbers, bytes, texts in one byte buffer that are decoded one at a time. Then they are packed
 * into one shared buffer and found again by name: threads share an index in this form, and a file stores it, so that columns may be read
 * from it as they are needed.
 */

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array } as const

export type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array

export type Columns = Readonly<Record<string, Column>>

/** Position of a column in the buffer. */
export interface Place {
  readonly kind: keyof typeof KINDS
  /** In bytes, a multiple of 8. */
  readonly offset: number
  readonly length: number
}

/** Reads parts of an image when they are needed. */
export interface Pages {
  /** All of the memory is readable. */
  readonly isComplete: boolean
  /** Makes these bytes of the memory readable. Throws when they cannot be read. */
  need(from: number, to: number): void
}

/** Packed columns: memory and places are plain data that can be posted to a thread. */
export interface IndexImage {
  readonly memory: SharedArrayBuffer
  readonly places: Readonly<Record<string, Place>>
  /** Reads the columns of BY_RANGE; absent when the whole image is in memory. */
  readonly pages?: Pages
}

/** The columns that a query reads in small parts: most of an index. A view of one of them asks for each range before reading it. */
export const BY_RANGE: ReadonlySet<string> = new Set([
  ...['companies.bytes', 'identifiers.orgNumber.bytes', 'identifiers.postcode.bytes', 'places.ids'],
  ...['byWord.lists', 'byTrigram.lists', 'keys.tails', 'keys.values', 'names.tails', 'names.values'],
])

/** The bytes of a column, without copying. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Column): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength)

/** Assigns places to columns in the order in which their pieces come: the pieces of one column follow each other. */
export class Layout {
  readonly places: Record<string, Place> = {}
  bytes = 0
  #last = ''

  /** Where the piece goes. */
  add(name: string, column: Column): number {
    if (name !== this.#last) {
      this.bytes = Math.ceil(this.bytes / 8) * 8
      this.places[name] = { kind: findKind(column), offset: this.bytes, length: 0 }
      this.#last = name
    }
    const place = this.places[name]!
    this.places[name] = { ...place, length: place.length + column.length }
    this.bytes += column.byteLength
    return this.bytes - column.byteLength
  }
}

/** Packs columns, or pieces of them, in memory. */
export function pack(columns: Iterable<readonly [string, Column]>): IndexImage {
  const layout = new Layout()
  const pieces = Array.from(columns, ([name, column]) => [layout.add(name, column), bytesOf(column)] as const)
  const memory = new SharedArrayBuffer(layout.bytes)
  for (const [offset, bytes] of pieces) new Uint8Array(memory, offset, bytes.length).set(bytes)
  return { memory, places: layout.places }
}

const findKind = (column: Column): Place['kind'] => {
  if (column instanceof Uint8Array) return 'u8'
  if (column instanceof Uint16Array) return 'u16'
  return column instanceof Uint32Array ? 'u32' : 'f32'
}

export const sizeOf = ({ kind, length }: Place): number => length * KINDS[kind].BYTES_PER_ELEMENT

/** From one element up to another. */
export type Need = (from: number, to: number) => void

/** Creates views of an image's columns without copying. Throws for a missing column or another element type. */
export function unpack({ memory, places, pages }: IndexImage) {
  const view = <C extends Column>(name: string, kinds: readonly Place['kind'][]): C => {
    const place = places[name]
    if (place === undefined || !kinds.includes(place.kind))
      throw new Error(`the index has no column ${name} of ${kinds.join(' or ')}`)
    const kind = KINDS[place.kind] as new (memory: SharedArrayBuffer, offset: number, length: number) => Column
    return new kind(memory, place.offset, place.length) as C
  }
  return {
    has: (name: string): boolean => Object.hasOwn(places, name),
    u8: (name: string): Uint8Array => view(name, ['u8']),
    u16: (name: string): Uint16Array => view(name, ['u16']),
    u32: (name: string): Uint32Array => view(name, ['u32']),
    f32: (name: string): Float32Array => view(name, ['f32']),
    /** A column of ids that was packed in the narrowest type. */
    ids: (name: string): Uint8Array | Uint16Array | Uint32Array => view(name, ['u8', 'u16', 'u32']),
    /** Makes elements of a column of BY_RANGE readable; null when they are. */
    need(name: string): Need | null {
      const place = places[name]
      if (pages === undefined || pages.isComplete || place === undefined || !BY_RANGE.has(name)) return null
      const size = KINDS[place.kind].BYTES_PER_ELEMENT
      return (from, to) => pages.need(place.offset + from * size, place.offset + to * size)
    },
  }
}

/** Access to the columns of an image by the element type they were packed as. */
export type Unpacked = ReturnType<typeof unpack>

/** Offsets are 32 bits wide, so a longer text is rejected. */
const MAX_BYTES = 0xffff_ffff

/** Bytes that are worth handing over. */
const LARGE = 4 << 20

const enlarged = <C extends Uint8Array | Uint16Array | Uint32Array>(column: C, least: number): C => {
  const next = new (column.constructor as new (length: number) => C)(Math.max(least, column.length * 2))
  next.set(column)
  return next
}

/** Whole numbers from 0 to 2^32 - 1, or below 2^16 when `narrow`. */
export class NumberColumn {
  length = 0
  #buffer: Uint16Array | Uint32Array

  constructor(narrow = false) {
    this.#buffer = narrow ? new Uint16Array(1024) : new Uint32Array(1024)
  }

  push(value: number): void {
    if (this.length === this.#buffer.length) this.#buffer = enlarged(this.#buffer, 0)
    this.#buffer[this.length++] = value
  }

  /** All numbers so far, without copying. */
  all<C extends Uint16Array | Uint32Array>(): C {
    return this.#buffer.subarray(0, this.length) as C
  }

  /** Hands over all numbers: the column does not keep them in memory. */
  take<C extends Uint16Array | Uint32Array>(): C {
    const all = this.all<C>()
    this.#buffer = this.#buffer.subarray(0, 0).slice()
    return all
  }
}

/** Text as UTF-8 bytes, separated by bytes that never occur in UTF-8. */
export class ByteColumn {
  #buffer = Buffer.alloc(4096)
  /** Bytes in the buffer, and those handed over before them. */
  #used = 0
  #before = 0

  get length(): number {
    return this.#before + this.#used
  }

  #room(bytes: number): void {
    const least = this.#used + bytes
    if (least <= this.#buffer.length) return
    if (this.#before + least > MAX_BYTES) throw new RangeError('the register holds more than 4 GB of text')
    const next = Buffer.alloc(Math.min(MAX_BYTES, Math.max(least, this.#buffer.length * 2)))
    this.#buffer.copy(next, 0, 0, this.#used)
    this.#buffer = next
  }

  push(byte: number): void {
    this.#room(1)
    this.#buffer[this.#used++] = byte
  }

  /** Overwrites a byte that was added before. */
  put(at: number, byte: number): void {
    this.#buffer[at - this.#before] = byte
  }

  text(text: string): void {
    if (text === '') return
    this.#room(text.length * 3)
    this.#used += this.#buffer.write(text, this.#used)
  }

  /** Hands over the bytes since the last call, without copying: the column does not keep them in memory. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset, this.#used)
    this.#buffer = Buffer.alloc(Math.min(this.#buffer.length, LARGE + 4096))
    this.#before += this.#used
    this.#used = 0
    return bytes
  }

  /** The same once they are many, else null. */
  takeLarge(): Uint8Array | null {
    return this.#used < LARGE ? null : this.take()
  }
}

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

  /** The columns that `TextColumn` reads under the same name. */
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

  /** `stored`: as given to its builder. */
  constructor(columns: Unpacked, name: string, stored = EVERY_EIGHTH) {
    const bytes = columns.u8(`${name}.bytes`)
    this.bytes = bytes
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.starts = columns.u32(`${name}.starts`)
    this.#need = columns.need(`${name}.bytes`)
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

  /** The columns that `RepeatedTextColumn` reads under the same name. */
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

  constructor(columns: Unpacked, name: string) {
    this.ids = columns.ids(`${name}.ids`)
    this.#texts = new TextColumn(columns, name)
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
