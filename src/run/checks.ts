/** Evaluates the pipeline's `checks:` and `budget.credits` against the outcomes of the rows. */
import { count, counted } from '../counted.ts'
import type { Issue } from '../errors.ts'
import type { ScreenState } from '../journal/company-actions.ts'
import type { CheckResult } from '../journal/events.ts'
import { matchRate, rowsToAccountFor } from '../journal/outcomes.ts'
import type { RunState } from '../journal/state.ts'
import { filledRows } from '../model/list.ts'
import type { AuditCounts, ChangeCounts, CompanyCounts, DecideCounts, Outcomes } from '../model/results.ts'
import type { ListCheckName, Plan, PlannedCheck, ResultCheckName, Threshold } from '../pipeline/model/types.ts'
import { outcomesOfSummaries } from './row-ledger.ts'
import { warning } from './stage.ts'

interface Measure {
  readonly rows: number | null
  readonly share: number | null
  /** What the share was computed from, when not from rows. */
  readonly of?: string
}

/** Decimal places of a difference of two shares; beyond them are rounding errors of binary numbers. */
const PLACES = 12

const round = (value: number): number => Number(value.toFixed(PLACES))

/** The last good run of a series. */
export interface LastGoodRun extends Pick<RunState, 'outcomes'> {
  readonly plan: Pick<Plan, 'input' | 'profile' | 'rows' | 'limit' | 'shard'>
}

/** What checks look at besides outcomes: the last good run, the rows that changed since, and the audit of matches. */
export interface Since {
  readonly before: LastGoodRun | null
  readonly changes: ChangeCounts | null
  /** Null where matches were not audited. */
  readonly audit: Omit<AuditCounts, 'examples'> | null
  /** What the decision table decided; null without one, and before it has decided. */
  readonly decide: Pick<DecideCounts, 'decline' | 'refer'> | null
  /** Companies to search for, and what was searched; null where that is unknown at the end of a run, absent before the searches. */
  readonly screened?: ScreenedCompanies | null
}

type ScreenedCompanies = Omit<CompanyCounts, 'directors'> & { readonly allDirectors: number } & Pick<
    ScreenState,
    'searches' | 'reused' | 'refused' | 'noName' | 'noLetter' | 'tooOld' | 'done' | 'hits' | 'judged' | 'directors'
  >

/** What was screened, of the companies found; null before they are known. */
export const screenedOf = ({ companies, screening }: Pick<RunState, 'companies' | 'screening'>): ScreenedCompanies | null =>
  companies === null || screening === null ? null : { ...companies, ...screening, allDirectors: companies.directors ?? 0 }

/** Companies that were not screened, or whose search does not count, by cause. */
const unscreenedCauses = (counts: ScreenedCompanies): [number, string][] => [
  [counts.refused - counts.noName - counts.noLetter, 'refused by the service'],
  [counts.noName, 'without a name'],
  [counts.noLetter, 'with a name of no letter and no digit'],
  [counts.tooOld, 'searched too long ago'],
  [Math.max(0, counts.listed - counts.done), 'not reached'],
  [counts.nameless, 'without an id'],
  [counts.directors?.none ?? 0, 'without a known director'],
  [counts.directors?.incomplete ?? 0, 'with a director who was not searched for'],
  [unreachedDirectors(counts), 'directors not reached'],
]

const unreachedDirectors = ({
  listed,
  allDirectors,
  done,
}: Pick<ScreenedCompanies, 'listed' | 'allDirectors' | 'done'>): number => allDirectors - Math.max(0, done - listed)

function measureScreened(counts: ScreenedCompanies): Measure & { readonly all: number } {
  const all = counts.listed + counts.nameless
  const { searches = 0, reused = 0, none = 0, incomplete = 0 } = counts.directors ?? {}
  const companies = counts.searches - searches + counts.reused - reused - counts.tooOld
  // Each may be of the same company or of another: never more than there are.
  const done = Math.max(0, companies - none - incomplete - unreachedDirectors(counts))
  const causes = unscreenedCauses(counts).flatMap(([many, cause]) => (many > 0 ? [`${many} ${cause}`] : []))
  return { rows: done, share: all === 0 ? 1 : done / all, of: causes.join(', '), all }
}

