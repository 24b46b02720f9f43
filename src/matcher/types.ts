/** Types of `openMatcher` and `match`. */
import type { Mapping } from '../contract/data-cleaning/mappings.ts'

/** The cells of a row by the names of mappings: `{ name: 'Acme Ltd', country: 'GB', postcode: 'LS1 4AP' }`. */
export type MatchableRow = Readonly<Partial<Record<Mapping, string | number | null | undefined>>>

/** Against what rows are matched, and how certain a match must be. */
export interface MatcherOptions {
  /** A register of this machine, or several; by default FETTLE_REGISTER, else all that were imported. `sample` are invented companies. */
  readonly register?: string | readonly string[]
  /** The share of the matches that should be right, from .5 to .999; default: as in a run. */
  readonly precision?: number
  /** `unreliable`: a number alone does not match where the name differs. By default estimated from the rows. */
  readonly companyNumbers?: 'reliable' | 'unreliable'
  /** Settings; the environment of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The columns of a register that a match shows. */
export const MATCHED_FIELDS = [
  ...(['connectId', 'id', 'name', 'country', 'orgNumber', 'vatNumber', 'address1', 'address2'] as const),
  ...(['town', 'postcode', 'phone', 'email', 'website', 'status'] as const),
] as const

/** A company as its register has it; '' where it has no value. */
export type MatchedCompany = Readonly<Record<(typeof MATCHED_FIELDS)[number], string>>

/** What is decided about a row, and why. */
export interface RowMatch {
  readonly outcome: 'matched' | 'review' | 'unmatched'
  /** The company that the row is; null unless matched. */
  readonly company: MatchedCompany | null
  /** From 0 to 1, of the best candidate; 0 without one. */
  readonly score: number
  /** Why it is not matched, as in the column match.reason; null when matched. */
  readonly reason: string | null
  /** The evidence for the best candidate: `name 0.97 | number = | town ≠`. */
  readonly why: string
  /** Companies that it may be, the best first, five at most. */
  readonly candidates: readonly { readonly company: MatchedCompany; readonly score: number; readonly why: string }[]
}

/** Registers that are open to match rows. */
export interface RegisterMatcher {
  readonly registers: readonly { readonly name: string; readonly companies: number; readonly snapshotDate: string }[]
  /**
   * Decides about rows as a run of them as one list does, in their order. How much evidence a match needs is fitted to the rows of a call:
   * a row alone is decided more carefully than in a list. Rejects with FETTLE_USAGE for a key that is not a mapping.
   */
  match(rows: Iterable<MatchableRow> | AsyncIterable<MatchableRow>): Promise<RowMatch[]>
  /** Closes the registers. */
  close(): void
}
