/** Reading the counts of a run: what is unknown, what is known, how many rows found their company, requests. Pure sums. */

import type { HttpCounts } from '../model/requests.ts'
import type { Outcomes } from '../model/results.ts'

/** Nothing is known about any row. */
export const UNKNOWN: Outcomes = {
  matched: null,
  manualMatched: null,
  review: null,
  unmatched: null,
  duplicates: null,
  failed: null,
  skipped: null,
}

/** The sum of the counts that are known. */
export const knownSum = (outcomes: Outcomes): number =>
  Object.values(outcomes).reduce<number>((sum, count) => sum + (count ?? 0), 0)

/**
 * The share of rows for which a company is known: matched, matched by hand, and duplicates, which found theirs through an
 * earlier row. Null when one of the three is unknown or there are no rows.
 */
export function matchRate(outcomes: Outcomes, rows: number): number | null {
  const { matched, manualMatched, duplicates } = outcomes
  if (matched === null || manualMatched === null || duplicates === null || rows === 0) return null
  return (matched + manualMatched + duplicates) / rows
}

/** The requests of two stages together. */
export const addCounts = (a: HttpCounts, b: HttpCounts): HttpCounts => ({
  requests: a.requests + b.requests,
  retries: a.retries + b.retries,
  throttledMs: a.throttledMs + b.throttledMs,
})
