/**
 * Packs columns of numbers into one shared buffer and finds them again by name. Threads share an index in this form, and a file
 * stores it: then columns may be read from it as they are needed.
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

/** The columns of which a query reads little: most of an index. A view of one of them asks for each range before reading it. */
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
      this.places[name] = { kind: kindOf(column), offset: this.bytes, length: 0 }
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

const kindOf = (column: Column): Place['kind'] => {
  if (column instanceof Uint8Array) return 'u8'
  if (column instanceof Uint16Array) return 'u16'
  return column instanceof Uint32Array ? 'u32' : 'f32'
}

export const sizeOf = ({ kind, length }: Place): number => length * KINDS[kind].BYTES_PER_ELEMENT

/** Access to the columns of an image by the element type they were packed as. */
export interface Unpacked {
  has(name: string): boolean
  u8(name: string): Uint8Array
  u16(name: string): Uint16Array
  u32(name: string): Uint32Array
  f32(name: string): Float32Array
  /** A column of ids that was packed in the narrowest type. */
  ids(name: string): Uint8Array | Uint16Array | Uint32Array
  /** Makes elements of a column of BY_RANGE readable; null when they are. */
  need(name: string): Need | null
}

/** From one element up to another. */
export type Need = (from: number, to: number) => void

/** Creates views of an image's columns without copying. Throws for a missing column or another element type. */
export function unpack({ memory, places, pages }: IndexImage): Unpacked {
  const view = <C extends Column>(name: string, kinds: readonly Place['kind'][]): C => {
    const place = places[name]
    if (place === undefined || !kinds.includes(place.kind))
      throw new Error(`the index has no column ${name} of ${kinds.join(' or ')}`)
    const kind = KINDS[place.kind] as new (memory: SharedArrayBuffer, offset: number, length: number) => Column
    return new kind(memory, place.offset, place.length) as C
  }
  return {
    has: name => Object.hasOwn(places, name),
    u8: name => view(name, ['u8']),
    u16: name => view(name, ['u16']),
    u32: name => view(name, ['u32']),
    f32: name => view(name, ['f32']),
    ids: name => view(name, ['u8', 'u16', 'u32']),
    need: name => {
      const place = places[name]
      if (pages === undefined || pages.isComplete || place === undefined || !BY_RANGE.has(name)) return null
      const size = KINDS[place.kind].BYTES_PER_ELEMENT
      return (from, to) => pages.need(place.offset + from * size, place.offset + to * size)
    },
  }
}
