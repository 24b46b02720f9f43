/** A second look at a match that a service made: whether the company, by what is known of it, can be the one in the row. */
import { parseCompanyName } from '../../normalise/company-name.ts'
import { normaliseOrgNumber } from '../../normalise/identifiers.ts'
import { isNative } from '../../normalise/text.ts'
import { makeNumberKey } from './blocking/blocking-keys.ts'
import { listRecords } from './blocking/company-records.ts'
import { type MatchIndex, readWords } from './blocking/match-index.ts'
import { decide, isPlaced, mayMatch, numberAgrees } from './decide/decide.ts'
import { type RankedCompany, scoreCompanies } from './decide/score.ts'
import { AT, type Feature, samePlace, type Vector } from './features.ts'
import { rankOthers } from './match.ts'
import { type Comparison, compareWith } from './one-company.ts'
import { type PreparedQuery, prepareQuery, withReadings } from './query.ts'
import type { Company, ListFacts, Query } from './types.ts'
import { ALONE } from './weights.ts'

/** What a row and its company may differ in, with the feature that shows it; the name is compared as a whole. */
const DIFFERENCES = {
  number: 'numberDiffer',
  vat: 'vatDiffer',
  name: null,
  country: 'countryDiffer',
  postcode: 'postcodeDiffer',
  town: 'townDiffer',
  address: 'addressNone',
} as const satisfies Readonly<Record<string, Feature | null>>

export type Difference = keyof typeof DIFFERENCES

export interface Audit {
  /** `not comparable`: neither names nor numbers can be compared, as where one side has none or the names are of two scripts. */
  readonly verdict: 'agreed' | 'doubtful' | 'not comparable'
  /** What differs; empty unless doubtful. */
  readonly differs: readonly Difference[]
}

/**
 * Least log-odds of a match that agrees. Learned on the `train` rows of labelled sets (`npm run bench -- audit --learn`): with a place to
 * compare, one right company in 25 is doubted, by names alone one in ten, since the answer may lack a name of the company.
 */
const LEAST = { withPlace: -1.7, byName: -2.7 }

/** Least log-odds of a company of the register that fits a row better, and by how much it leads. Learned likewise. */
const LEADS = { odds: -2.5, by: 1 }

const AGREED: Audit = { verdict: 'agreed', differs: [] }
const NOT_COMPARABLE: Audit = { verdict: 'not comparable', differs: [] }

/**
 * Pure and deterministic. An equal number, VAT number or id agrees. A different number or country is doubtful, regardless of the name; otherwise
 * the same name agrees, and so does a company at the place of the row: companies move and are renamed.
 */
export const auditMatch = (query: Query, company: Company): Audit => judge(query, company, compareWith(query, company))

const isContrary = (vector: Vector): boolean => vector[AT.numberDiffer] === 1 || vector[AT.countryDiffer] === 1

function judge(query: Query, company: Company, { vector, logOdds, isNamed }: Comparison): Audit {
  if (numberAgrees(vector)) return AGREED
  if (!isContrary(vector)) {
    if (!isNamed) return NOT_COMPARABLE
    if (vector[AT.exact] === 1 || samePlace(vector)) return AGREED
    if (logOdds >= (isPlaced(vector) ? LEAST.withPlace : LEAST.byName)) return AGREED
    if (areOfTwoScripts(query, company)) return NOT_COMPARABLE
  }
  return { verdict: 'doubtful', differs: listDifferences(vector, isNamed) }
}

const listDifferences = (vector: Vector, isNamed: boolean): Difference[] =>
  Object.entries(DIFFERENCES).flatMap(([difference, feature]) => {
    const isDifferent = feature === null ? isNamed && vector[AT.exact] !== 1 : vector[AT[feature]] === 1
    return isDifferent ? [difference as Difference] : []
  })

interface RegisterAudit extends Audit {
  /** The company of the register that fits the row better; null without one. */
  readonly better: Company | null
}

/**
 * Audits a match by a register too: the row is looked up there, and is doubtful if another company fits it clearly better. What the register has
 * of the company counts as well. Without a better company, a name alone raises no doubt, and proves nothing.
 */
