/** The statements about a run that every format shows: its outcome in one or two sentences, the next steps, what it cost, and the command that repeats it. */
import { action } from '../errors.ts'
import type { RunState } from '../journal/index.ts'
import { shellCommand } from '../shell-command.ts'
import type { Report, Result } from './schema.ts'
import { readChanges } from './sections/changes.ts'
import { openHits } from './sections/company-actions.ts'
import type { Ledger, Totals } from './totals.ts'
import { count, counted, percent } from './words.ts'

/** Rows with a company, as in the match rate; null if unknown. */
const found = ({ matched, manualMatched, duplicates }: Totals): number | null =>
  matched === null || manualMatched === null || duplicates === null ? null : matched + manualMatched + duplicates

/** `452 of 500 rows matched (90.4%), 31 to review.` */
function rowsSentence(totals: Totals, { plan }: RunState): string {
  const matched = found(totals)
  if (matched === null) return `${counted(totals.rows, 'row')}; the service did not report the outcome of all of them.`
  const asked = totals.rows - (totals.skipped ?? 0)
  const parts = [`${count(matched)} of ${counted(asked, 'row')} matched (${percent(totals.matchRate)})`]
  if (totals.duplicates)
    parts.push(`${count(totals.duplicates)} of them ${totals.duplicates === 1 ? 'a duplicate' : 'duplicates'}`)
  if (totals.review) parts.push(`${count(totals.review)} to review`)
  if (totals.unmatched) parts.push(`${count(totals.unmatched)} unmatched`)
  if (totals.failed) parts.push(`${count(totals.failed)} could not be processed`)
  const isEmpty = plan?.input.sections === undefined
  if (totals.skipped)
    parts.push(
      isEmpty
        ? `${counted(totals.skipped, 'empty row')} skipped`
        : `${counted(totals.skipped, 'heading, total or empty row', 'headings, totals and empty rows')} skipped`,
    )
  return `${parts.join(', ')}.`
}

/** The message of a run whose process is gone without having recorded its end. */
export function stoppedWords(stages: readonly { readonly name: string; readonly status: string }[]): string {
  const stage = stages.find(({ status }) => status === 'running')
  return stage === undefined ? 'It stopped before its end.' : `It stopped in the ${stage.name} stage.`
}

export function describeOutcome(state: RunState, totals: Totals, ledger: Ledger): string {
  if (ledger.adds === false) {
    return `The counts do not add up: the input has ${counted(totals.rows, 'row')}, the outcomes come to ${count(ledger.sum)}. Do not use the output.`
  }
  const failed = state.checks.filter(check => check.success === false)
  const isOfCounts = state.plan.output === null && found(totals) !== null
  const note = isOfCounts ? ' These are the counts of the service: the run has no enriched file.' : ''
  const rows = partialWords(readPartial(state)) + rowsSentence(totals, state) + note
  switch (state.status) {
    case 'running': {
      if (state.detached)
        return `${state.jobs.length === 1 ? 'The job is' : `${count(state.jobs.length)} jobs are`} submitted; the run is detached.`
      const stage = state.stages.find(({ status }) => status === 'running')
      return stage === undefined ? 'The run has started.' : `The ${stage.name} stage is running.`
    }
    case 'error':
    case 'cancelled':
      return sentence(state.error?.message ?? 'The run stopped before its end.')
    case 'skipped':
      return state.stages.find(({ status, note }) => status === 'skipped' && note)?.note ?? 'There was nothing to do.'
    case 'fail': {
      if (failed.length === 0 && state.error !== null) return sentence(state.error.message)
      const hard = failed.filter(check => check.severity === 'fail')
      const worst = hard.length > 0 ? hard : failed
      const names = worst.map(check => check.assertion).join(', ')
      return `${names.includes(',') ? `Checks failed: ${names}` : failedWords(worst[0])}.${undoneWords(state)} ${rows}`
    }
    case 'warn':
    case 'success': {
      if (failed.length === 0) return rows
      const warns = failed.length === 1 ? 'One check warns' : `${count(failed.length)} checks warn`
      return `${rows} ${warns}: ${failed.map(check => check.assertion).join(', ')}.${undoneWords(state)}`
    }
  }
}

/** Rows named in a sentence. */
const MOST_NAMES = 3

/** The first rows whose decisions are undone, where reports may show rows. */
function undoneWords(state: RunState): string {
  if (!state.decisions?.undone) return ''
  const rows = (readChanges(state)?.rows ?? []).filter(({ kind }) => kind === 'undone')
  const names = rows.slice(0, MOST_NAMES).map(({ row, key, name }) => [name, key ?? `row ${row}`].filter(Boolean).join(' · '))
  if (names.length === 0) return ''
  return ` Undone: ${names.join(', ')}${rows.length > names.length ? ' …' : ''}.`
}