/** Hits that no person cleared: none is known to be none only where all companies are screened. */
function measureHits(counts: ScreenedCompanies): Measure {
  const { hits, judged } = counts
  const open = judged === null ? hits : judged.open + judged.back + judged.confirmed
  const { of = '', rows, all } = measureScreened(counts)
  return { rows: open === 0 && rows !== all ? null : open, share: null, of }
}

function formatHits(counts: ScreenedCompanies): string {
  const { rows, of } = measureHits(counts)
  return `${rows === null ? 'unknown' : counted(rows, 'hit')}${of ? `: ${of}` : ''}`
}

const isOfScreening = (name: ResultCheckName): name is 'screened' | 'hits' => name === 'screened' || name === 'hits'

const isOfList = (check: PlannedCheck): check is PlannedCheck<ListCheckName> => check.name === 'rows' || check.name === 'filled'

const isChange = (name: ResultCheckName): name is 'changed' | 'lost' | 'moved' =>
  name === 'changed' || name === 'lost' || name === 'moved'

const RULINGS = { declined: 'decline', referred: 'refer' } as const
const isRuling = (name: ResultCheckName): name is keyof typeof RULINGS => name in RULINGS

const findRate = (before: LastGoodRun | null): number | null =>
  before?.outcomes == null ? null : matchRate(before.outcomes, rowsToAccountFor(before.plan))

function measure(
  name: ResultCheckName,
  outcomes: Outcomes,
  rows: number,
  { before, changes, audit, decide, screened }: Since,
): Measure {
  if (isOfScreening(name)) {
    if (screened == null) return { rows: null, share: null }
    return name === 'hits' ? measureHits(screened) : measureScreened(screened)
  }
  const asked = rows - (outcomes.skipped ?? 0)
  if (name === 'drift') {
    const [rate, previousRate] = [matchRate(outcomes, rows), findRate(before)]
    if (rate === null || previousRate === null) return { rows: null, share: null }
    return { rows: null, share: round(Math.abs(rate - previousRate)), of: `${percent(rate)} after ${percent(previousRate)}` }
  }
  if (name === 'matched') {
    const rate = matchRate(outcomes, rows)
    return { rows: rate === null ? null : Math.round(rate * asked), share: rate }
  }
  if (name === 'doubtful') return measureDoubtful(audit, asked)
  const count = isChange(name) ? (changes?.[name] ?? null) : isRuling(name) ? (decide?.[RULINGS[name]] ?? null) : outcomes[name]
  return { rows: count, share: count === null || asked === 0 ? null : count / asked }
}

/** Unknown where there are matches, and none can be compared. */
function measureDoubtful(audit: Since['audit'], asked: number): Measure {
  if (audit === null || asked === 0) return { rows: null, share: null }
  const { agreed, doubtful, notComparable } = audit
  if (agreed + doubtful === 0 && notComparable > 0) return { rows: null, share: null, of: 'no match can be compared' }
  return { rows: doubtful, share: doubtful / asked, of: notComparable === 0 ? '' : `${count(notComparable)} not comparable` }
}

/** Whether the bad case that the threshold names holds. */
export const isBeyond = (value: number, { operator, value: limit }: Threshold): boolean => {
  if (operator === '<') return value < limit
  if (operator === '<=') return value <= limit
  if (operator === '>') return value > limit
  return value >= limit
}

/** With enough digits to be on the same side of the limit: 8,996 of 10,000 is 89.96% for a limit of 90%, not 90.0%. */
export function percent(share: number, limit: number | null = null): string {
  const shown = [1, 2, 3, 4, 5, 6].map(places => (share * 100).toFixed(places))
  const side = (value: number): number => (limit === null ? 0 : Math.sign(round(value - limit * 100)))
  return `${shown.find(text => side(Number(text)) === side(share * 100)) ?? shown.at(-1)}%`
}

const formatActual = (
  name: ResultCheckName,
  { rows: count, share, of }: Measure,
  rows: number,
  { unit, value }: Threshold,
): string => {
  const limit = unit === 'share' ? value : null
  if (name === 'drift' && share !== null) return `${percent(share, limit)} (${of})`
  if (count === null || share === null) return `unknown: ${of || 'the service gave no such count'}`
  return `${count} of ${rows} (${percent(share, limit)})${of ? `: ${of}` : ''}`
}

