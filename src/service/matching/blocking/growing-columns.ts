/**
 * Columns that grow while an index is built: numbers, and bytes of text. They double when full; knows nothing of what they hold.
 */

/** Offsets are 32 bits wide; more text than this is refused rather than mixed up. */
const MOST_BYTES = 0xffff_ffff

const larger = <C extends Uint8Array | Uint16Array | Uint32Array>(column: C, least: number): C => {
  const next = new (column.constructor as new (length: number) => C)(Math.max(least, column.length * 2))
  next.set(column)
  return next
}

/** Whole numbers from 0 to 2^32 - 1, or below 2^16 when `narrow`. */
export class NumberColumn {
  length = 0
  #held: Uint16Array | Uint32Array

  constructor(narrow = false) {
    this.#held = narrow ? new Uint16Array(1024) : new Uint32Array(1024)
  }

  /** Adds one number. */
  push(value: number): void {
    if (this.length === this.#held.length) this.#held = larger(this.#held, 0)
    this.#held[this.length++] = value
  }

  /** All numbers so far; not a copy. */
  all<C extends Uint16Array | Uint32Array>(): C {
    return this.#held.subarray(0, this.length) as C
  }
}

/** Text as UTF-8 bytes, parted by bytes that UTF-8 never uses. */
export class ByteColumn {
  length = 0
  #held = Buffer.alloc(4096)

  #room(bytes: number): void {
    const least = this.length + bytes
    if (least <= this.#held.length) return
    if (least > MOST_BYTES) throw new RangeError('the register holds more than 4 GB of text')
    const next = Buffer.alloc(Math.min(MOST_BYTES, Math.max(least, this.#held.length * 2)))
    this.#held.copy(next, 0, 0, this.length)
    this.#held = next
  }

  /** Adds one byte. */
  push(byte: number): void {
    this.#room(1)
    this.#held[this.length++] = byte
  }

  /** Changes a byte that was added before. */
  put(at: number, byte: number): void {
    this.#held[at] = byte
  }

  /** Adds a text. */
  text(text: string): void {
    if (text === '') return
    this.#room(text.length * 3)
    this.length += this.#held.write(text, this.length)
  }

  /** All bytes so far; not a copy. */
  all(): Uint8Array {
    return new Uint8Array(this.#held.buffer, this.#held.byteOffset, this.length)
  }
}
