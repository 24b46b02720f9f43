/** Explains an answer in words: what agrees (=), what differs (≠), how similar the rest is. */

import { AT, type Feature, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'
import { nameAgrees, nameSimilarity } from './decide.ts'

/** Label, feature of agreement, feature of difference, in the order of the explanation. */
const LABELS: readonly (readonly [string, Feature, Feature | null])[] = [
  ['id', 'idEqual', null],
  ['number', 'numberEqual', 'numberDiffer'],
  ['vat', 'vatEqual', 'vatDiffer'],
  ['email', 'domainEqual', null],
  ['phone', 'phoneEqual', null],
  ['postcode', 'postcodeEqual', 'postcodeDiffer'],
  ['town', 'townEqual', 'townDiffer'],
  ['country', 'countryAgree', 'countryDiffer'],
]

const nameWord = (vector: Vector): string =>
  vector[AT.former] === 1 ? 'former name' : vector[AT.confirmed] === 1 ? 'confirmed name' : 'name'

/** `name 0.97 | number = | postcode = | town ≠ | dissolved`; '' for no company. */
export function explainMatch(query: PreparedQuery, vector: Vector): string {
  const parts: string[] = []
  if (query.names.length > 0) parts.push(`${nameWord(vector)} ${nameSimilarity(vector).toFixed(2)}`)
  for (const [word, agrees, differs] of LABELS) {
    if (vector[AT[agrees]] === 1) parts.push(`${word} =`)
    else if (word === 'postcode' && vector[AT.postcodeNear] === 1) parts.push('postcode ≈')
    else if (word === 'number' && vector[AT.numberNear] === 1) parts.push('number ≈')
    else if (differs !== null && vector[AT[differs]] === 1) parts.push(`${word} ≠`)
  }
  if (query.address !== null && vector[AT.address]! > 0) parts.push(`address ${vector[AT.address]!.toFixed(2)}`)
  if (vector[AT.legalDiffer] === 1) parts.push('legal form ≠')
  if (vector[AT.inactive] === 1) parts.push('dissolved')
  return parts.join(' | ')
}

/** The evidence for the company, strongest first: `number+name+postcode`. */
export function evidencePattern(query: PreparedQuery, vector: Vector): string {
  const found: string[] = []
  for (const [word, agrees] of LABELS.slice(0, 3)) if (vector[AT[agrees]] === 1) found.push(word)
  if (query.names.length > 0 && nameAgrees(vector)) found.push('name')
  for (const [word, agrees] of LABELS.slice(3, 7)) if (vector[AT[agrees]] === 1) found.push(word)
  if (vector[AT.address]! > 0.5) found.push('address')
  return found.join('+')
}
