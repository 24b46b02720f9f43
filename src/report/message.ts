/** The outcome of a run in one or two sentences, shown by every format. */
import type { RunState } from '../journal/index.ts'
import type { Ledger, Totals } from './totals.ts'
import { count, counted, percent } from './words.ts'

/** Rows with a company, as in the match rate; null if unknown. */
const found = ({ matched, manualMatched, duplicates }: Totals): number | null =>
  matched === null || manualMatched === null || duplicates === null ? null : matched + manualMatched + duplicates

/** `452 of 500 rows matched (90.4%), 31 to review.` */
function rowsSentence(totals: Totals): string {
  const matched = found(totals)
  if (matched === null) return `${counted(totals.rows, 'row')}; the service did not report the outcome of all of them.`
  const parts = [`${count(matched)} of ${counted(totals.rows, 'row')} matched (${percent(totals.matchRate)})`]
  if (totals.review) parts.push(`${count(totals.review)} to review`)
  if (totals.unmatched) parts.push(`${count(totals.unmatched)} unmatched`)
  if (totals.failed) parts.push(`${count(totals.failed)} could not be processed`)
  if (totals.skipped) parts.push(`${count(totals.skipped)} skipped`)
  return `${parts.join(', ')}.`
}

export function messageOf(state: RunState, totals: Totals, ledger: Ledger): string {
  if (ledger.adds === false) {
    return `The counts do not add up: the input has ${counted(totals.rows, 'row')}, the outcomes come to ${count(ledger.sum)}. Do not use the output.`
  }
  const failed = state.checks.filter(check => !check.success)
  switch (state.status) {
    case 'running': {
      if (state.detached)
        return `${state.jobs.length === 1 ? 'The job is' : `${count(state.jobs.length)} jobs are`} submitted; the run is detached.`
      const stage = state.stages.find(one => one.status === 'running')
      return stage === undefined ? 'The run has started.' : `The ${stage.name} stage is running.`
    }
    case 'error':
    case 'cancelled':
      return state.error?.message ?? 'The run stopped before its end.'
    case 'skipped':
      return state.stages.find(one => one.status === 'skipped' && one.note)?.note ?? 'There was nothing to do.'
    case 'fail': {
      const hard = failed.filter(check => check.severity === 'fail')
      const names = (hard.length > 0 ? hard : failed).map(check => check.assertion).join(', ')
      return `${names === '' ? 'The data did not pass' : `Not met: ${names}`}. ${rowsSentence(totals)}`
    }
    case 'warn':
    case 'success':
      return failed.length === 0
        ? rowsSentence(totals)
        : `${rowsSentence(totals)} ${warned(failed.map(check => check.assertion))}`
  }
}

const warned = (names: readonly string[]): string =>
  `${names.length === 1 ? 'One check warns' : `${count(names.length)} checks warn`}: ${names.join(', ')}.`
