/**
 * Packs columns of numbers into one shared buffer and finds them again by name. Threads share an index in this form, and a file
 * stores it.
 */

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array } as const

export type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array

export type Columns = Readonly<Record<string, Column>>

/** Position of a column in the buffer. */
interface Place {
  readonly kind: keyof typeof KINDS
  /** In bytes, a multiple of 8. */
  readonly offset: number
  readonly length: number
}

/** Packed columns: plain data that can be posted to a thread, or written to a file and read back. */
export interface IndexImage {
  readonly memory: SharedArrayBuffer
  readonly places: Readonly<Record<string, Place>>
}

const kindOf = (column: Column): Place['kind'] => {
  if (column instanceof Uint8Array) return 'u8'
  if (column instanceof Uint16Array) return 'u16'
  return column instanceof Uint32Array ? 'u32' : 'f32'
}

export function pack(columns: Columns): IndexImage {
  const places: Record<string, Place> = {}
  let offset = 0
  for (const [name, column] of Object.entries(columns)) {
    places[name] = { kind: kindOf(column), offset, length: column.length }
    offset += Math.ceil(column.byteLength / 8) * 8
  }
  const memory = new SharedArrayBuffer(offset)
  for (const [name, column] of Object.entries(columns)) {
    new Uint8Array(memory, places[name]!.offset, column.byteLength).set(
      new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
    )
  }
  return { memory, places }
}

/** Access to the columns of an image by the element type they were packed as. */
export interface Unpacked {
  has(name: string): boolean
  u8(name: string): Uint8Array
  u16(name: string): Uint16Array
  u32(name: string): Uint32Array
  f32(name: string): Float32Array
  /** A column of ids that was packed in the narrowest type. */
  ids(name: string): Uint8Array | Uint16Array | Uint32Array
}

/** Creates views of an image's columns without copying. Throws for a missing column or another element type. */
export function unpack({ memory, places }: IndexImage): Unpacked {
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
  }
}
