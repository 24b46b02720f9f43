/** Input and output of the matching engine: companies, queries, candidates, answers. */

export const FIGURES = ['rating', 'score', 'limit', 'turnover', 'profit', 'equity', 'employees', 'currency'] as const

/** `rating` is a band from A to E; `score`, `limit` and the others are as the register writes them. */
export type Figure = (typeof FIGURES)[number]

export type Figures = Readonly<Partial<Record<Figure, string>>>

/** Undefined where every value is empty. */
export function readFigures(read: (name: Figure) => string): Figures | undefined {
  const found = FIGURES.map(name => [name, read(name)] as const).filter(([, value]) => value !== '')
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** One entry of a register. Every field is text; '' means that the register has no value. */
export interface Company {
  readonly id: string
  /** `CC-X-<orgNumber or id>`. */
  readonly connectId: string
  readonly name: string
  /** ISO 3166-1 alpha-2, or ''. */
  readonly country: string
  readonly orgNumber: string
  readonly vatNumber: string
  readonly tradingNames: readonly string[]
  readonly previousNames: readonly string[]
  /** The last day of each previous name, `2026-01-31`, or '' where it is unknown; absent when no day is known. */
  readonly previousUntil?: readonly string[]
  readonly address1: string
  readonly address2: string
  readonly town: string
  readonly postcode: string
  readonly phone: string
  readonly email: string
  readonly website: string
  readonly status: string
  /** As the register writes it; absent when the register has no value. */
  readonly legalForm?: string
  /** `62012 Business and domestic software development`: codes of the register's classification, the main one first. */
  readonly activities?: readonly string[]
  /** The day of incorporation, `YYYY-MM-DD`. */
  readonly incorporated?: string
  /** Rating, limit and financial figures; absent when the register has none. */
  readonly figures?: Figures
  /** The id of its parent, as the source names it, until its group is known. */
  readonly parent?: string
  /** The company above it, and the last one above that; absent without one. */
  readonly group?: { readonly parent?: Related; readonly ultimate?: Related }
  /** Digits of its Safe Number, 15 if absent. */
  readonly safeDigits?: number
}

/** A company of the same group. Of one that the register does not have, only the id of the source is known. */
export interface Related {
  /** Its connectId, or its id in the source. */
  readonly id: string
  readonly name: string
  readonly country: string
}

/** One uploaded row: mapping name (contract §5.4) to cell text. An absent mapping is not mapped. */
export type Query = Partial<
  Record<'companyId' | 'orgNumber' | 'vatNumber' | 'taxCode' | NameField | PlaceField | OtherField, string>
>

type NameField = 'name' | 'tradingName' | 'aliasName' | 'previousName'
type PlaceField = 'address1' | 'address2' | 'address3' | 'town' | 'postcode' | 'region' | 'country' | 'countryCode'
type OtherField = 'phone' | 'email' | 'personalID' | 'personalLimit'

/** The share of a list that is in the register, and what the list adds to the evidence for a company. */
export interface InRegister {
  /** At least and at most this share, from 0 to 1. */
  readonly from: number
  readonly to: number
  /** Log-odds that are added to the evidence for every company: they make the score. */
  readonly startingOdds: number
  /** The same for the decision: with them the score must reach a threshold. */
  readonly matchingOdds: number
  /** The same for rows that begin with the whole name of their company; absent where the list does not prove that they may have more. */
  readonly wholeNameOdds?: number
}

/** What is known of a list before a row of it is decided. */
export interface ListFacts {
  readonly inRegister: InRegister
  /** `unreliable`: a number alone does not match where the name differs. */
  readonly companyNumbers: 'reliable' | 'unreliable'
}

/** What a row contributes to the facts of its list. */
export interface RowEvidence {
  /** The odds of matching from which on it is matched: Infinity where it never is; null for a row without anything to look for. */
  readonly matchedFrom: number | null
  /** The same as a row that begins with the whole name of its company; Infinity for any other row. */
  readonly wholeNameFrom: number
  /** What it has beside a name: a number or address, a country, or nothing. */
  readonly besides: 'place' | 'country' | 'nothing'
  /** Whether its company number seems right, by check digits and register; null for a row without one. */
  readonly numberHolds: boolean | null
}

export type Decision = 'matched' | 'review' | 'unmatched'

export const REASONS = [
  'no-name',
  'no-candidate',
  'below-threshold',
  'wrong-country',
  'ambiguous',
  'between-thresholds',
  'number-and-name-disagree',
  'sister-company',
  'address-alone',
  'other-script',
  'initials-alone',
  'part-of-cell',
  'dissolved',
] as const

export type Reason = (typeof REASONS)[number]

export interface Candidate {
  /** The record of the register named first. */
  readonly company: number
  /** Records of the same company in other registers. */
  readonly others: readonly number[]
  /** From 0 to 1, given its rivals: all scores and the score of "none of them" sum up to 1. */
  readonly score: number
  /** From 0 to 1, without rivals. */
  readonly chance: number
  /** Values of all features that are not 0. A value times its weight is the feature's share of the log-odds. */
  readonly features: Readonly<Record<string, number>>
  /** The explanation, as in an answer; '' unless the decision is `review`. */
  readonly why: string
}

export interface Answer {
  readonly decision: Decision
  /** Score of the best candidate, 0 without one. */
  readonly score: number
  /** Lead of the best candidate over the second in log-odds, 0 to 20; 20 without a second. */
  readonly margin: number
  /** The explanation: `name 0.97 | number = | postcode = | town ≠`. */
  readonly why: string
  /** Null when matched. */
  readonly reason: Reason | null
  /** The evidence for the best candidate, joined by +: `number+name+postcode`. */
  readonly pattern: string
  readonly banding: 'A' | 'B' | 'C' | 'D' | 'E' | 'F'
  /** Best first, at most five by default. */
  readonly candidates: readonly Candidate[]
}
