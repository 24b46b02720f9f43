/** Rows of either list that wait for their partner in the other, by id: about 50 bytes for each, which are used again once it came. */

const NONE = -1
const FIRST = 1024

/** Words of a row: its id, its flags, its number in its list, and digests of 64 bits. */
const ID_WORDS = 4
const FLAGS = 4
const NUMBER = 5
const DIGESTS = 6

export class PendingRows {
  size = 0
  readonly #width: number
  #words: Uint32Array<ArrayBuffer>
  /** By the first word of an id: the first row there. */
  #heads: Int32Array<ArrayBuffer>
  /** And the last one. */
  #tails: Int32Array<ArrayBuffer>
  /** By row: the next one there, in the order in which they came; of a free row the next free one. */
  #next: Int32Array<ArrayBuffer>
  #free = NONE
  /** Rows that were used so far. */
  #used = 0

  /** `digests`: how many are kept of a row. */
  constructor(digests: number) {
    this.#width = DIGESTS + 2 * digests
    this.#words = new Uint32Array(FIRST * this.#width)
    this.#heads = new Int32Array(FIRST).fill(NONE)
    this.#tails = new Int32Array(FIRST)
    this.#next = new Int32Array(FIRST)
  }

  /** The oldest row with an id of 16 bytes, -1 without one. */
  find(id: Buffer): number {
    if (this.size === 0) return NONE
    for (let row = this.#heads[this.#place(id.readUInt32LE(0))]!; row !== NONE; row = this.#next[row]!)
      if (this.#hasId(row, id)) return row
    return NONE
  }

  add(id: Buffer, flags: number, number: number): number {
    if (this.#free === NONE && this.#used === this.#next.length) this.#grow()
    const isFree = this.#free !== NONE
    const row = isFree ? this.#free : this.#used++
    if (isFree) this.#free = this.#next[row]!
    const from = row * this.#width
    for (let n = 0; n < ID_WORDS; n++) this.#words[from + n] = id.readUInt32LE(n * 4)
    this.#words[from + FLAGS] = flags
    this.#words[from + NUMBER] = number
    this.#append(row)
    this.size++
    return row
  }

  remove(row: number): void {
    const place = this.#place(this.#words[row * this.#width]!)
    const next = this.#next[row]!
    if (this.#heads[place] === row) this.#heads[place] = next
    else {
      let before = this.#heads[place]!
      while (this.#next[before] !== row) before = this.#next[before]!
      this.#next[before] = next
      if (next === NONE) this.#tails[place] = before
    }
    this.#next[row] = this.#free
    this.#free = row
    this.size--
  }

  flags(row: number): number {
    return this.#words[row * this.#width + FLAGS]!
  }

  number(row: number): number {
    return this.#words[row * this.#width + NUMBER]!
  }

  setDigest(row: number, n: number, digest: Buffer): void {
    const at = row * this.#width + DIGESTS + n * 2
    this.#words[at] = digest.readUInt32LE(0)
    this.#words[at + 1] = digest.readUInt32LE(4)
  }

  isSame(row: number, n: number, digest: Buffer): boolean {
    const at = row * this.#width + DIGESTS + n * 2
    return this.#words[at] === digest.readUInt32LE(0) && this.#words[at + 1] === digest.readUInt32LE(4)
  }

  /** All rows, in no order; none may be added or removed meanwhile. */
  *all(): Generator<number> {
    for (let row of this.#heads) for (; row !== NONE; row = this.#next[row]!) yield row
  }

  #place(word: number): number {
    return word & (this.#heads.length - 1)
  }

  #hasId(row: number, id: Buffer): boolean {
    const from = row * this.#width
    for (let n = 0; n < ID_WORDS; n++) if (this.#words[from + n] !== id.readUInt32LE(n * 4)) return false
    return true
  }

  #append(row: number): void {
    this.#next[row] = NONE
    const place = this.#place(this.#words[row * this.#width]!)
    const last = this.#tails[place]!
    if (this.#heads[place] === NONE) this.#heads[place] = row
    else this.#next[last] = row
    this.#tails[place] = row
  }

  /** Only where no row is free: all of them wait. */
  #grow(): void {
    const [heads, next, words] = [this.#heads, this.#next, this.#words]
    this.#heads = new Int32Array(heads.length * 2).fill(NONE)
    this.#tails = new Int32Array(heads.length * 2)
    this.#next = new Int32Array(next.length * 2)
    this.#words = new Uint32Array(words.length * 2)
    this.#words.set(words)
    for (let row of heads)
      while (row !== NONE) {
        this.#append(row)
        row = next[row]!
      }
  }
}