/** `96 of 100 (96%): 3 refused by the service, 1 without a name`, of companies. */
function formatScreened(counts: ScreenedCompanies, { unit, value }: Threshold): string {
  const { rows, share, of, all } = measureScreened(counts)
  return `${rows} of ${all} (${percent(share!, unit === 'share' ? value : null)})${of === '' ? '' : `: ${of}`}`
}

const NOT_SEARCHED = 'not measured yet: the companies are searched for later'
const NOT_DECIDED = 'not measured: no row was decided about'
const NOT_MEASURED = 'not measured yet: no earlier run to compare with'

/** Whether what the check is about is not there: an earlier run to compare with, decisions, searches. */
function isUnmeasured(name: ResultCheckName, outcomes: Outcomes, rows: number, since: Since): boolean {
  if (isChange(name)) return since.changes === null
  if (isRuling(name)) return since.decide === null
  if (isOfScreening(name)) return since.screened === undefined
  // A run without counts fails the check: the next one would have nothing to compare with either.
  return name === 'drift' && findRate(since.before) === null && matchRate(outcomes, rows) !== null
}

/** What a list has less of than the list of the last good run. */
export interface Loss {
  readonly check: ListCheckName
  readonly share: number
  readonly text: string
}

/** What the list has now, compared with the last good run: its rows, and the filled cells of each mapped column. */
export function compareLists(plan: LastGoodRun['plan'], before: LastGoodRun['plan']): Loss[] {
  const [rows, rowsBefore] = [filledRows(plan.input), filledRows(before.input)]
  if (rowsBefore === 0) return []
  const columns = (plan.profile ?? []).flatMap(({ mapping, header, filled }): Loss[] => {
    const was = (before.profile ?? []).find(column => column.mapping === mapping)
    if (was === undefined || was.filled === 0 || rows === 0) return []
    const name = `${mapping ?? 'key'}${header === null ? '' : ` (${header})`}`
    const text = `${name} is filled in ${filled} of ${counted(rows, 'row')}, and was in ${was.filled} of ${rowsBefore}`
    return [{ check: 'filled', share: filled / rows / (was.filled / rowsBefore), text }]
  })
  return [
    { check: 'rows', share: rows / rowsBefore, text: `the list has ${counted(rows, 'row')}, and had ${rowsBefore}` },
    ...columns,
  ]
}

/**
 * The results of `checks.rows` and `checks.filled`, the latter for the column that lost most. A run that fails them starts only where the
 * list was accepted, so that they warn by now.
 */
function evaluateListChecks(
  checks: readonly PlannedCheck[],
  plan: LastGoodRun['plan'],
  before: LastGoodRun | null,
): CheckResult[] {
  const losses = before === null ? [] : compareLists(plan, before.plan)
  return checks.filter(isOfList).flatMap(({ name, warn, fail }) => {
    const [worst] = losses.filter(({ check }) => check === name).sort((a, b) => a.share - b.share)
    return [warn, fail].flatMap((threshold): CheckResult[] => {
      if (threshold === null) return []
      const success = worst === undefined ? null : !isBeyond(worst.share, threshold)
      const actual = worst === undefined ? NOT_MEASURED : `${worst.text} (${percent(worst.share, threshold.value)})`
      const severity = threshold === fail && success !== false ? 'fail' : 'warn'
      return [{ assertion: name, success, severity, expected: `not ${threshold.text}`, actual }]
    })
  })
}

/**
 * The results of all checks, warn before fail. A threshold names the bad case: `matched: { fail: "< 80%" }` fails below 80 %.
 * An unknown value fails its check; what compares with an earlier run is neither met nor failed without one.
 */
