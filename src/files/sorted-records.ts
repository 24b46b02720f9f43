/** Records of one length that begin with a digest, sorted by it. */

/** By the first three bytes, which few records share. */
export function sortRecords(records: Buffer, length: number): Buffer {
  const order = new Float64Array(records.length / length)
  for (let at = 0; at < order.length; at++) order[at] = records.readUIntBE(at * length, 3) * 2 ** 29 + at
  const sorted = Buffer.allocUnsafe(records.length)
  order.sort().forEach((rank, at) => {
    const from = (rank % 2 ** 29) * length
    records.copy(sorted, at * length, from, from + length)
  })
  return sorted
}

/** Where the records start whose digests have the same first bits, about sixteen each. */
export class RecordBuckets {
  readonly #length: number
  readonly #bits: number
  readonly #starts: Uint32Array

  /** `pieces`: the sorted records, which are `count`, in whole ones. */
  constructor(pieces: Iterable<Buffer>, count: number, length: number) {
    this.#length = length
    this.#bits = Math.min(16, Math.max(0, Math.ceil(Math.log2(count / 16 + 1))))
    this.#starts = new Uint32Array(2 ** this.#bits + 1)
    for (const records of pieces)
      for (let place = 0; place < records.length; place += this.#length) this.#starts[this.#bucketOf(records, place) + 1]!++
    for (let at = 1; at < this.#starts.length; at++) this.#starts[at]! += this.#starts[at - 1]!
  }

  /** The first record that may have the digest, and the one after the last. */
  find(digest: Buffer): readonly [number, number] {
    const bucket = this.#bucketOf(digest, 0)
    return [this.#starts[bucket]!, this.#starts[bucket + 1]!]
  }

  #bucketOf(bytes: Buffer, place: number): number {
    return bytes.readUInt16BE(place) >> (16 - this.#bits)
  }
}