/** `Check failed: matched 82 of 100 (82%), required < 90%.` */
const failedWords = (check: RunState['checks'][number] | undefined): string =>
  check === undefined ? 'A check failed' : `Check failed: ${check.assertion} ${check.actual}, ${requiredWords(check.expected)}`

/** `required ≥ 90%` for a threshold `not < 90%`. */
export function requiredWords(expected: string): string {
  const [, operator = '', limit = ''] = /^not (<=|>=|<|>) ?(.*)$/.exec(expected) ?? []
  const opposite: Readonly<Record<string, string>> = { '<': '≥', '<=': '>', '>': '≤', '>=': '<' }
  return operator === '' ? `expected ${expected}` : `required ${opposite[operator]} ${limit}`
}

/** An error message as a headline. A first word with a sign in it is a name: `suppliers.csv is not …`. */
const sentence = (text: string): string => (/^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text)

interface NextStep {
  readonly text: string
  /** A section of the page. */
  readonly section: string | null
  /** An output to open. */
  readonly file: string | null
  readonly command: string | null
}

const SECONDS_A_ROW = 4

/** What is left to do after a finished run. */
export function nextSteps({ totals, status }: Report, { checks, outputs, name, screening }: Result): NextStep[] {
  if (status !== 'success' && status !== 'warn' && status !== 'fail') return []
  const findFile = (kind: string): string | null => outputs.find(output => output.kind === kind)?.path ?? null
  const steps: NextStep[] = []
  const add = (text: string, section: string | null, file: string | null, command: string | null = null): void =>
    void steps.push({ text, section, file, command })
  const failed = checks.filter(check => check.success === false).length
  const minutes = Math.max(1, Math.round(((totals.review ?? 0) * SECONDS_A_ROW) / 60))
  const decide = `${counted(totals.review, 'row')} to decide (about ${counted(minutes, 'minute')})`
  if (failed > 0) add(`${counted(failed, 'check')} not met`, 'checks', null)
  if (totals.review) add(decide, 'review', findFile('review'), shellCommand(action('review', name)))
  const hits = openHits(screening)
  if (hits > 0) add(`${counted(hits, 'hit')} to decide about`, null, null, shellCommand(action('review', name)))
  if (totals.unmatched) add(`${counted(totals.unmatched, 'row')} not found`, 'unmatched', findFile('unmatched'))
  if (findFile('output') !== null) add('the result', null, findFile('output'))
  return steps
}

/** `up to 357 credits, 23 requests`. */
export function spentWords({ credits, service, http }: Result): string {
  const requests = counted(http.requests, 'request')
  if (service === 'embedded') return `no credits (embedded service), ${requests}`
  return `${credits === null ? 'credits unknown' : credits === 0 ? 'no credits' : `up to ${counted(credits, 'credit')}`}, ${requests}`
}

const REPEATED = [
  ...['target', 'service', 'input', 'limit', 'shard'],
  ...['map', 'encoding', 'delimiter', 'header', 'skip-head', 'skip-tail', 'sheet', 'decisions', 'register', 'sample'],
] as const

/**
 * The command that does the same again; null for a pipeline object in a program. It names the registers: registers of the environment or
 * of the machine may be others by then.
 */
export function repeatCommand({ args }: Report, { file, plan, registers }: Result): string | null {
  const isClean = args.command === 'clean' && typeof args.file === 'string'
  if (!isClean && file === '(object)') return null
  const flags = REPEATED.flatMap(name => {
    const value =
      args[name] ?? (name === 'register' && args.sample !== true && registers ? registers.map(register => register.name) : null)
    if (value === true) return name === 'sample' ? ['--sample'] : []
    if (value === null) return []
    if (value === false) return name === 'header' ? ['--no-header'] : []
    return [value].flat().flatMap(item => [`--${name}`, String(item)])
  })
  // `clean` replaces only a file that is named.
  const output = args.output ?? (isClean ? (plan.output?.path ?? null) : null)
  const all = [...flags, ...(output === null ? [] : ['--output', String(output)])]
  return shellCommand(isClean ? action('clean', String(args.file), ...all) : action('run', file, ...all))
}

export function readPartial({ plan }: Pick<RunState, 'plan'>): Result['partial'] {
  const { rows, limit, shard, target = null, input } = plan
  return limit === null || shard !== undefined || rows >= input.rows ? null : { rows, of: input.rows, target }
}

/** `Only 500 of 805 rows, target dev. `; empty for a run of all rows. */
function partialWords(partial: Result['partial']): string {
  if (partial === null) return ''
  const { rows, of, target } = partial
  return `Only ${count(rows)} of ${counted(of, 'row')}${target === null ? '' : `, target ${target}`}. `
}
