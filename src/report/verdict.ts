/** Labels of statuses and outcomes: a word and a sign each, so that nothing depends on colour alone. */
import type { OutcomeName } from '../model/results.ts'
import type { Report, Result } from './schema.ts'

export type Verdict = Report['status']

/** An unbalanced ledger is an error, with any recorded status, and so is a budget that refused the run: no check failed. */
export const verdictOf = (report: Report): Verdict =>
  report.ledger.adds === false || isRefused(report) ? 'error' : report.status

export const isRefused = ({ status, results }: Report): boolean =>
  status === 'fail' && results.every(({ error, checks }) => error !== null && checks.every(({ success }) => success))

/** Worst first, as for exit codes. */
const BY_WEIGHT: readonly Verdict[] = ['error', 'cancelled', 'fail', 'running', 'warn', 'success', 'skipped']

/** The worst of several verdicts; an empty list is an error. */
export const worst = (verdicts: readonly Verdict[]): Verdict => BY_WEIGHT.find(verdict => verdicts.includes(verdict)) ?? 'error'

export type Tone = 'good' | 'warn' | 'bad' | 'calm'

export interface Label {
  readonly sign: string
  readonly word: string
  readonly tone: Tone
}

export const STATUS: Readonly<Record<Result['stages'][number]['status'], Label>> = {
  success: { sign: '✓', word: 'Success', tone: 'good' },
  warn: { sign: '!', word: 'Done, with warnings', tone: 'warn' },
  fail: { sign: '✗', word: 'Checks failed', tone: 'bad' },
  error: { sign: '✗', word: 'Error', tone: 'bad' },
  skipped: { sign: '–', word: 'Skipped', tone: 'calm' },
  cancelled: { sign: '■', word: 'Stopped', tone: 'warn' },
  running: { sign: '…', word: 'Running', tone: 'calm' },
  pending: { sign: '·', word: 'Not started', tone: 'calm' },
}

/** How a check ended. */
export function labelCheck({ success, severity }: Pick<Result['checks'][number], 'success' | 'severity'>): Label {
  if (success === null) return { sign: '–', word: 'not measured yet', tone: 'calm' }
  if (success) return { sign: '✓', word: 'met', tone: 'good' }
  return severity === 'warn' ? { sign: '!', word: 'warning', tone: 'warn' } : { sign: '✗', word: 'failed', tone: 'bad' }
}

export const OUTCOME: Readonly<Record<OutcomeName, Label>> = {
  matched: { sign: '●', word: 'matched', tone: 'good' },
  manualMatched: { sign: '◉', word: 'matched by hand', tone: 'good' },
  duplicates: { sign: '◎', word: 'duplicates', tone: 'good' },
  review: { sign: '◐', word: 'to review', tone: 'warn' },
  unmatched: { sign: '○', word: 'unmatched', tone: 'calm' },
  failed: { sign: '✗', word: 'failed', tone: 'bad' },
  skipped: { sign: '–', word: 'skipped', tone: 'calm' },
}

/** `matched` is all rows with a company: once some are duplicates or matched by hand, the rest are first matches. */
export const outcomeWord = (name: OutcomeName, { duplicates, manualMatched }: Report['totals']): string =>
  name === 'matched' && ((duplicates ?? 0) > 0 || (manualMatched ?? 0) > 0) ? 'first matches' : OUTCOME[name].word

/** In display order. */
export const OUTCOMES = Object.keys(OUTCOME) as readonly OutcomeName[]

export const shownOutcomes = (report: Report): OutcomeName[] => {
  const usual: readonly OutcomeName[] = ['matched', 'duplicates', 'review', 'unmatched']
  return OUTCOMES.filter(name => usual.includes(name) || (report.totals[name] ?? 0) > 0)
}
