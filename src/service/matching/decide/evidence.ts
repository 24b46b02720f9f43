/** Sums the weighted features of a candidate by the field they compare, under names that people use. */

import { AT, type Feature, NAME_FEATURES } from '../features.ts'
import { WEIGHTS } from '../weights.ts'
import { calibrate } from './score.ts'
import { shiftOf } from './share.ts'

const FIELDS: Partial<Record<Feature, string>> = {
  bias: 'starting odds',
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
  numberPlace: 'number',
  numberNear: 'number',
  numberDiffer: 'number',
  vatEqual: 'vat',
  vatDiffer: 'vat',
  domainEqual: 'email',
  phoneEqual: 'phone',
  inactive: 'status',
}

const fieldOf = (feature: string): string =>
  FIELDS[feature as Feature] ?? (AT[feature as Feature] < NAME_FEATURES ? 'name' : feature)

/**
 * Log-odds by field, rounded to a tenth, without zeros. Their sum determines the score. `starting odds` is the value of every
 * candidate: a random company is unlikely to be the right one, the less so the more of the list is in the register.
 */
export function evidenceByField(features: Readonly<Record<string, number>>, share: number): Record<string, number> {
  const sums = new Map<string, number>([[fieldOf('bias'), shiftOf(share)]])
  let total = 0
  for (const [feature, value] of Object.entries(features)) {
    const word = fieldOf(feature)
    const odds = value * WEIGHTS[feature as Feature]
    sums.set(word, (sums.get(word) ?? 0) + odds)
    total += odds
  }
  sums.set('name', (sums.get('name') ?? 0) + calibrate(features.shortened === 1, total) - total)
  const rounded = [...sums].map(([word, sum]) => [word, Math.round(sum * 10) / 10] as const)
  return Object.fromEntries(rounded.filter(([, sum]) => sum !== 0))
}
