/** Shows an answer to people: reasons in words, log-odds by the field compared, the score as a whole number. */
import { AT, FEATURES, type Feature, NAME_FEATURES, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { THRESHOLDS, WEIGHTS } from '../weights.ts'
import { nameAgrees, nameSimilarity } from './decide.ts'
import { calibrate } from './score.ts'

/** Label, and the positions of the features that the field is equal, different and near, in the order of the explanation. */
const LABELS: readonly (readonly [label: string, equal: number, different?: number, near?: number])[] = [
  ['id', AT.idEqual],
  ['number', AT.numberEqual, AT.numberDiffer, AT.numberNear],
  ['vat', AT.vatEqual, AT.vatDiffer],
  ['email', AT.domainEqual],
  ['phone', AT.phoneEqual],
  ['postcode', AT.postcodeEqual, AT.postcodeDiffer, AT.postcodeNear],
  ['town', AT.townEqual, AT.townDiffer],
  ['country', AT.countryAgree, AT.countryDiffer],
]

const nameWord = (vector: Vector): string =>
  vector[AT.former] === 1 ? 'former name' : vector[AT.confirmed] === 1 ? 'confirmed name' : 'name'

/**
 * `name 0.97 | number = | postcode = | town ≠ | dissolved`; '' for no company. `read`: the part of the name cell that was compared, '' for the
 * whole cell.
 */
export function explainMatch(query: PreparedQuery, vector: Vector, read: string): string {
  const parts: string[] = []
  if (query.names.length > 0) parts.push(`${nameWord(vector)} ${nameSimilarity(vector).toFixed(2)}`)
  if (read !== '') parts.push(`read as "${read.replaceAll('|', '/')}"`)
  for (const [label, equal, different, near] of LABELS) {
    if (vector[equal] === 1) parts.push(`${label} =`)
    else if (near !== undefined && vector[near] === 1) parts.push(`${label} ≈`)
    else if (different !== undefined && vector[different] === 1) parts.push(`${label} ≠`)
  }
  if (query.address !== null && vector[AT.address]! > 0) parts.push(`address ${vector[AT.address]!.toFixed(2)}`)
  if (vector[AT.legalDiffer] === 1) parts.push('legal form ≠')
  if (vector[AT.inactive] === 1) parts.push('dissolved')
  return parts.join(' | ')
}

/** The evidence for the company, strongest first: `number+name+postcode`. */
export function evidencePattern(query: PreparedQuery, vector: Vector): string {
  const found: string[] = []
  for (const [label, equal] of LABELS.slice(0, 3)) if (vector[equal] === 1) found.push(label)
  if (query.names.length > 0 && nameAgrees(vector)) found.push('name')
  for (const [label, equal] of LABELS.slice(3, 7)) if (vector[equal] === 1) found.push(label)
  if (vector[AT.address]! > 0.5) found.push('address')
  return found.join('+')
}

/** The features of each field; the first field of a feature counts. */
const FIELDS: Readonly<Record<string, readonly Feature[]>> = {
  'starting odds': ['bias'],
  'legal form': ['legalAgree', 'legalDiffer'],
  website: ['domainName'],
  country: ['countryAgree', 'countryDiffer'],
  postcode: ['postcodeEqual', 'postcodeAlone', 'postcodeNear', 'postcodeDiffer'],
  name: [...FEATURES.slice(0, NAME_FEATURES), 'placeMatched', 'placeFirst', 'placeMiss'],
  address: ['address', 'addressSame', 'addressNone'],
  town: ['townEqual', 'townDiffer'],
  id: ['idEqual'],
  number: ['numberEqual', 'numberPlace', 'numberNear', 'numberDiffer'],
  vat: ['vatEqual', 'vatDiffer'],
  email: ['domainEqual'],
  phone: ['phoneEqual'],
  status: ['inactive'],
}
const FIELD_BY_FEATURE: ReadonlyMap<string, string> = new Map(
  Object.entries(FIELDS)
    .flatMap(([field, features]) => features.map(feature => [feature, field] as const))
    .reverse(),
)

const findField = (feature: string): string => FIELD_BY_FEATURE.get(feature) ?? feature

/**
 * Log-odds by field, rounded to a tenth, without zeros. Their sum determines the score. `starting odds` is the value of every
 * candidate: a random company is unlikely to be the right one, the less so the more of the list is found in the register.
 */
export function evidenceByField(features: Readonly<Record<string, number>>, startingOdds: number): Record<string, number> {
  const sums = new Map<string, number>([[findField('bias'), startingOdds]])
  let total = 0
  for (const [feature, value] of Object.entries(features)) {
    const word = findField(feature)
    const odds = value * WEIGHTS[feature as Feature]
    sums.set(word, (sums.get(word) ?? 0) + odds)
    total += odds
  }
  sums.set('name', (sums.get('name') ?? 0) + calibrate(features.shortened === 1, total) - total)
  const rounded = [...sums].map(([word, sum]) => [word, Math.round(sum * 10) / 10] as const)
  return Object.fromEntries(rounded.filter(([, sum]) => sum !== 0))
}

/**
 * The parts of the scale: first number, lowest score and meaning. Linear within a part.
 * @public the source of a table in docs/matching.md
 */
export const SCALE = [
  { from: 893, score: 0, meaning: 'not worth a look: unmatched, unless a number agrees' },
  { from: 900, score: THRESHOLDS.review, meaning: 'a potential match: for a person to look at' },
  { from: 930, score: 0.5, meaning: 'more likely than all other companies and none together' },
  { from: 960, score: 0.9, meaning: 'one in ten or fewer of such answers is another company' },
  { from: 990, score: 0.99, meaning: 'certain for practical purposes: one in a hundred or fewer' },
] as const

const LAST = 999

/** A score from 0 to 1 on the scale from 893 to 999, never decreasing. */
export function scoreMatch(score: number): number {
  const at = SCALE.findLastIndex(part => score >= part.score)
  const part = SCALE[Math.max(0, at)] ?? SCALE[0]
  const next = SCALE[Math.max(0, at) + 1]
  const [end, last] = next === undefined ? [1, LAST] : [next.score, next.from - 1]
  const share = Math.min(1, Math.max(0, (score - part.score) / (end - part.score)))
  return part.from + Math.floor(share * (last - part.from))
}
