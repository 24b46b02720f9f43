/** Labels of statuses and outcomes: a word and a sign each, so that nothing depends on colour alone. */
import type { OutcomeName } from '../model/results.ts'
import type { Report, Result } from './schema.ts'

export type Verdict = Report['status']

/** An unbalanced ledger is an error, with any recorded status. */
export const verdictOf = (report: Report): Verdict => (report.ledger.adds === false ? 'error' : report.status)

/** Worst first, as for exit codes. */
const BY_WEIGHT: readonly Verdict[] = ['error', 'cancelled', 'fail', 'running', 'warn', 'success', 'skipped']

/** The worst of several verdicts; an empty list is an error. */
export const worst = (verdicts: readonly Verdict[]): Verdict => BY_WEIGHT.find(one => verdicts.includes(one)) ?? 'error'

export const STATUS: Readonly<Record<Result['stages'][number]['status'], { readonly sign: string; readonly word: string }>> = {
  success: { sign: '✓', word: 'Success' },
  warn: { sign: '!', word: 'Success, with warnings' },
  fail: { sign: '✗', word: 'Checks failed' },
  error: { sign: '✗', word: 'Error' },
  skipped: { sign: '–', word: 'Skipped' },
  cancelled: { sign: '■', word: 'Stopped' },
  running: { sign: '…', word: 'Running' },
  pending: { sign: '·', word: 'Not started' },
}

export const OUTCOME: Readonly<Record<OutcomeName, { readonly sign: string; readonly word: string }>> = {
  matched: { sign: '●', word: 'matched' },
  manualMatched: { sign: '◉', word: 'matched by hand' },
  duplicates: { sign: '◎', word: 'duplicates' },
  review: { sign: '◐', word: 'to review' },
  unmatched: { sign: '○', word: 'unmatched' },
  failed: { sign: '✗', word: 'not answered' },
  skipped: { sign: '–', word: 'skipped' },
}

/** In display order. */
export const OUTCOMES = Object.keys(OUTCOME) as readonly OutcomeName[]

export const shownOutcomes = (report: Report): OutcomeName[] => {
  const usual: readonly OutcomeName[] = ['matched', 'duplicates', 'review', 'unmatched']
  return OUTCOMES.filter(name => usual.includes(name) || (report.totals[name] ?? 0) > 0)
}
