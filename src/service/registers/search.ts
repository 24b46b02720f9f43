/**
 * Finds companies by Safe Number and by postcode. Each index is built from all companies on first use, in slices, so that other
 * requests are served meanwhile.
 */
import { setImmediate } from 'node:timers/promises'
import { safeNumber } from '../enrichment/tags.ts'
import type { Company } from '../matching/types.ts'
import type { Engine } from './engine.ts'
import { entryOf, keyOf, placesBetween } from './sorted-index.ts'

const SAFE_NUMBER = /^[A-Z]{2}(?:\d{8}|\d{15})$/
/** Companies indexed in one turn of the event loop: one to two milliseconds. */
const SLICE = 256
/** Number of characters of a postcode in its key; the others are compared. */
const KEY_LENGTH = 5

export const plainPostcode = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]+/g, '')

/** The start of a postcode as a number of base 37 in text order; `fill` is the digit of missing characters. */
function postcodeKey(start: string, fill: number): number {
  let key = 0
  for (let at = 0; at < KEY_LENGTH; at++) key = key * 37 + (at < start.length ? Number.parseInt(start.charAt(at), 36) + 1 : fill)
  return key
}

/** The sorted entries of all companies for which `keyIn` returns a key. */
async function makeIndex(
  { size, at }: Pick<Engine, 'size' | 'at'>,
  keyIn: (company: Company) => number | null,
): Promise<Float64Array> {
  const entries = new Float64Array(size)
  let count = 0
  for (let place = 0; place < size; place++) {
    const key = keyIn(at(place))
    if (key !== null) entries[count++] = entryOf(key, place)
    if (place % SLICE === SLICE - 1) await setImmediate()
  }
  return entries.slice(0, count).sort()
}

/** Runs `make` on the first call and caches the result. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

export function makeSearch(engine: Pick<Engine, 'size' | 'at' | 'find'>) {
  const safeNumbers = once(() => makeIndex(engine, company => keyOf(safeNumber(company))))
  const postcodes = once(() =>
    makeIndex(engine, ({ postcode }) => {
      const plain = plainPostcode(postcode)
      return plain === '' ? null : postcodeKey(plain, 0)
    }),
  )
  const at = (place: number): Company => engine.at(place)
  return {
    async find(id: string): Promise<Company | null> {
      const known = engine.find(id)
      if (known !== null || !SAFE_NUMBER.test(id)) return known
      const key = keyOf(id)
      const places = placesBetween(await safeNumbers(), key, key, engine.size)
      return places.map(at).find(company => safeNumber(company) === id) ?? null
    },
    /** At most `most` companies whose postcode starts with these letters and digits. */
    async byPostcode(start: string, most: number): Promise<Company[]> {
      const places = placesBetween(await postcodes(), postcodeKey(start, 0), postcodeKey(start, 36), most)
      return places.map(at).filter(company => plainPostcode(company.postcode).startsWith(start))
    },
  }
}

export type Search = ReturnType<typeof makeSearch>
