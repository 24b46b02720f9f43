/** Columns that grow while an index is built: numbers, and bytes of text. Capacity doubles when it is exhausted. */

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
