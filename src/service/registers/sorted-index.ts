/**
 * A sorted index from 29-bit keys to positions, eight bytes per entry. Keys are hashes, so callers must compare what they look
 * up.
 */

/** Maximum number of positions; the other bits of a double's 53 are the key's. */
const PLACES = 2 ** 24
const KEYS = 2 ** 29

/** FNV-1a hash of a text, reduced to the range of keys. */
export function makeKey(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % KEYS
}

/** The entry of a position under a key. Entries must be sorted before lookups. */
export const makeEntry = (key: number, place: number): number => key * PLACES + place

/** At most `most` positions under the keys from `first` to `last`, by key. `sorted` has entries in ascending order. */
export function placesBetween(sorted: Float64Array, first: number, last: number, most: number): number[] {
  const start = first * PLACES
  const end = (last + 1) * PLACES
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < start) low = middle + 1
    else high = middle
  }
  const found: number[] = []
  for (let at = low; at < sorted.length && sorted[at]! < end && found.length < most; at++) found.push(sorted[at]! % PLACES)
  return found
}
