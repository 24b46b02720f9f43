/**
 * Numbers distinct digests of 128 bits, in the order in which they are added: about 30 bytes for each. With the keys of rows it is the
 * one part of a run whose memory grows with the input.
 */
const WORDS = 4
const FIRST_SLOTS = 4_096

export class DigestIndex {
  size = 0
  /** By number: half of the slots are free, and these take no memory. */
  #words: Uint32Array<ArrayBuffer>
  /** The number plus one, 0 for a free slot. */
  #numbers: Uint32Array<ArrayBuffer>

  /** `expected`: about how many digests come; arrays that grow leave their smaller copies in the memory of the process. */
  constructor(expected = 0) {
    const slots = Math.max(FIRST_SLOTS, 2 ** Math.ceil(Math.log2(2 * expected + 2)))
    this.#words = new Uint32Array((slots / 2) * WORDS)
    this.#numbers = new Uint32Array(slots)
  }

  /** The number of a digest of 16 bytes; adds a new one under the number `size`. */
  add(digest: Buffer): number {
    const [a, b, c, d] = [word(digest, 0), word(digest, 1), word(digest, 2), word(digest, 3)]
    const at = this.#find(a, b, c, d)
    const known = this.#numbers[at]!
    if (known !== 0) return known - 1
    const from = this.size * WORDS
    this.#words[from] = a
    this.#words[from + 1] = b
    this.#words[from + 2] = c
    this.#words[from + 3] = d
    this.#numbers[at] = ++this.size
    if (this.size === this.#numbers.length / 2) this.#grow()
    return this.size - 1
  }

  /** The number of a digest of 16 bytes, -1 where it was not added. */
  find(digest: Buffer): number {
    return this.#numbers[this.#find(word(digest, 0), word(digest, 1), word(digest, 2), word(digest, 3))]! - 1
  }

  #find(a: number, b: number, c: number, d: number): number {
    const words = this.#words
    const numbers = this.#numbers
    const mask = numbers.length - 1
    for (let at = a & mask; ; at = (at + 1) & mask) {
      const number = numbers[at]!
      if (number === 0) return at
      const from = (number - 1) * WORDS
      if (words[from] === a && words[from + 1] === b && words[from + 2] === c && words[from + 3] === d) return at
    }
  }

  #grow(): void {
    this.#numbers = new Uint32Array(this.#numbers.length * 2)
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    const mask = this.#numbers.length - 1
    for (let number = 0; number < this.size; number++) {
      let at = words[number * WORDS]! & mask
      while (this.#numbers[at] !== 0) at = (at + 1) & mask
      this.#numbers[at] = number + 1
    }
  }
}

const word = (digest: Buffer, n: number): number => digest.readUInt32LE(n * 4)