export function evaluateChecks(
  plan: LastGoodRun['plan'] & Pick<Plan, 'checks'>,
  outcomes: Outcomes,
  since: Since,
): CheckResult[] {
  const { checks } = plan
  const rows = rowsToAccountFor(plan)
  const ofResult = checks.filter((check): check is PlannedCheck<ResultCheckName> => !isOfList(check))
  const results = ofResult.flatMap(check => {
    const found = measure(check.name, outcomes, rows, since)
    const isMeasured = !isUnmeasured(check.name, outcomes, rows, since)
    return (['warn', 'fail'] as const).flatMap((severity): CheckResult[] => {
      const threshold = check[severity]
      if (threshold === null) return []
      const expected = `not ${threshold.text}`
      const actualNone = isOfScreening(check.name) ? NOT_SEARCHED : isRuling(check.name) ? NOT_DECIDED : NOT_MEASURED
      if (!isMeasured) return [{ assertion: check.name, success: null, severity, expected, actual: actualNone }]
      const value = threshold.unit === 'share' ? found.share : found.rows
      const success = value !== null && !isBeyond(value, threshold)
      const actual =
        isOfScreening(check.name) && since.screened != null
          ? (check.name === 'hits' ? formatHits : formatScreened)(since.screened, threshold)
          : formatActual(check.name, found, rows - (outcomes.skipped ?? 0), threshold)
      return [{ assertion: check.name, success, severity, expected, actual }]
    })
  })
  return [...evaluateListChecks(checks, plan, since.before), ...results]
}

/** `review.undone` as a check; none where all decisions of the last good run apply. */
export function evaluateUndone({ plan, decisions }: Pick<RunState, 'plan' | 'decisions'>): CheckResult[] {
  const { undone = 0 } = decisions ?? {}
  const severity = plan.undone ?? 'fail'
  return undone === 0
    ? []
    : [{ assertion: 'review.undone', success: false, severity, expected: 'none', actual: counted(undone, 'decision') }]
}

/** Whether the outputs of a run with these outcomes may not replace the outputs of the last good run. */
export function isRejected(
  { plan }: Pick<RunState, 'plan'>,
  outcomes: Outcomes,
  since: Since,
  decisions: RunState['decisions'],
): boolean {
  if (plan.output?.onFail === 'replace') return false
  const checks = [...evaluateChecks(plan, outcomes, since), ...evaluateUndone({ plan, decisions })]
  return checks.some(({ success, severity }) => success === false && severity === 'fail')
}

/** Below this many rows, only a run without any match is suspicious. */
const MANY_ROWS = 20
/** Fewer matches than this are almost none. */
const FEW_SHARE = 0.05

/** A warning when no row was matched, or of twenty rows or more fewer than one in twenty; null otherwise. */
export function fewMatchedIssue({ plan }: Pick<RunState, 'plan'>, outcomes: Outcomes): Issue | null {
  const rows = rowsToAccountFor(plan) - (plan.skipped ?? 0)
  const rate = matchRate(outcomes, rowsToAccountFor(plan))
  if (rate === null || !(rate === 0 || (rows >= MANY_ROWS && rate < FEW_SHARE))) return null
  const countries = plan.issues.find(issue => issue.code === 'FETTLE_REGISTER_COUNTRY')
  const names = plan.register?.map(register => register.name).join(', ')
  const against = names === undefined ? '' : ` against ${names}`
  const found = Math.round(rate * rows)
  const matched = `${rate === 0 ? 'none' : `only ${count(found)}`} of ${counted(rows, 'row')} ${found < 2 ? 'was' : 'were'} matched`
  const reason = countries === undefined ? '' : `: no register of this run holds the countries of ${count(countries.count)}`
  return warning('FETTLE_FEW_MATCHED', `${matched}${against}${reason}`, { count: rows })
}

/** One credit for each row that found a company: what the service may bill. Null when the service gave no counts. */
export function creditsOf(state: RunState): number | null {
  const { matched, manualMatched, duplicates } = outcomesOfSummaries(state)
  return matched === null || manualMatched === null || duplicates === null ? null : matched + manualMatched + duplicates
}

/** Where the service gave no counts: no more than the rows that were sent. */
export const mostToEnrich = ({ plan }: Pick<RunState, 'plan'>): number => plan.sent

/** `budget.credits` as a check. A count that exceeds it after enriching was requested is a warning: the data is there, and paid. */
export function evaluateBudget(state: RunState): CheckResult[] {
  const limit = state.plan.budget.credits
  if (limit === null) return []
  const credits = creditsOf(state)
  const most = mostToEnrich(state)
  const actual = credits === null ? `${counted(most, 'credit')} at most: the service gave no counts` : counted(credits, 'credit')
  const success = (credits ?? most) <= limit
  const severity = !success && state.jobs.some(job => job.enrichRequested) ? 'warn' : 'fail'
  return [{ assertion: 'budget.credits', success, severity, expected: `not > ${limit}`, actual }]
}
