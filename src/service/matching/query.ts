/**
 * Prepares an uploaded row for comparison: parses its names and numbers their words by an index, normalises its identifiers and
 * splits its address.
 */

import { vatNumberIn } from '../../normalise/check-digits.ts'
import { hasCutWord, hasFormAtEnd, parseCompanyName } from '../../normalise/company-name.ts'
import { normaliseCountry } from '../../normalise/country.ts'
import {
  domainOf,
  normaliseOrgNumber,
  normalisePostcode,
  normaliseVat,
  orgNumberOfVat,
  phoneDigits,
  postcodeArea,
} from '../../normalise/identifiers.ts'
import { distinctWords } from '../../normalise/name-marks.ts'
import { listReadings, type NameReading } from '../../normalise/name-readings.ts'
import { splitWords } from '../../normalise/text.ts'
import { type Identifiers, listBlockingKeys } from './blocking/blocking-keys.ts'
import { isOneCompany } from './blocking/company-records.ts'
import { addressWords, type MatchIndex, readDigits, readInitials } from './blocking/match-index.ts'
import { respell } from './respell.ts'
import { lettersOf, listBigrams } from './similarity.ts'
import type { Company, Query } from './types.ts'

/** A name of a row. `reading`: the part of the cell that it is; null for the whole cell. */
function readName(index: MatchIndex, text: string, reading: NameReading | null = null) {
  const parsed = parseCompanyName(text)
  if (parsed.words.length === 0) return null
  const marks = reading === null || reading.markedBy === text ? parsed.marks : parseCompanyName(reading.markedBy).marks
  const joined = parsed.words.join('')
  const numbers = parsed.words.map(word => index.dictionary.number(word))
  return {
    words: parsed.words,
    /** Number of each word in the index's dictionary, -1 for an unknown one. */
    numbers,
    /** Letters of each word as bits. */
    letters: parsed.words.map(lettersOf),
    /** Rarity of each word, 1 for an unknown one. */
    weights: numbers.map(number => (number < 0 ? 1 : index.byWord.idf[number]!)),
    joined,
    initials: readInitials(parsed.words),
    digits: readDigits(parsed.words),
    legal: parsed.legal,
    marks,
    /** It shows that its words are cut off or abbreviated. */
    isShortened: parsed.hasMarketSuffix || hasCutWord(text),
    reading,
    /** Letter bigrams of `joined`. */
    bigrams: listBigrams(joined),
    /** Similarities of its words and the words of the index, computed once. */
    alike: new Map<number, number>(),
    /** How its marks and others differ, computed once. */
    markDifferences: new Map<string, number>(),
    /** Its distinguishing words. */
    distinct: distinctWords(parsed.marks),
    /** What the distinguishing words of others weigh that it lacks, likewise. */
    sisterExtras: new Map<string, number>(),
    /** The documents that are nearest to it, searched once: a second reading of its cell asks for them again. */
    nearest: null as { readonly most: number; readonly documents: readonly number[] } | null,
  }
}

export type QueryName = NonNullable<ReturnType<typeof readName>>

/** The words that a reading leaves out behind the name, if the addresses of the index have all of them. */
function findTail(index: MatchIndex, names: readonly QueryName[]): readonly number[] | null {
  const tail = names.find(name => name.reading !== null && name.reading.tail !== '')?.reading?.tail ?? ''
  const words = splitWords(tail).map(word => index.address.dictionary.number(word))
  return words.length > 0 && words.every(word => word >= 0) ? words : null
}

/** How a company fills the cells of a row. Its own id would find it and nothing else. */
export const CELLS: Readonly<Partial<Record<keyof Query, keyof Company>>> = {
  name: 'name',
  orgNumber: 'orgNumber',
  vatNumber: 'vatNumber',
  address1: 'address1',
  address2: 'address2',
  town: 'town',
  postcode: 'postcode',
  country: 'country',
  countryCode: 'country',
  phone: 'phone',
  email: 'email',
}

/** Asks for a company by its own values. */
export function queryOfCompany(company: Company): Query {
  const query: Query = {}
  for (const [cell, field] of Object.entries(CELLS) as [keyof Query, keyof Company][])
    if (company[field]) query[cell] = String(company[field])
  return query
}

const NAME_FIELDS = ['name', 'tradingName', 'aliasName', 'previousName'] as const

