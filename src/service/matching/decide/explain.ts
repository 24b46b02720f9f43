/**
 * The reasons of an answer in words: what agreed (=), what did not (≠), how alike the rest is. Reads a feature vector; decides
 * nothing.
 */

import { AT, type Feature, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { nameAgrees } from './decide.ts'

/** Word, feature that says it agrees, feature that says it does not; in the order they are told. */
const PAIRS: readonly (readonly [string, Feature, Feature | null])[] = [
  ['id', 'idEqual', null],
  ['number', 'numberEqual', 'numberDiffer'],
  ['vat', 'vatEqual', 'vatDiffer'],
  ['email', 'domainEqual', null],
  ['phone', 'phoneEqual', null],
  ['postcode', 'postcodeEqual', 'postcodeDiffer'],
  ['town', 'townEqual', 'townDiffer'],
  ['country', 'countryAgree', 'countryDiffer'],
]

/**
 * How alike two names are, 0 to 1, as shown to people: 1 for the same words, 0.9 for initials; letters count where words are left over.
 * @public the benchmark of name pairs measures it
 */
export function nameSimilarity(vector: Vector): number {
  if (vector[AT.exact] === 1) return 1
  if (vector[AT.acronym] === 1) return 0.9
  const cover = vector[AT.coverBoth]!
  return vector[AT.allPaired] === 1 ? cover : (cover + vector[AT.pairs]!) / 2
}

/** `name 0.97 | number = | postcode = | town ≠ | dissolved`; '' for no company. */
export function explainMatch(query: PreparedQuery, vector: Vector): string {
  const told: string[] = []
  if (query.names.length > 0)
    told.push(`${vector[AT.former] === 1 ? 'former name' : 'name'} ${nameSimilarity(vector).toFixed(2)}`)
  for (const [word, agrees, differs] of PAIRS) {
    if (vector[AT[agrees]] === 1) told.push(`${word} =`)
    else if (word === 'postcode' && vector[AT.postcodeNear] === 1) told.push('postcode ≈')
    else if (differs !== null && vector[AT[differs]] === 1) told.push(`${word} ≠`)
  }
  if (query.address !== null && vector[AT.address]! > 0) told.push(`address ${vector[AT.address]!.toFixed(2)}`)
  if (vector[AT.legalDiffer] === 1) told.push('legal form ≠')
  if (vector[AT.inactive] === 1) told.push('dissolved')
  return told.join(' | ')
}

/** The evidence for the company, strongest kinds first: `number+name+postcode`. */
export function evidencePattern(query: PreparedQuery, vector: Vector): string {
  const found: string[] = []
  for (const [word, agrees] of PAIRS.slice(0, 3)) if (vector[AT[agrees]] === 1) found.push(word)
  if (query.names.length > 0 && nameAgrees(vector)) found.push('name')
  for (const [word, agrees] of PAIRS.slice(3, 7)) if (vector[AT[agrees]] === 1) found.push(word)
  if (vector[AT.address]! > 0.5) found.push('address')
  return found.join('+')
}
