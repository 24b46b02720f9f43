/**
 * Prepares an uploaded row for comparison: parses its names and numbers their words by an index, normalises its identifiers and
 * splits its address.
 */

import { vatNumberIn } from '../../normalise/check-digits.ts'
import { isShortened, type LegalClass, parseCompanyName } from '../../normalise/company-name.ts'
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
import { splitWords } from '../../normalise/text.ts'
import { blockingKeysOf, type Identifiers } from './blocking/blocking-keys.ts'
import { isOneCompany } from './blocking/company-records.ts'
import { addressWords, digitsOf, initialsOf, type MatchIndex } from './blocking/match-index.ts'
import { bigramsOf, lettersOf } from './similarity.ts'
import type { Query } from './types.ts'

export interface QueryName {
  readonly words: readonly string[]
  /** Number of each word in the index's dictionary, -1 for an unknown one. */
  readonly numbers: readonly number[]
  /** Letters of each word as bits. */
  readonly letters: readonly number[]
  /** Rarity of each word, 1 for an unknown one. */
  readonly weights: readonly number[]
  readonly joined: string
  readonly initials: string
  readonly digits: string
  readonly legal: LegalClass | null
  readonly marks: string
  /** It shows that its words are cut off or abbreviated. */
  readonly isShortened: boolean
  /** Letter bigrams of `joined`. */
  readonly bigrams: readonly number[]
  /** Similarities of its words and those of the index, computed once. */
  readonly alike: Map<number, number>
  /** How its marks and others differ, computed once. */
  readonly markDifferences: Map<string, number>
}

export interface PreparedQuery {
  readonly names: readonly QueryName[]
  readonly country: string
  /** The organisation number as written, normalised later by the company's country when the row has none. */
  readonly writtenNumber: string
  /** It is a VAT number, in a country that keeps the two apart. */
  readonly isVatWritten: boolean
  /** The organisation number that the VAT number holds; '' where the country keeps the two apart. */
  readonly numberOfVat: string
  readonly identifiers: Identifiers
  /** It has an identifier other than a postcode. */
  readonly hasNumbers: boolean
  readonly keys: readonly string[]
  /** Numbers of the address words in the index, -1 for unknown ones; null without an address. */
  readonly address: readonly number[] | null
  readonly town: string
  readonly postcodeArea: string
  readonly postcodeAlone: boolean
}

function readName(index: MatchIndex, text: string): QueryName | null {
  const parsed = parseCompanyName(text)
  if (parsed.words.length === 0) return null
  const joined = parsed.words.join('')
  const numbers = parsed.words.map(word => index.dictionary.number(word))
  return {
    words: parsed.words,
    numbers,
    letters: parsed.words.map(lettersOf),
    weights: numbers.map(number => (number < 0 ? 1 : index.byWord.idf[number]!)),
    joined,
    initials: initialsOf(parsed.words),
    digits: digitsOf(parsed.words),
    legal: parsed.legal,
    marks: parsed.marks,
    isShortened: isShortened(text),
    bigrams: bigramsOf(joined),
    alike: new Map(),
    markDifferences: new Map(),
  }
}

export function prepareQuery(index: MatchIndex, query: Query): PreparedQuery {
  const texts = [query.name, query.tradingName, query.aliasName, query.previousName].filter(
    text => text !== undefined && text !== '',
  )
  const names = [...new Set(texts)].map(text => readName(index, text ?? '')).filter(name => name !== null)
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
  const keys = blockingKeysOf(identifiers, country)
  const parts = [query.address1, query.address2, query.address3, query.town, query.region].map(part => part ?? '')
  const address = addressWords(parts, query.postcode ?? '').map(word => index.address.dictionary.number(word))
  return {
    names,
    country,
    writtenNumber,
    isVatWritten: writtenVat !== '',
    numberOfVat: orgNumberOfVat(identifiers.vatNumber),
    identifiers,
    hasNumbers: Object.entries(identifiers).some(([name, text]) => name !== 'postcode' && text !== ''),
    keys,
    address: address.length > 0 ? address : null,
    town: splitWords(query.town ?? '').join(' '),
    postcodeArea: postcodeArea(identifiers.postcode),
    postcodeAlone: keys.some(key => key.startsWith('z') && isOneCompany(index, index.keys.lookup(key))),
  }
}
