/** The row ledger: every row of the input has one outcome, and the outcomes add up to the rows. It only counts. */
import type { Outcomes } from '../journal/index.ts'

/** The outcomes of a row, in the order people read them. */
export const OUTCOMES = ['matched', 'manualMatched', 'duplicates', 'review', 'unmatched', 'failed', 'skipped'] as const
/** One of the seven outcomes. */
export type OutcomeName = (typeof OUTCOMES)[number]

/** Both sides of the sum. */
export interface Ledger {
  /** Null when it cannot be told because a count is unknown. */
  adds: boolean | null
  /** Of the counts that are known. */
  sum: number
  /** Rows without an outcome (above 0) or counted twice (below); null when a count is unknown. */
  difference: number | null
  /** The counts nobody told. */
  unknown: OutcomeName[]
}

/** The counts of a run; `matchRate` is a share of 0 to 1. Null is unknown, never nothing. */
export type Totals = { rows: number } & Record<OutcomeName | 'matchRate', number | null>

/**
 * Compares outcomes with rows. With an unknown count the sum can still be refuted, by exceeding the rows, never confirmed.
 */
export function ledgerOf(outcomes: Outcomes, rows: number): Ledger {
  const unknown = OUTCOMES.filter(name => outcomes[name] === null)
  const sum = OUTCOMES.reduce((total, name) => total + (outcomes[name] ?? 0), 0)
  if (unknown.length > 0) return { adds: sum > rows ? false : null, sum, difference: null, unknown }
  return { adds: sum === rows, sum, difference: rows - sum, unknown }
}

/**
 * The share of rows for which a company is known: matched, matched by hand, and duplicates, which found theirs through an
 * earlier row. Null when one of the three is unknown or there are no rows.
 */
export function matchRateOf(outcomes: Outcomes, rows: number): number | null {
  const { matched, manualMatched, duplicates } = outcomes
  if (matched === null || manualMatched === null || duplicates === null || rows === 0) return null
  return (matched + manualMatched + duplicates) / rows
}

/** Nothing is known yet. */
export const UNKNOWN: Outcomes = {
  matched: null,
  manualMatched: null,
  review: null,
  unmatched: null,
  duplicates: null,
  failed: null,
  skipped: null,
}

/** Outcomes as the report gives them. */
export const totalsOf = (outcomes: Outcomes, rows: number): Totals => ({
  rows,
  matched: outcomes.matched,
  manualMatched: outcomes.manualMatched,
  review: outcomes.review,
  unmatched: outcomes.unmatched,
  duplicates: outcomes.duplicates,
  failed: outcomes.failed,
  skipped: outcomes.skipped,
  matchRate: matchRateOf(outcomes, rows),
})
