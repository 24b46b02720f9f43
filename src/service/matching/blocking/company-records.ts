/**
 * Recognises the records of one company in several registers: the same number in the same country, or the same name where no other
 * field differs. They are looked up in the index, so that opening registers together costs nothing.
 */
import { makeNumberKey } from './blocking-keys.ts'
import { type MatchIndex, readWords } from './match-index.ts'

/** The register of a company, as its place in the order of the registers. */
export function registerOf({ registerStarts }: MatchIndex, company: number): number {
  let register = registerStarts.length - 1
  while (register > 0 && registerStarts[register]! > company) register--
  return Math.max(0, register)
}

const equalOrMissing = (a: string, b: string): boolean => a === b || a === '' || b === ''

/** The document of the registered name, null for a name without words. */
function findName(index: MatchIndex, company: number): number | null {
  const document = index.documentStarts[company]!
  return document < index.documentStarts[company + 1]! && index.kinds.at(document) === 'name' ? document : null
}

/**
 * No field that both records have differs. The postcode decides about the place, without it the town. Where a country is missing, the
 * legal forms must be the same: a foreign company of that name has a different form.
 */
function areCompatible(index: MatchIndex, a: number, b: number): boolean {
  const { orgNumber, vatNumber, postcode } = index.identifiers
  const [legal, otherLegal] = [a, b].map(company => index.legal.at(findName(index, company) ?? 0)) as [string, string]
  const [country, otherCountry] = [index.countries.at(a), index.countries.at(b)]
  return (
    (country === otherCountry
      ? equalOrMissing(legal, otherLegal)
      : legal === otherLegal && equalOrMissing(country, otherCountry)) &&
    index.active[a] === index.active[b] &&
    equalOrMissing(orgNumber.at(a), orgNumber.at(b)) &&
    equalOrMissing(vatNumber.at(a), vatNumber.at(b)) &&
    (postcode.at(a) !== '' && postcode.at(b) !== ''
      ? postcode.at(a) === postcode.at(b)
      : equalOrMissing(index.towns.at(a), index.towns.at(b)))
  )
}

/**
 * The records among `found` that are the company, one of each other register. A register with two of them is left out, and a company
 * whose own register has a second one is not recognised.
 */
function onlyOnes(index: MatchIndex, company: number, found: readonly number[]): readonly number[] {
  const own = registerOf(index, company)
  const registers = found.map(record => registerOf(index, record))
  if (found.some((record, at) => registers[at] === own && record !== company)) return []
  return found.filter(
    (_, at) => registers[at] !== own && registers.indexOf(registers[at]!) === registers.lastIndexOf(registers[at]!),
  )
}

function recordsByNumber(index: MatchIndex, company: number): readonly number[] {
  const orgNumbers = index.identifiers.orgNumber
  const orgNumber = orgNumbers.at(company)
  const country = index.countries.at(company)
  if (orgNumber === '' || country === '') return []
  const found = index.keys
    .lookup(makeNumberKey(orgNumber))
    .filter(other => index.countries.at(other) === country && orgNumbers.at(other) === orgNumber)
  return onlyOnes(index, company, found)
}

function recordsByName(index: MatchIndex, company: number): readonly number[] {
  const document = findName(index, company)
  if (document === null) return []
  const letters = readWords(index, document).join('')
  const named = index.names
    .lookup(letters)
    .filter(other => index.kinds.at(other) === 'name' && readWords(index, other).join('') === letters)
    .map(other => index.companyOf[other]!)
  const findGroup = (record: number): readonly number[] => {
    const compatible = named.filter(other => areCompatible(index, record, other))
    return [record, ...onlyOnes(index, record, compatible)].sort((a, b) => a - b)
  }
  const group = findGroup(company)
  return group.every(record => findGroup(record).join() === group.join()) ? group : []
}

/** All records of a company, its own included, in the order of the registers. */
export function listRecords(index: MatchIndex, company: number): readonly number[] {
  if (index.registerStarts.length < 2) return [company]
  const records = new Set([company, ...recordsByNumber(index, company), ...recordsByName(index, company)])
  return [...records].sort((a, b) => a - b)
}

/** They are records of one company. */
export const isOneCompany = (index: MatchIndex, [first, ...others]: readonly number[]): boolean => {
  if (first === undefined || others.length >= Math.max(1, index.registerStarts.length)) return false
  return others.length === 0 || others.every(record => listRecords(index, first).includes(record))
}
