/** Bytes to which records are added. They double when they are full, so that each byte is copied about once. */
export class GrowingBytes {
  #all: Buffer = Buffer.alloc(1024)
  #length = 0

  /** Adds `count` zeros and returns the place of the first. */
  extend(count: number): number {
    const at = this.#length
    this.#length += count
    if (this.#length > this.#all.length) this.#all = Buffer.concat([this.#all], Math.max(2 * this.#all.length, this.#length))
    return at
  }

  add(bytes: ArrayLike<number>): void {
    const at = this.extend(bytes.length)
    this.#all.set(bytes, at)
  }

  /** Valid until more is added. */
  get bytes(): Buffer {
    return this.#all.subarray(0, this.#length)
  }
}
