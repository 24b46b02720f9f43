/**
 * Numbers to the places they stand at, eight bytes a place: sorted once, then searched. Knows neither companies nor people; two
 * things of one number lead to both, so that whoever looks one up compares it in full.
 */

/** Places an index can hold; the rest of a double's 53 bits is the key's. */
const PLACES = 2 ** 24
const KEYS = 2 ** 29

/** The key of a text: the same text, the same key. */
export function keyOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % KEYS
}

/** The entry of a place under a key, for a list that is then sorted. */
export const entryOf = (key: number, place: number): number => key * PLACES + place

/** The places under the keys from `first` to `last`, at most `most`, by key. `sorted` holds entries in ascending order. */
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
