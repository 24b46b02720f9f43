/** Random numbers from seeds: the same words give the same numbers, regardless of earlier draws. */

/** Draws numbers in [0, 1). */
export type Draw = () => number

/** FNV-1a with a last mix: a number of 32 bits for words. */
export function hash(...words: readonly (string | number)[]): number {
  let value = 0x811c9dc5
  for (const char of words.join('\n')) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}

/** A stream of numbers of its own for these words (mulberry32). */
export function draw(...words: readonly (string | number)[]): Draw {
  let seed = hash(...words)
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One of several. */
export const pick = <T>(next: Draw, from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
