/** A second look at a match that a service made: whether the company, by what is known of it, can be the one in the row. */
import { isNative } from '../../normalise/text.ts'
import { isPlaced, numberAgrees } from './decide/decide.ts'
import { AT, type Feature, samePlace } from './features.ts'
import { compareWith } from './one-company.ts'
import type { Company, Query } from './types.ts'

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

const AGREED: Audit = { verdict: 'agreed', differs: [] }
const NOT_COMPARABLE: Audit = { verdict: 'not comparable', differs: [] }

/**
 * Pure and deterministic. An equal number, VAT number or id agrees. A different number or country is doubtful, regardless of the name; otherwise
 * the same name agrees, and so does a company at the place of the row: companies move and are renamed.
 */
export function auditMatch(query: Query, company: Company): Audit {
  const { vector, logOdds, isNamed } = compareWith(query, company)
  if (numberAgrees(vector)) return AGREED
  const isContrary = vector[AT.numberDiffer] === 1 || vector[AT.countryDiffer] === 1
  if (!isContrary) {
    if (!isNamed) return NOT_COMPARABLE
    if (vector[AT.exact] === 1 || samePlace(vector)) return AGREED
    if (logOdds >= (isPlaced(vector) ? LEAST.withPlace : LEAST.byName)) return AGREED
    if (areOfTwoScripts(query, company)) return NOT_COMPARABLE
  }
  const differs = Object.entries(DIFFERENCES).flatMap(([difference, feature]) => {
    const isDifferent = feature === null ? isNamed && vector[AT.exact] !== 1 : vector[AT[feature]] === 1
    return isDifferent ? [difference as Difference] : []
  })
  return { verdict: 'doubtful', differs }
}

const namesOf = (names: readonly (string | undefined)[]): string[] =>
  names.filter(name => name !== undefined && name !== '') as string[]

/** No name of the one is written in the script of the other: Chinese characters have other readings in Japanese names. */
function areOfTwoScripts({ name, tradingName, aliasName, previousName }: Query, company: Company): boolean {
  const own = namesOf([name, tradingName, aliasName, previousName]).map(isNative)
  const found = namesOf([company.name, ...company.tradingNames, ...company.previousNames]).map(isNative)
  return !own.some(native => found.includes(native))
}