export function auditByRegister(index: MatchIndex, query: Query, company: Company): RegisterAudit {
  const compared = compareWith(query, company)
  const audit = judge(query, company, compared)
  if (numberAgrees(compared.vector)) return { ...audit, better: null }
  const records = findRecords(index, company)
  const rival = findRival(index, query, records, compared.logOdds)
  if (rival !== null && rival.odds >= LEADS.odds && rival.lead >= LEADS.by)
    return { verdict: 'doubtful', differs: listDifferences(compared.vector, compared.isNamed), better: rival.company }
  if (audit.verdict !== 'doubtful' || isContrary(compared.vector)) return { ...audit, better: null }
  const isKnown = records.some(record => auditMatch(query, index.companies.at(record)).verdict === 'agreed')
  if (isKnown) return { ...AGREED, better: null }
  return { ...audit, verdict: isPlaced(compared.vector) ? 'doubtful' : 'not comparable', better: null }
}

interface Rival {
  readonly company: Company
  readonly odds: number
  /** By how much it leads the company of the match. */
  readonly lead: number
}

/**
 * The best other company of the register, if the row may be it. `records`: of the company of the match; where the register lacks it, what it
 * has may be the next best, so that the row must match the other one. `logOdds`: of the company of the match by its own data.
 * @public the bench learns the cuts by it
 */
export function findRival(index: MatchIndex, query: Query, records: readonly number[], logOdds: number): Rival | null {
  const prepared = prepareQuery(index, query)
  const own = records.length === 0 ? null : scoreReadings(index, query, prepared, records)
  const others = rankOthers(index, prepared, new Set(records))
  const [best] = others
  if (best === undefined) return null
  const { vector, logOdds: odds } = best
  const company = index.companies.at(best.company)
  if (own !== null)
    return mayMatch(vector) || numberAgrees(vector) ? { company, odds, lead: odds - Math.max(own, logOdds) } : null
  if (decide(prepared, others, HALF).decision !== 'matched') return null
  return { company, odds, lead: compareWith(query, company).logOdds - logOdds }
}

/** A list that is half in the register, for which companies are ranked. */
const HALF: ListFacts = { ...ALONE, inRegister: { ...ALONE.inRegister, startingOdds: 0, matchingOdds: 0 } }

/** The log-odds of the best record, by all readings of the row. */
function scoreReadings(index: MatchIndex, query: Query, prepared: PreparedQuery, records: readonly number[]): number {
  const scored = [prepared, withReadings(index, query, prepared)].flatMap(read =>
    read === null ? [] : (scoreCompanies(index, read, records, 0) as RankedCompany[]),
  )
  return Math.max(...scored.map(({ logOdds }) => logOdds))
}

/**
 * The records of a company in a register: of its number, else of its name where no number differs, in its country.
 * @public as findRival
 */
export function findRecords(index: MatchIndex, { name, country, orgNumber }: Company): readonly number[] {
  const { keys, countries, identifiers, names, kinds, companyOf } = index
  const isThere = (record: number): boolean => country === '' || [country, ''].includes(countries.at(record))
  const hasNumber = (record: number): boolean =>
    identifiers.orgNumber.at(record) === normaliseOrgNumber(orgNumber, countries.at(record) || country)
  const number = normaliseOrgNumber(orgNumber, country)
  const numbered = number === '' ? [] : keys.lookup(makeNumberKey(number)).filter(record => isThere(record) && hasNumber(record))
  const letters = parseCompanyName(name).words.join('')
  const named = (): number[] =>
    names
      .lookup(letters)
      .filter(document => kinds.at(document) === 'name' && readWords(index, document).join('') === letters)
      .map(document => companyOf[document]!)
      .filter(record => isThere(record) && (number === '' || identifiers.orgNumber.at(record) === ''))
  return (numbered.length > 0 ? numbered : named()).flatMap(record => listRecords(index, record))
}

const namesOf = (names: readonly (string | undefined)[]): string[] =>
  names.filter(name => name !== undefined && name !== '') as string[]

/** No name of the one is written in the script of the other: Chinese characters have other readings in Japanese names. */
function areOfTwoScripts({ name, tradingName, aliasName, previousName }: Query, company: Company): boolean {
  const own = namesOf([name, tradingName, aliasName, previousName]).map(isNative)
  const found = namesOf([company.name, ...company.tradingNames, ...company.previousNames]).map(isNative)
  return !own.some(native => found.includes(native))
}
