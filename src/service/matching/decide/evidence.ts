/**
 * How much each kind of evidence weighs in the score of a candidate, in words that people use: the features by what they compare.
 * It reads features and weights; it compares and decides nothing.
 */

import { AT, type Feature, NAME_FEATURES } from '../features.ts'
import { WEIGHTS } from '../weights.ts'

const OWN_WORD: Partial<Record<Feature, string>> = {
  bias: 'any company',
  legalAgree: 'legal form',
  legalDiffer: 'legal form',
  domainName: 'website',
  countryAgree: 'country',
  countryDiffer: 'country',
  postcodeEqual: 'postcode',
  postcodeAlone: 'postcode',
  placeMatched: 'name',
  placeFirst: 'name',
  placeMiss: 'name',
  postcodeNear: 'postcode',
  postcodeDiffer: 'postcode',
  address: 'address',
  addressSame: 'address',
  addressNone: 'address',
  townEqual: 'town',
  townDiffer: 'town',
  idEqual: 'id',
  numberEqual: 'number',
  numberDiffer: 'number',
  vatEqual: 'vat',
  vatDiffer: 'vat',
  domainEqual: 'email',
  phoneEqual: 'phone',
  inactive: 'status',
}

/** What a feature compares. */
const wordOf = (feature: string): string =>
  OWN_WORD[feature as Feature] ?? (AT[feature as Feature] < NAME_FEATURES ? 'name' : feature)

/**
 * Log-odds by word, rounded to a tenth, those of 0 left out: together they are its evidence, from which the score follows. `any company` is where every candidate
 * begins: that a company taken at random is the one meant is unlikely.
 */
export function evidenceByField(features: Readonly<Record<string, number>>): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [feature, value] of Object.entries(features)) {
    const word = wordOf(feature)
    sums.set(word, (sums.get(word) ?? 0) + value * WEIGHTS[feature as Feature])
  }
  const rounded = [...sums].map(([word, sum]) => [word, Math.round(sum * 10) / 10] as const)
  return Object.fromEntries(rounded.filter(([, sum]) => sum !== 0))
}
