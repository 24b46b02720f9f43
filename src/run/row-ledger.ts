/**
 * The row ledger: checks that every row of the input has exactly one outcome, and that the service's own counts agree. Counts that
 * do not add up are an error.
 */

import { counted } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { knownSum, rowsToAccountFor, UNKNOWN } from '../journal/outcomes.ts'
import type { RunState } from '../journal/state.ts'
import { rejectedRows } from '../model/list.ts'
import { byOutcome, type Outcomes } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'

/** The outcomes of a run whose jobs all failed. */
export const allFailed = (plan: Parameters<typeof rowsToAccountFor>[0] & Pick<Plan, 'skipped'>): Outcomes => ({
  ...byOutcome(() => 0),
  failed: rowsToAccountFor(plan) - (plan.skipped ?? 0),
  skipped: plan.skipped ?? 0,
})

interface Counts {
  readonly totalRows: number | null
  readonly matched: number
  readonly manualMatched: number
  readonly unmatched: number
  readonly duplicates: number
}

/** The sums of the jobs' summaries; null when one of them lacks a count. */
function sumOfSummaries(state: RunState): Counts | null {
  let sum: Counts = { totalRows: 0, matched: 0, manualMatched: 0, unmatched: 0, duplicates: 0 }
  for (const { summary, failure } of state.jobs) {
    if (failure !== null) continue
    if (summary?.matched == null || summary.unmatched == null) return null
    // An absent count is 0; null is a count that the service does not have.
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

const failedRows = ({ jobs, plan }: RunState): number =>
  jobs.reduce((sum, { failure, part }) => (failure === null ? sum : sum + plan.parts[part]!.rows), 0)

const ledgerError = (message: string): FettleError => new FettleError('FETTLE_LEDGER', message)

/**
 * The outcomes according to the jobs' summaries. They count a row in review as unmatched, so review stays unknown. `duplicates` may
 * be counted besides `matched` or be part of it (contract §14.1): either reading that adds up is accepted. Throws FETTLE_LEDGER when
 * neither does.
 */
export function outcomesOfSummaries(state: RunState): Outcomes {
  const sum = sumOfSummaries(state)
  if (sum === null) return UNKNOWN
  const failed = failedRows(state)
  const rows = state.plan.sent - failed
  if (sum.totalRows !== null && sum.totalRows !== rows)
    throw ledgerError(`${counted(rows, 'row')} sent, and the service counts ${sum.totalRows}`)
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
    `${counted(rows, 'row')} sent, and the counts of the service do not add up to it: matched ${sum.matched} + manualMatched ${sum.manualMatched} + unmatched ${sum.unmatched}, duplicates ${sum.duplicates}`,
  )
}

export function outcomesSoFar(state: RunState): Outcomes {
  const { sent, rows, skipped = 0 } = state.plan
  if (sent + skipped !== rows) return UNKNOWN
  const outcomes = outcomesOfSummaries(state)
  return { ...outcomes, failed: outcomes.failed === null ? null : outcomes.failed + rejectedRows(state.plan), skipped }
}

/**
 * Compares the outcomes in the enriched file with the service's counts. Throws FETTLE_LEDGER when rows are missing from the file or
 * the two disagree; counts that the service does not give are not compared. `header`: the columns of the file in words.
 */
export function checkAgainstSummary(outcomes: Outcomes, state: RunState, header = ''): void {
  const inFile = knownSum(outcomes)
  if (inFile !== state.plan.sent)
    throw ledgerError(`${counted(state.plan.sent, 'row')} sent, and the enriched file accounts for ${inFile}`)
  if (sumOfSummaries(state) === null) return
  const summary = outcomesOfSummaries(state)
  const found = (outcomes.matched ?? 0) + (outcomes.duplicates ?? 0) + (outcomes.manualMatched ?? 0)
  const inSummary = (summary.matched ?? 0) + (summary.duplicates ?? 0) + (summary.manualMatched ?? 0)
  if (found !== inSummary)
    throw ledgerError(
      `the enriched file holds ${counted(found, 'row')} with a company, and the service counts ${inSummary}${header === '' ? '' : `: ${header}`}`,
    )
}
