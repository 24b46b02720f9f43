/** Columns that grow while an index is built: numbers, and bytes of text. Capacity doubles when it is exhausted. */

/** Offsets are 32 bits wide, so a enlarged text is rejected. */
const MAX_BYTES = 0xffff_ffff

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
}

/** Text as UTF-8 bytes, separated by bytes that never occur in UTF-8. */
export class ByteColumn {
  length = 0
  #buffer = Buffer.alloc(4096)

  #room(bytes: number): void {
    const least = this.length + bytes
    if (least <= this.#buffer.length) return
    if (least > MAX_BYTES) throw new RangeError('the register holds more than 4 GB of text')
    const next = Buffer.alloc(Math.min(MAX_BYTES, Math.max(least, this.#buffer.length * 2)))
    this.#buffer.copy(next, 0, 0, this.length)
    this.#buffer = next
  }

  push(byte: number): void {
    this.#room(1)
    this.#buffer[this.length++] = byte
  }

  /** Overwrites a byte that was added before. */
  put(at: number, byte: number): void {
    this.#buffer[at] = byte
  }

  text(text: string): void {
    if (text === '') return
    this.#room(text.length * 3)
    this.length += this.#buffer.write(text, this.length)
  }

  /** All bytes so far, without copying. */
  all(): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset, this.length)
  }
}
