/**
 * Finds companies by Safe Number, by country, and by the start of postcode, name, town or street. Each index is built from all companies on first use, in slices, so that other
 * requests are served meanwhile.
 */
import { setImmediate } from 'node:timers/promises'
import { normaliseText } from '../../normalise/text.ts'
import { safeNumber } from '../enrichment/tags.ts'
import type { Company } from '../matching/types.ts'
import type { Engine } from './engine.ts'
import { makeEntry, makeKey, placesBetween } from './sorted-index.ts'

const SAFE_NUMBER = /^[A-Z]{2}(?:\d{8}|\d{15})$/
/** Companies indexed in one turn of the event loop: one to two milliseconds. */
const SLICE = 256
/** Number of characters of a text in its key; the others are compared. */
const KEY_LENGTH = 5

export const plainPostcode = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]+/g, '')

const plainText = (text: string): string => plainPostcode(normaliseText(text))

const HOUSE_NUMBER = /^\d{1,6}[a-z]?[ ,]+/i

/** Texts that are found by their start. */
const STARTS = { postcode: 'postcode', name: 'name', town: 'town', street: 'address1' } as const

type StartField = keyof typeof STARTS

const PLAIN: Readonly<Record<StartField, (text: string) => string>> = {
  postcode: plainPostcode,
  name: plainText,
  town: plainText,
  street: text => plainText(text.replace(HOUSE_NUMBER, '')),
}

const plainStart = (field: StartField, company: Company): string => PLAIN[field](company[STARTS[field]])

/** Companies examined for each one that is wanted. */
const EXAMINED = 20

/** The start of a text as a number of base 37 in text order; `fill` is the digit of missing characters. */
function startKey(start: string, fill: number): number {
  let key = 0
  for (let at = 0; at < KEY_LENGTH; at++) key = key * 37 + (at < start.length ? Number.parseInt(start.charAt(at), 36) + 1 : fill)
  return key
}

const makeStartKey = (text: string): number | null => (text === '' ? null : startKey(text, 0))

/** The sorted entries of all companies for which `keyIn` returns a key. */
async function makeIndex({ size, at }: Pick<Engine, 'size' | 'at'>, keyIn: (company: Company) => number | null) {
  const entries = new Float64Array(size)
  let count = 0
  for (let place = 0; place < size; place++) {
    const key = keyIn(at(place))
    if (key !== null) entries[count++] = makeEntry(key, place)
    if (place % SLICE === SLICE - 1) await setImmediate()
  }
  return entries.slice(0, count).sort()
}

export function makeSearch(engine: Pick<Engine, 'size' | 'at' | 'find'>) {
  const made = new Map<string, Promise<Float64Array>>()
  /** The index of this name, which the first call makes. */
  const openIndex = (name: string, keyIn: (company: Company) => number | null): Promise<Float64Array> => {
    const index = made.get(name) ?? makeIndex(engine, keyIn)
    made.set(name, index)
    return index
  }

  /** At most `most` companies that fit, and whether further ones may exist. */
  const fitting = (places: readonly number[], most: number, fits: (company: Company) => boolean) => {
    const found: Company[] = []
    for (const place of places) {
      if (found.length === most) break
      const company = engine.at(place)
      if (fits(company)) found.push(company)
    }
    return { companies: found, isTruncated: found.length === most || places.length === most * EXAMINED }
  }
  const at = (place: number): Company => engine.at(place)
  return {
    async find(id: string): Promise<Company | null> {
      const known = engine.find(id)
      if (known !== null || !SAFE_NUMBER.test(id)) return known
      const key = makeKey(id)
      const index = await openIndex('safeNumber', company => makeKey(safeNumber(company)))
      const places = placesBetween(index, key, key, engine.size)
      return places.map(at).find(company => safeNumber(company) === id) ?? null
    },
    /** Companies whose text starts with these letters and digits; none for a text without them. */
    async byStart(field: StartField, text: string, most: number, fits: (company: Company) => boolean = () => true) {
      const start = PLAIN[field](text)
      if (start === '') return { companies: [], isTruncated: false }
      const index = await openIndex(field, company => makeStartKey(plainStart(field, company)))
      const places = placesBetween(index, startKey(start, 0), startKey(start, 36), most * EXAMINED)
      return fitting(places, most, company => plainStart(field, company).startsWith(start) && fits(company))
    },
    /** Companies of these countries that fit, in the order of the register. */
    async byCountry(codes: readonly string[], most: number, fits: (company: Company) => boolean) {
      const index = await openIndex('country', ({ country }) => makeStartKey(country))
      const places = codes.flatMap(code => placesBetween(index, startKey(code, 0), startKey(code, 0), most * EXAMINED))
      return fitting(places.slice(0, most * EXAMINED), most, fits)
    },
  }
}

export type Search = ReturnType<typeof makeSearch>
