/**
 * A hash of a stretch of bytes, four at a time: this is what tells the values of a column apart, so it must be quick and even.
 * It knows nothing of cells.
 */

/**
 * 64 bits in two halves that depend on each other at every step: two values that differ hardly ever have the same hash, not even
 * if they differ in few places. One object is used for all cells of a column, since numbers of more than 32 bits are slow.
 */
export class Hash {
  low = 0
  high = 0

  /** Becomes the hash of the bytes from `start` to `end`, at least one. */
  take(bytes: DataView, start: number, end: number): void {
    const length = end - start
    // Spread out, or a longer value could make up for it by a digit.
    let low = Math.imul(length, 0x9e3779b9)
    let high = ~low
    for (let at = start; at < end - 8; at += 8) {
      low = Math.imul(low ^ bytes.getInt32(at, true) ^ (high >>> 13), 0xcc9e2d51)
      high = Math.imul(high ^ bytes.getInt32(at + 4, true) ^ (low >>> 15), 0x85ebca6b)
    }
    // The last bytes, of which some may have been taken already: cheaper than taking the rest one by one.
    if (length >= 4) {
      low ^= bytes.getInt32(length < 8 ? start : end - 8, true)
      low = Math.imul(low ^ (high >>> 13), 0xcc9e2d51)
      high ^= bytes.getInt32(end - 4, true)
    } else {
      low ^= bytes.getUint8(start) | (bytes.getUint8(start + (length >> 1)) << 8) | (bytes.getUint8(end - 1) << 16)
      low = Math.imul(low ^ (high >>> 13), 0xcc9e2d51)
    }
    high = Math.imul(high ^ (low >>> 15), 0x85ebca6b)
    low = Math.imul(low ^ (high >>> 13), 0xc2b2ae35)
    high = Math.imul(high ^ (low >>> 15), 0xcc9e2d51)
    this.low = low ^ (low >>> 16)
    this.high = high ^ (high >>> 16)
  }
}
