/**
 * Recognises the records of one company in several registers: the same number in the same country, or the same name where no other
 * field differs. They are looked up in the index, so that opening registers together costs nothing.
 */
import { numberKeyOf } from './blocking-keys.ts'
import type { MatchIndex } from './match-index.ts'

/** The register of a company, as its place in the order of the registers. */
export function registerOf({ registerStarts }: MatchIndex, company: number): number {
  let register = registerStarts.length - 1
  while (register > 0 && registerStarts[register]! > company) register--
  return Math.max(0, register)
}

const equalOrMissing = (a: string, b: string): boolean => a === b || a === '' || b === ''

/** The document of the registered name, null for a name without words. */
function nameOf(index: MatchIndex, company: number): number | null {
  const document = index.documentStarts[company]!
  return document < index.documentStarts[company + 1]! && index.kinds.at(document) === 'name' ? document : null
}

const lettersOf = (index: MatchIndex, document: number): string =>
  Array.from(index.wordIds.subarray(index.wordStarts[document]!, index.wordStarts[document + 1]!), id =>
    index.dictionary.word(id),
  ).join('')

/**
 * No field that both records have differs. The postcode decides about the place, without it the town. Where a country is missing, the
 * legal forms must be the same: a foreign company of that name has another one.
 */
function areCompatible(index: MatchIndex, a: number, b: number): boolean {
  const [one, other] = [index.identifiers.at(a), index.identifiers.at(b)]
  const [legal, otherLegal] = [a, b].map(company => index.legal.at(nameOf(index, company) ?? 0)) as [string, string]
  const [country, otherCountry] = [index.countries.at(a), index.countries.at(b)]
  return (
    (country === otherCountry
      ? equalOrMissing(legal, otherLegal)
      : legal === otherLegal && equalOrMissing(country, otherCountry)) &&
    index.active[a] === index.active[b] &&
    equalOrMissing(one.orgNumber, other.orgNumber) &&
    equalOrMissing(one.vatNumber, other.vatNumber) &&
    (one.postcode !== '' && other.postcode !== ''
      ? one.postcode === other.postcode
      : equalOrMissing(index.towns.at(a), index.towns.at(b)))
  )
}

/**
 * The records among `found` that are the company, one of each other register. A register with two of them is left out, and a company
 * whose own register has a second one is not recognised.
 */
function onlyOnes(index: MatchIndex, company: number, found: readonly number[]): readonly number[] {
  const own = registerOf(index, company)
  const registers = found.map(one => registerOf(index, one))
  if (found.some((one, at) => registers[at] === own && one !== company)) return []
  return found.filter(
    (_, at) => registers[at] !== own && registers.indexOf(registers[at]!) === registers.lastIndexOf(registers[at]!),
  )
}

function recordsByNumber(index: MatchIndex, company: number): readonly number[] {
  const { orgNumber } = index.identifiers.at(company)
  const country = index.countries.at(company)
  if (orgNumber === '' || country === '') return []
  const found = index.keys
    .lookup(numberKeyOf(orgNumber))
    .filter(one => index.countries.at(one) === country && index.identifiers.at(one).orgNumber === orgNumber)
  return onlyOnes(index, company, found)
}

function recordsByName(index: MatchIndex, company: number): readonly number[] {
  const document = nameOf(index, company)
  if (document === null) return []
  const letters = lettersOf(index, document)
  const named = index.names
    .lookup(letters)
    .filter(one => index.kinds.at(one) === 'name' && lettersOf(index, one) === letters)
    .map(one => index.companyOf[one]!)
  const groupOf = (one: number): readonly number[] => {
    const compatible = named.filter(other => areCompatible(index, one, other))
    return [one, ...onlyOnes(index, one, compatible)].sort((a, b) => a - b)
  }
  const group = groupOf(company)
  return group.every(one => groupOf(one).join() === group.join()) ? group : []
}

/** All records of a company, its own included, in the order of the registers. */
export function recordsOf(index: MatchIndex, company: number): readonly number[] {
  if (index.registerStarts.length < 2) return [company]
  const records = new Set([company, ...recordsByNumber(index, company), ...recordsByName(index, company)])
  return [...records].sort((a, b) => a - b)
}

/** They are records of one company. */
export const isOneCompany = (index: MatchIndex, [first, ...others]: readonly number[]): boolean => {
  if (first === undefined || others.length >= Math.max(1, index.registerStarts.length)) return false
  return others.length === 0 || others.every(one => recordsOf(index, first).includes(one))
}
