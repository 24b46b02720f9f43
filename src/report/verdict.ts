/** How a status and an outcome are said and drawn: one word and one sign each, so that nothing hangs on colour alone. */
import type { Report, Result } from './schema.ts'
import type { OutcomeName } from './totals.ts'

/** How a run stands. */
export type Verdict = Report['status']

/** What is shown as the verdict: an unbalanced ledger is an error whatever else was recorded. */
export const verdictOf = (report: Report): Verdict => (report.ledger.adds === false ? 'error' : report.status)

/** Worst first, as for exit codes. */
const BY_WEIGHT: readonly Verdict[] = ['error', 'cancelled', 'fail', 'running', 'warn', 'success', 'skipped']

/** How several runs stand together; none at all is an error. */
export const worst = (verdicts: readonly Verdict[]): Verdict => BY_WEIGHT.find(one => verdicts.includes(one)) ?? 'error'

/** Sign and word of a status, a stage that has not begun included. */
export const STATUS: Readonly<Record<Result['stages'][number]['status'], { readonly sign: string; readonly word: string }>> = {
  success: { sign: '✓', word: 'Success' },
  warn: { sign: '!', word: 'Success, with warnings' },
  fail: { sign: '✗', word: 'Checks failed' },
  error: { sign: '✗', word: 'Error' },
  skipped: { sign: '–', word: 'Skipped' },
  cancelled: { sign: '■', word: 'Stopped' },
  running: { sign: '…', word: 'Running' },
  pending: { sign: '·', word: 'Not begun' },
}

/** Sign and word of a row's outcome. */
export const OUTCOME: Readonly<Record<OutcomeName, { readonly sign: string; readonly word: string }>> = {
  matched: { sign: '●', word: 'matched' },
  manualMatched: { sign: '◉', word: 'matched by hand' },
  duplicates: { sign: '◎', word: 'duplicates' },
  review: { sign: '◐', word: 'to review' },
  unmatched: { sign: '○', word: 'unmatched' },
  failed: { sign: '✗', word: 'not answered' },
  skipped: { sign: '–', word: 'skipped' },
}

/** The outcomes worth a line: the usual four always, the others when there are such rows or nobody told. */
export const shownOutcomes = (report: Report): OutcomeName[] => {
  const usual: readonly OutcomeName[] = ['matched', 'duplicates', 'review', 'unmatched']
  return (Object.keys(OUTCOME) as OutcomeName[]).filter(name => usual.includes(name) || (report.totals[name] ?? 0) > 0)
}
