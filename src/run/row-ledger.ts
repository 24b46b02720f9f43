/**
 * The row ledger: every row of the input came to exactly one end, and the service's own counts say the same. Pure sums; a sum
 * that does not add up is an error, never a footnote.
 */

import { FettleError } from '../errors.ts'
import { knownSum, UNKNOWN } from '../journal/outcomes.ts'
import type { RunState } from '../journal/state.ts'
import type { Outcomes } from '../model/results.ts'

/** Every row of the run came to the same end. */
export const allRows = (outcome: 'failed' | 'skipped', rows: number): Outcomes => ({
  matched: 0,
  manualMatched: 0,
  review: 0,
  unmatched: 0,
  duplicates: 0,
  failed: 0,
  skipped: 0,
  [outcome]: rows,
})

interface Counts {
  readonly totalRows: number | null
  readonly matched: number
  readonly manualMatched: number
  readonly unmatched: number
  readonly duplicates: number
}

/** The jobs' summaries added up; null when any of them lacks a count. */
function sumOfSummaries(state: RunState): Counts | null {
  let sum: Counts = { totalRows: 0, matched: 0, manualMatched: 0, unmatched: 0, duplicates: 0 }
  for (const { summary, failure } of state.jobs) {
    if (failure !== null) continue
    if (summary?.matched == null || summary.unmatched == null) return null
    // Left out they are 0; null is a count that the service does not know.
    if (summary.manualMatched === null || summary.duplicates === null) return null
    sum = {
      totalRows: sum.totalRows === null || summary.totalRows == null ? null : sum.totalRows + summary.totalRows,
      matched: sum.matched + summary.matched,
      manualMatched: sum.manualMatched + (summary.manualMatched ?? 0),
      unmatched: sum.unmatched + summary.unmatched,
      duplicates: sum.duplicates + (summary.duplicates ?? 0),
    }
  }
  return sum
}

/** Rows of the jobs that the service ended in an error status. */
const failedRows = ({ jobs, plan }: RunState): number =>
  jobs.reduce((sum, { failure, part }) => (failure === null ? sum : sum + plan.parts[part]!.rows), 0)

const ledgerError = (message: string): FettleError => new FettleError('FETTLE_LEDGER', message)

/**
 * Outcomes as far as the jobs' summaries tell. A row in review is still unmatched there, so review stays unknown. `duplicates`
 * may stand beside `matched` or be a part of it (contract §14.1): both readings that add up are accepted. Throws FETTLE_LEDGER
 * when neither does.
 */
export function outcomesOfSummaries(state: RunState): Outcomes {
  const sum = sumOfSummaries(state)
  if (sum === null) return UNKNOWN
  const failed = failedRows(state)
  const rows = state.plan.sent - failed
  if (sum.totalRows !== null && sum.totalRows !== rows)
    throw ledgerError(`${rows} rows were sent, and the service counts ${sum.totalRows}`)
  const base = {
    manualMatched: sum.manualMatched,
    review: null,
    unmatched: sum.unmatched,
    duplicates: sum.duplicates,
    failed,
    skipped: 0,
  }
  const found = sum.matched + sum.manualMatched + sum.unmatched
  if (found + sum.duplicates === rows) return { ...base, matched: sum.matched }
  if (found === rows && sum.duplicates <= sum.matched) return { ...base, matched: sum.matched - sum.duplicates }
  throw ledgerError(
    `${rows} rows were sent, and the counts of the service do not add up to it: matched ${sum.matched} + manualMatched ${sum.manualMatched} + unmatched ${sum.unmatched}, duplicates ${sum.duplicates}`,
  )
}

/** The same for all rows of the input: unknown while some of them still wait for the answer to another. */
export const outcomesSoFar = (state: RunState): Outcomes =>
  state.plan.sent === state.plan.rows ? outcomesOfSummaries(state) : UNKNOWN

/**
 * Compares what the enriched file says of the rows that went up with what the service counted. Throws FETTLE_LEDGER when rows are missing from the file
 * or the two disagree; counts the service does not give are not compared.
 */
export function checkAgainstSummary(outcomes: Outcomes, state: RunState): void {
  const inFile = knownSum(outcomes)
  if (inFile !== state.plan.sent)
    throw ledgerError(`${state.plan.sent} rows were sent, and the enriched file accounts for ${inFile}`)
  const counted = sumOfSummaries(state)
  if (counted === null) return
  const told = outcomesOfSummaries(state)
  const found = (outcomes.matched ?? 0) + (outcomes.duplicates ?? 0) + (outcomes.manualMatched ?? 0)
  const toldFound = (told.matched ?? 0) + (told.duplicates ?? 0) + (told.manualMatched ?? 0)
  if (found !== toldFound)
    throw ledgerError(`the enriched file holds ${found} rows with a company, and the service counts ${toldFound}`)
}
