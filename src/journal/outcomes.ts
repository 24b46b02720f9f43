/** Sums of row outcomes and request counts. */

import { rejectedRows } from '../model/list.ts'
import type { HttpCounts } from '../model/requests.ts'
import { byOutcome, type Outcomes } from '../model/results.ts'

export const UNKNOWN: Outcomes = byOutcome(() => null)

export const knownSum = (outcomes: Outcomes): number =>
  Object.values(outcomes).reduce<number>((sum, count) => sum + (count ?? 0), 0)

/** Rows that a run must account for: those that it reads, and those that cannot be read. */
export const rowsToAccountFor = (plan: Parameters<typeof rejectedRows>[0] & { readonly rows: number }): number =>
  plan.rows + rejectedRows(plan)

/**
 * The share of rows with a company: matched, matched by hand, and duplicates, which have the company of an earlier row; of the rows
 * that were not skipped. Null when one of the three is unknown or there are no rows.
 */
export function matchRate(outcomes: Outcomes, rows: number): number | null {
  const { matched, manualMatched, duplicates } = outcomes
  const asked = rows - (outcomes.skipped ?? 0)
  if (matched === null || manualMatched === null || duplicates === null || asked <= 0) return null
  return (matched + manualMatched + duplicates) / asked
}

export const addCounts = (a: HttpCounts, b: HttpCounts): HttpCounts => ({
  requests: a.requests + b.requests,
  retries: a.retries + b.retries,
  throttledMs: a.throttledMs + b.throttledMs,
})
