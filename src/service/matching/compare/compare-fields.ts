/**
 * Fills the features beside the name: country, postcode, address, town, numbers, domain, phone, status. A field that one side does
 * not give counts as 0.
 */

import { checkDigitsHold, isOneSlipApart, vatNumberIn } from '../../../normalise/check-digits.ts'
import { normaliseOrgNumber, numberLength, orgNumberOfVat, postcodeArea } from '../../../normalise/identifiers.ts'
import type { MatchIndex } from '../blocking/match-index.ts'
import { AT, samePlace, type Vector } from '../features.ts'
import type { PreparedQuery } from '../query.ts'

/** Dice coefficient of the address words, weighted by rarity. An unknown word of the query weighs like a rare one. */
function addressDice(index: MatchIndex, words: readonly number[], company: number): number {
  const { starts, ids, needIds, idf } = index.address
  const start = starts[company]!
  const end = starts[company + 1]!
  needIds?.(start, end)
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

/** Whether all words are in the address of the company. */
function isAt(index: MatchIndex, words: readonly number[], company: number): boolean {
  const { starts, ids, needIds } = index.address
  needIds?.(starts[company]!, starts[company + 1]!)
  const known = ids.subarray(starts[company], starts[company + 1])
  return words.every(word => known.includes(word))
}

/** Numbers of one kind. A tax number beside a court's number, or of digits too few or too many, cannot be compared. */
function areOneKind(own: string, known: string, country: string): boolean {
  const length = numberLength(country)
  const [ownDigits, knownDigits] = [/^\d+$/.test(own), /^\d+$/.test(known)]
  if (ownDigits && knownDigits) return length === null || (own.length === length && known.length === length)
  return country === 'GB' || ownDigits === knownDigits
}

/**
 * A digit that is another or missing, or two that are swapped: by the check digits, and where the country has none by the same name at the
 * same place.
 */
function isTypingError(own: string, known: string, country: string, vector: Vector): boolean {
  if (!isOneSlipApart(own, known)) return false
  const holds = checkDigitsHold(own, country)
  return holds === false || (holds === null && vector[AT.exact] === 1 && samePlace(vector))
}

/** Organisation numbers of a row and a company; each may have one and another in its VAT number. */
function compareOrgNumbers(index: MatchIndex, query: PreparedQuery, company: number, country: string, vector: Vector): void {
  const written = query.country === '' ? normaliseOrgNumber(query.writtenNumber, country) : query.identifiers.orgNumber
  const { numberOfVat } = query
  const orgNumber = index.identifiers.orgNumber.at(company)
  const vatNumber = index.identifiers.vatNumber.at(company)
  const ofVat = vatNumber === '' ? '' : orgNumberOfVat(vatNumber)
  const isNumber = (number: string): boolean => number !== '' && (number === orgNumber || number === ofVat)
  if (isNumber(written) || isNumber(numberOfVat)) {
    vector[AT.numberEqual] = 1
    if (samePlace(vector)) vector[AT.numberPlace] = 1
    return
  }
  // A VAT number in the column of organisation numbers; the company's VAT number, if it is known, is the same.
  const isVat =
    query.isVatWritten &&
    (vatNumber === '' || vatNumber === query.identifiers.vatNumber) &&
    vatNumberIn(orgNumber, country) === ''
  for (const ours of [isVat ? '' : written, numberOfVat]) {
    for (const theirs of ofVat === '' ? [orgNumber] : [orgNumber, ofVat]) {
      if (ours === '' || theirs === '') continue
      if (isTypingError(ours, theirs, country, vector)) vector[AT.numberNear] = 1
      else if (areOneKind(ours, theirs, country)) vector[AT.numberDiffer] = 1
    }
  }
  if (vector[AT.numberNear] === 1) vector[AT.numberDiffer] = 0
}

function compareNumbers(index: MatchIndex, query: PreparedQuery, company: number, vector: Vector): void {
  const { identifiers } = query
  const known = index.identifiers
  const country = index.countries.at(company)
  const sameCountry = query.country === '' || country === '' || query.country === country
  const { id } = identifiers
  if (id !== '' && (id === index.companies.id(company) || id === index.companies.at(company).connectId)) vector[AT.idEqual] = 1
  if ((identifiers.orgNumber !== '' || query.numberOfVat !== '') && sameCountry)
    compareOrgNumbers(index, query, company, country, vector)
  if (identifiers.vatNumber !== '') {
    const vatNumber = known.vatNumber.at(company)
    if (identifiers.vatNumber === vatNumber) vector[AT.vatEqual] = 1
    else if (vatNumber !== '' && vector[AT.numberNear] === 0 && !isTypingError(identifiers.vatNumber, vatNumber, '', vector))
      vector[AT.vatDiffer] = 1
  }
  if (identifiers.domain !== '' && identifiers.domain === known.domain.at(company)) vector[AT.domainEqual] = 1
  if (identifiers.phone !== '' && identifiers.phone === known.phone.at(company) && sameCountry) vector[AT.phoneEqual] = 1
}

function comparePlaces(index: MatchIndex, query: PreparedQuery, company: number, vector: Vector): void {
  const { postcode } = query.identifiers
  if (postcode !== '' && index.identifiers.postcode.is(company, postcode)) {
    vector[AT.postcodeEqual] = 1
    if (vector[AT.extraQuery]! > 0 || vector[AT.extraCompany]! > 0) {
      vector[AT.placeMatched] = vector[AT.matched]!
      vector[AT.placeFirst] = vector[AT.firstWord] === 1 ? 1 : 0
    }
    vector[AT.placeMiss] = vector[AT.missCompany]!
    if (query.postcodeAlone) vector[AT.postcodeAlone] = 1
  } else if (postcode !== '') {
    const known = index.identifiers.postcode
    const first = known.first(company)
    const isNear = first === query.postcodeArea.charCodeAt(0) && query.postcodeArea === postcodeArea(known.at(company))
    if (first >= 0) vector[isNear ? AT.postcodeNear : AT.postcodeDiffer] = 1
  }
  const hasAddress = index.address.starts[company + 1]! > index.address.starts[company]!
  if (query.address !== null && hasAddress) {
    const dice = addressDice(index, query.address, company)
    vector[AT.address] = dice
    if (dice >= 0.9995) vector[AT.addressSame] = 1
    if (dice < 0.15) vector[AT.addressNone] = 1
  }
  if (vector[AT.exact] === 1 && (vector[AT.postcodeDiffer] === 1 || vector[AT.addressNone] === 1)) vector[AT.exactMoved] = 1
  if (query.town === '') {
    if (query.tail !== null && isAt(index, query.tail, company)) vector[AT.townEqual] = 1
    return
  }
  if (index.towns.is(company, query.town)) vector[AT.townEqual] = 1
  else if (!index.towns.is(company, '')) vector[AT.townDiffer] = 1
}

export function compareFields(index: MatchIndex, query: PreparedQuery, company: number, vector: Vector): void {
  const country = query.country === '' ? '' : index.countries.at(company)
  if (country !== '') vector[query.country === country ? AT.countryAgree : AT.countryDiffer] = 1
  comparePlaces(index, query, company, vector)
  if (query.hasNumbers) compareNumbers(index, query, company, vector)
  if (!index.active[company]) vector[AT.inactive] = 1
}
