/**
 * What goes into the engine and what comes out of it: companies, queries, candidates, answers. Types only.
 */

/** One entry of a register, as its file holds it. Every field is text; '' means the register does not say. */
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
  readonly address1: string
  readonly address2: string
  readonly town: string
  readonly postcode: string
  readonly phone: string
  readonly email: string
  readonly website: string
  readonly status: string
  /** As the register names it; absent when it does not say. */
  readonly legalForm?: string
}

/** One uploaded row as asked of the register: mapping name (contract §5.4) to cell text; a mapping that is absent is not mapped. */
export type Query = Partial<
  Record<
    | 'companyId'
    | 'orgNumber'
    | 'name'
    | 'tradingName'
    | 'aliasName'
    | 'previousName'
    | 'phone'
    | 'email'
    | 'address1'
    | 'address2'
    | 'address3'
    | 'town'
    | 'postcode'
    | 'region'
    | 'country'
    | 'countryCode'
    | 'vatNumber'
    | 'taxCode'
    | 'personalID'
    | 'personalLimit',
    string
  >
>

/** What is done with a row: taken, shown to a person, or left without a company. */
export type Decision = 'matched' | 'review' | 'unmatched'

/** Why a row was not matched outright. */
export type Reason =
  | 'no-name'
  | 'no-candidate'
  | 'below-threshold'
  | 'wrong-country'
  | 'ambiguous'
  | 'between-thresholds'
  | 'number-and-name-disagree'
  | 'dissolved'

/** A company considered for a query. */
export interface Candidate {
  /** Position in the register. */
  readonly company: number
  /** From 0 to 1, given its rivals: all of them and "none of them" together make 1. */
  readonly score: number
  /** From 0 to 1, as if it had no rival. */
  readonly chance: number
  /** Value of every feature that is not 0; multiplied with its weight it is that feature's part in the score. */
  readonly features: Readonly<Record<string, number>>
  /** The reasons in words, as an answer's; '' unless a person is to look at them. */
  readonly why: string
}

/** The engine's answer for one query. */
export interface Answer {
  readonly decision: Decision
  /** Score of the best candidate, 0 without one. */
  readonly score: number
  /** Lead of the best candidate over the best other company in log-odds, 0 to 20; 20 when there is no other. */
  readonly margin: number
  /** The reasons in words: `name 0.97 | number = | postcode = | town ≠`. */
  readonly why: string
  /** Null when matched. */
  readonly reason: Reason | null
  /** The evidence that spoke for the best candidate, joined by +: `number+name+postcode`. */
  readonly pattern: string
  /** A (certain) to F (nothing), from score and margin. */
  readonly banding: 'A' | 'B' | 'C' | 'D' | 'E' | 'F'
  /** Best first, at most five unless more were asked for. */
  readonly candidates: readonly Candidate[]
}