export function prepareQuery(index: MatchIndex, query: Query) {
  const texts = NAME_FIELDS.map(field => query[field]).filter(text => text !== undefined)
  const names = [...new Set(texts)].map(text => readName(index, text)).filter(name => name !== null)
  const country = normaliseCountry(query.countryCode ?? '') || normaliseCountry(query.country ?? '')
  const orgNumber = normaliseOrgNumber(query.orgNumber ?? '', country) || normaliseOrgNumber(query.taxCode ?? '', country)
  const writtenNumber = query.orgNumber || query.taxCode || ''
  const writtenVat = vatNumberIn(writtenNumber, country)
  const identifiers: Identifiers = {
    id: (query.companyId ?? '').trim(),
    orgNumber,
    vatNumber: normaliseVat(query.vatNumber ?? '', country) || writtenVat || normaliseVat(query.taxCode ?? '', country),
    domain: domainOf(query.email ?? ''),
    phone: phoneDigits(query.phone ?? ''),
    postcode: normalisePostcode(query.postcode ?? ''),
  }
  const keys = listBlockingKeys(identifiers, country)
  const parts = [query.address1, query.address2, query.address3, query.town, query.region].map(part => part ?? '')
  const address = addressWords(parts, query.postcode ?? '').map(word => index.address.dictionary.number(word))
  return {
    names,
    country,
    /** The organisation number as written, normalised later by the company's country when the row has none. */
    writtenNumber,
    /** It is a VAT number, in a country that keeps the two apart. */
    isVatWritten: writtenVat !== '',
    /** The organisation number that the VAT number holds; '' where the country keeps the two apart. */
    numberOfVat: orgNumberOfVat(identifiers.vatNumber),
    identifiers,
    /** It has an identifier other than a postcode. */
    hasNumbers: [identifiers.id, orgNumber, identifiers.vatNumber, identifiers.domain, identifiers.phone].some(
      text => text !== '',
    ),
    keys,
    /** Numbers of the address words in the index, -1 for unknown ones; null without an address. */
    address: address.length > 0 ? address : null,
    town: splitWords(query.town ?? '').join(' '),
    /** Numbers of the address words behind the name in its cell, which may be its town; null without. */
    tail: null as readonly number[] | null,
    postcodeArea: postcodeArea(identifiers.postcode),
    postcodeAlone: keys.some(key => key.startsWith('z') && isOneCompany(index, index.keys.lookup(key))),
  }
}

export type PreparedQuery = Readonly<ReturnType<typeof prepareQuery>>

const plainReading = (text: string, isOther = false): NameReading => ({ text, isOther, markedBy: text, tail: '' })

/** What stands behind the name is the country of the row, and so distinguishes no sister in it: `Acme Ltd (UK)`. */
const isOwnCountry = ({ tail }: NameReading, { country }: PreparedQuery): boolean =>
  tail !== '' && country !== '' && normaliseCountry(tail) === country

/** The query with the second readings of its name cells beside the first; null for cells that are only names. */
export function withReadings(index: MatchIndex, query: Query, prepared: PreparedQuery): PreparedQuery | null {
  const cells = [...new Set(NAME_FIELDS.map(field => query[field] ?? ''))]
  const parts = cells
    .flatMap(listReadings)
    .map(reading => (isOwnCountry(reading, prepared) ? plainReading(reading.text) : reading))
  const [name = '', address = ''] = [query.name, query.address1]
  if (/^\s*\d/.test(name) && hasFormAtEnd(address)) parts.push(plainReading(address, true))
  const isUnknown = prepared.names.some(({ numbers }) => numbers.includes(-1))
  const respelt = [...(isUnknown ? cells : []), ...parts.map(({ text }) => text)]
    .map(text => respell(index, text))
    .filter(text => text !== null)
  const readings = [...parts, ...respelt.map(text => plainReading(text))]
    .map(reading => readName(index, reading.text, reading))
    .filter(read => read !== null)
  if (readings.length === 0) return null
  // Not a spread: objects of one shape are read faster.
  return {
    names: [...prepared.names, ...readings],
    country: prepared.country,
    writtenNumber: prepared.writtenNumber,
    isVatWritten: prepared.isVatWritten,
    numberOfVat: prepared.numberOfVat,
    identifiers: prepared.identifiers,
    hasNumbers: prepared.hasNumbers,
    keys: prepared.keys,
    address: prepared.address,
    town: prepared.town,
    tail: findTail(index, readings),
    postcodeArea: prepared.postcodeArea,
    postcodeAlone: prepared.postcodeAlone,
  }
}
