/**
 * The features beside the name: country, postcode, address, town, numbers, domain, phone, whether the company is active. Fills a
 * vector whose name features are filled already. A field that one side does not give is no evidence: 0.
 */

import { normaliseOrgNumber, postcodeArea } from '../../../normalise/identifiers.ts'
import type { MatchIndex } from '../blocking/match-index.ts'
import { AT, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'

/** Shared address words, by rarity, as a Dice coefficient. Unknown words of the query weigh like rare ones. */
function addressDice(index: MatchIndex, words: readonly number[], company: number): number {
  const { starts, ids, idf } = index.address
  const start = starts[company]!
  const end = starts[company + 1]!
  let all = 0
  let same = 0
  for (let at = start; at < end; at++) all += idf[ids[at]!]!
  for (const word of words) {
    const weight = word < 0 ? 1 : idf[word]!
    all += weight
    if (word < 0) continue
    for (let at = start; at < end; at++) if (ids[at] === word) same += weight
  }
  return all > 0 ? (2 * same) / all : 0
}

function compareNumbers(index: MatchIndex, query: PreparedQuery, company: number, vector: Vector): void {
  const own = index.identifiers.at(company)
  const country = index.countries.at(company)
  const sameCountry = query.country === '' || country === '' || query.country === country
  const { identifiers } = query
  if (identifiers.id !== '' && (identifiers.id === own.id || identifiers.id === index.companies.at(company).connectId))
    vector[AT.idEqual] = 1
  if (identifiers.orgNumber !== '' && own.orgNumber !== '' && sameCountry) {
    const number = query.country === '' ? normaliseOrgNumber(query.writtenNumber, country) : identifiers.orgNumber
    vector[number === own.orgNumber ? AT.numberEqual : AT.numberDiffer] = 1
  }
  if (identifiers.vatNumber !== '' && own.vatNumber !== '')
    vector[identifiers.vatNumber === own.vatNumber ? AT.vatEqual : AT.vatDiffer] = 1
  if (identifiers.domain !== '' && identifiers.domain === own.domain) vector[AT.domainEqual] = 1
  if (identifiers.phone !== '' && identifiers.phone === own.phone && sameCountry) vector[AT.phoneEqual] = 1
}

function comparePlaces(index: MatchIndex, query: PreparedQuery, company: number, vector: Vector): void {
  const { postcode } = query.identifiers
  const own = postcode === '' ? '' : index.identifiers.at(company).postcode
  if (own !== '') {
    const near = postcodeArea(postcode) === postcodeArea(own)
    vector[postcode === own ? AT.postcodeEqual : near ? AT.postcodeNear : AT.postcodeDiffer] = 1
    if (postcode === own) {
      if (vector[AT.extraQuery]! > 0 || vector[AT.extraCompany]! > 0) {
        vector[AT.placeMatched] = vector[AT.matched]!
        vector[AT.placeFirst] = vector[AT.firstWord] === 1 ? 1 : 0
      }
      vector[AT.placeMiss] = vector[AT.missCompany]!
      if (query.postcodeAlone) vector[AT.postcodeAlone] = 1
    }
  }
  const hasAddress = index.address.starts[company + 1]! > index.address.starts[company]!
  if (query.address !== null && hasAddress) {
    const dice = addressDice(index, query.address, company)
    vector[AT.address] = dice
    if (dice >= 0.9995) vector[AT.addressSame] = 1
    if (dice < 0.15) vector[AT.addressNone] = 1
  }
  const town = query.town === '' ? '' : index.towns.at(company)
  if (town !== '') vector[query.town === town ? AT.townEqual : AT.townDiffer] = 1
}

/** Fills the context features of `vector`. */
export function compareFields(index: MatchIndex, query: PreparedQuery, company: number, vector: Vector): void {
  const country = query.country === '' ? '' : index.countries.at(company)
  if (country !== '') vector[query.country === country ? AT.countryAgree : AT.countryDiffer] = 1
  comparePlaces(index, query, company, vector)
  compareNumbers(index, query, company, vector)
  if (!index.active[company]) vector[AT.inactive] = 1
}
