/** The row ledger: every row of the input has one outcome, and the outcomes add up to the rows. */

import { knownSum, matchRate } from '../journal/index.ts'
import { byOutcome, type OutcomeName, type Outcomes } from '../model/results.ts'
import { OUTCOMES } from './verdict.ts'

export interface Ledger {
  adds: boolean | null
  sum: number
  difference: number | null
  unknown: OutcomeName[]
}

/** `matchRate` is a share of 0 to 1. Null is unknown, never 0. */
export type Totals = { rows: number } & Record<OutcomeName | 'matchRate', number | null>

/** Compares outcomes with rows. With an unknown count the sum can be refuted (above the rows) but not confirmed. */
export function checkLedger(outcomes: Outcomes, rows: number): Ledger {
  const unknown = OUTCOMES.filter(name => outcomes[name] === null)
  const sum = knownSum(outcomes)
  if (unknown.length > 0) return { adds: sum > rows ? false : null, sum, difference: null, unknown }
  return { adds: sum === rows, sum, difference: rows - sum, unknown }
}

export const countTotals = (outcomes: Outcomes, rows: number): Totals => ({
  rows,
  ...byOutcome(name => outcomes[name]),
  matchRate: matchRate(outcomes, rows),
})

/** The share of an outcome among the rows that are not empty, as in the match rate. Null if unknown, and of the empty rows. */
export function readShare(name: OutcomeName, { rows, ...totals }: Totals): number | null {
  const asked = rows - (totals.skipped ?? 0)
  const value = totals[name]
  return name === 'skipped' || value === null || asked <= 0 ? null : value / asked
}

/** The sums of several runs; a sum is unknown if one of its counts is. */
export function sumOfTotals(all: readonly Totals[]): Totals {
  const rows = all.reduce((sum, totals) => sum + totals.rows, 0)
  const addUp = (name: OutcomeName): number | null =>
    all.reduce<number | null>((sum, { [name]: value }) => (sum === null || value === null ? null : sum + value), 0)
  return countTotals(byOutcome(addUp), rows)
}
