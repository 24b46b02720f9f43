/** Bytes are mostly read in the order in which they were written: then much is read at once, else little. */
const WINDOW = { ahead: 262_144, single: 4_096 }

/** The bytes around the last place that was read, in one buffer: they are valid until the next call. */
export class ReadWindow {
  readonly #read: (place: number, into: Buffer) => Buffer
  #buffer: Buffer = Buffer.alloc(0)
  #bytes: Buffer = Buffer.alloc(0)
  #from = 0

  constructor(read: (place: number, into: Buffer) => Buffer) {
    this.#read = read
  }

  at(place: number, length: number): Buffer {
    const end = this.#from + this.#bytes.length
    if (place < this.#from || place + length > end) {
      const isNext = place <= end && place >= end - WINDOW.single
      const wanted = Math.max(isNext ? WINDOW.ahead : WINDOW.single, length)
      if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted)
      this.#bytes = this.#read(place, this.#buffer.subarray(0, wanted))
      this.#from = place
    }
    return this.#bytes.subarray(place - this.#from, place - this.#from + length)
  }
}
