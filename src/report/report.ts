/** RunState -> Report. The same state and context always give the same report. */
import { counted } from '../counted.ts'
import { action, type Issue, issue } from '../errors.ts'
import { type JobState, type RunState, rowsToAccountFor, UNKNOWN } from '../journal/index.ts'
import { filledRows, isColumnMasked, isMappingMasked, MASK } from '../model/list.ts'
import type { RowSample } from '../model/results.ts'
import { DEFAULT_RUNS_DIR, shellCommand } from '../shell-command.ts'
import { describeOutcome, readPartial } from './message.ts'
import type { Report, Result, Sample } from './schema.ts'
import { readAudit } from './sections/audit.ts'
import { readChanges } from './sections/changes.ts'
import { readCompanyActions } from './sections/company-actions.ts'
import { readDecide } from './sections/decide.ts'
import { readMatches } from './sections/matches.ts'
import { estimateInRegister, judgeCompanyNumbers, registersOf } from './service-words.ts'
import { checkLedger, countTotals, type Totals } from './totals.ts'

export interface ReportContext {
  /** UTC, with milliseconds. */
  readonly generatedAt: string
  /** Duration of the run in milliseconds, by a monotonic clock. */
  readonly elapsedMs: number
  /** The pipeline file; the plan's if absent. */
  readonly file?: string
  /** The run directory relative to the user; the result line and the resume command contain it. */
  readonly directory?: string
  /** Credits that enriching may cost, null if unknown. */
  readonly credits?: number | null
  /** The journal of the state; null or absent if it is not known. */
  readonly journal?: Report['journal']
  /** Report of the last good run of this pipeline. */
  readonly previous?: Report | null
}

/** A value that may have parts of the state, which is frozen. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** The report is a copy, which may be changed, and is as its file: keys without a value are absent. */
export const buildReport = (state: RunState, context: ReportContext): Report =>
  JSON.parse(JSON.stringify(describeRun(state, context)))

function describeRun(state: RunState, context: ReportContext): Frozen<Report> {
  const { plan, runId, startedAt, status, reuse } = state
  const { generatedAt, elapsedMs, directory = null, previous = null } = context
  const totals = countTotals(state.outcomes ?? UNKNOWN, rowsToAccountFor(plan))
  const ledger = checkLedger(state.outcomes ?? UNKNOWN, rowsToAccountFor(plan))
  return {
    schema: 'fettle/report/v1',
    metadata: {
      tool: state.tool,
      runId,
      startedAt,
      generatedAt,
      traceId: state.traceId,
      ci: state.ci,
      resumedFrom: state.resumedAt.length > 0 ? runId : null,
      resumedAt: state.resumedAt,
      directory,
    },
    args: state.args,
    status,
    exitCode: state.exitCode,
    elapsedMs,
    totals,
    ledger,
    previous: previous && { runId: previous.metadata.runId, startedAt: previous.metadata.startedAt, totals: previous.totals },
    delta: previous && compareTotals(totals, previous.totals),
    resume: isResumable(state) ? resumeCommand(state, directory) : null,
    results: [
      {
        name: plan.name,
        description: plan.description,
        file: context.file ?? plan.file,
        status,
        message: describeOutcome(state, totals, ledger),
        elapsedMs,
        service: plan.service.kind === 'embedded' ? 'embedded' : plan.service.url,
        registers: registersOf(state),
        partial: readPartial(state),
        inRegister: estimateInRegister(state.jobs),
        companyNumbers: judgeCompanyNumbers(state.jobs),
        plan: readPlan(state),
        input: readInput(state),
        mappings: plan.mappings.map(({ mapping, header, index, pad, value = null, trim = false }) => {
          return { mapping, header, index, pad, value, trim }
        }),
        profile: readProfile(state),
        stages: state.stages,
        jobs: state.jobs.map(readJob),
        checks: state.checks,
        issues: ledger.adds === false ? withLedgerIssue(state.issues, totals.rows, ledger.sum) : state.issues,
        outputs: state.outputs,
        scores: state.scores,
        lowestScores: state.lowestScores,
        decisions: state.decisions,
        matches: readMatches(state),
        audit: readAudit(state),
        decide: readDecide(state),
        changes: readChanges(state),
        reuse: reuse && { ...reuse.counts, outcomes: reuse.outcomes },
        ...readCompanyActions(state),
        credits: countCredits(state, context.credits ?? null),
        reasons: state.reasons,
        duplicates: plan.report.rows === 'all' ? listDuplicates(state) : [],
        review: plan.report.rows === 'none' ? [] : listSamples(state, 'review'),
        unmatched: plan.report.rows === 'all' ? listSamples(state, 'unmatched') : [],
        http: state.http,
        error: state.error && { ...state.error, hint: errorHint(state.error, state, directory) },
      },
    ],
    warnings: listWarnings(state),
    journal: context.journal ?? null,
    files: [],
    checksum: null,
  }
}

const withLedgerIssue = (issues: readonly Issue[], rows: number, sum: number): readonly Issue[] =>
  issues.some(known => known.code === 'FETTLE_LEDGER')
    ? issues
    : [issue('FETTLE_LEDGER', `The input has ${counted(rows, 'row')}, the outcomes add up to ${sum}.`), ...issues]

const minus = (now: number | null, then: number | null): number | null => (now === null || then === null ? null : now - then)

const compareTotals = (now: Totals, then: Report['totals']): Report['delta'] => ({
  rows: now.rows - then.rows,
  matchRate: minus(now.matchRate, then.matchRate),
  review: minus(now.review, then.review),
  unmatched: minus(now.unmatched, then.unmatched),
  duplicates: minus(now.duplicates, then.duplicates),
})

/** A changed input can be restored: the hint of this error ends with the command that resumes the run. */
const errorHint = ({ code, hint }: NonNullable<RunState['error']>, state: RunState, directory: string | null): string =>
  code === 'FETTLE_INPUT_CHANGED' ? `${hint.replace(/\.$/, '')}: ${resumeCommand(state, directory)}` : hint

/** A run whose input changed cannot be resumed before the input is restored. */
const isResumable = ({ finished, error }: RunState): boolean => !finished && error?.code !== 'FETTLE_INPUT_CHANGED'

function resumeCommand({ runId, detached }: RunState, directory: string | null): string {
  const runsDir = directory?.replace(/[\\/]+[^\\/]*$/, '') ?? DEFAULT_RUNS_DIR
  return shellCommand(action(detached ? 'collect' : 'resume', runId), runsDir)
}

function readPlan({ plan }: RunState): Frozen<Result['plan']> {
  const { fingerprint, tags, key, limit, sent, collapse, parts, concurrency, preparation } = plan
  const { enrich, budget, poll, retry, output, accept = null, decisions, report } = plan
  const rows = { fingerprint, tags, key, limit, sent, collapse, jobs: parts.length, concurrency, preparation }
  return { ...rows, enrich, budget, poll, retry, output, accept, decisions, report }
}

function readInput({ plan: { input } }: RunState): Frozen<Result['input']> {
  const { path, sha256, bytes, rows, encoding, bom, delimiter, delimiterEvidence, header, columns, blankLines, lineEnd } = input
  const { rejected } = input
  const files = input.files?.map(({ path, sha256, bytes, rows }) => ({ path, sha256, bytes, rows }))
  const text = { encoding, bom, delimiter, delimiterEvidence, header, columns, blankLines, lineEnd }
  return { path, files, sha256, bytes, rows, rejected, ...text }
}

function readJob({ part, id, name, adopted, status, history, polls, summary, correlations }: JobState) {
  const jobSummary = summary && { ...summary }
  const correlationIds = correlations.map(({ correlationId }) => correlationId)
  return { part, id, name, adopted, status, history, polls, jobSummary, correlationIds, correlations }
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const readProfile = ({ plan }: RunState) =>
  (plan.profile ?? []).map(({ mapping, header, index, isKey, filled, distinct, isEstimate: estimated, examples: all }) => {
    const shown = isColumnMasked(plan, index) ? all.slice(0, 1).map(() => MASK) : all
    const examples = plan.report.rows === 'none' ? [] : shown
    const [fillRate, distinctShare] = [ratio(filled, filledRows(plan.input)), ratio(distinct, filled)]
    return { mapping, header, index, key: isKey, filled, fillRate, distinct, distinctShare, estimated, examples }
  })

/** The embedded service is free. */
function countCredits({ plan, screening, candidates, accepted, tree }: RunState, enriched: number | null): number | null {
  if (plan.service.kind === 'embedded') return 0
  if (enriched === null) return null
  return enriched + (screening?.searches ?? 0) + (candidates?.paid ?? 0) + (accepted?.paid ?? 0) + (tree?.paid ?? 0)
}

function listDuplicates({ plan, duplicates }: RunState) {
  const isKeyMasked = plan.key !== null && isColumnMasked(plan, plan.key.index)
  const isNameMasked = isMappingMasked(plan, 'name')
  return duplicates.map(row => ({
    ...row,
    key: row.key !== null && isKeyMasked ? MASK : row.key,
    name: row.name !== '' && isNameMasked ? MASK : row.name,
  }))
}

const listSamples = ({ plan, samples }: RunState, outcome: RowSample['outcome']): Sample[] =>
  samplesIn(
    plan,
    samples.filter(sample => sample.outcome === outcome),
  )

/** The rows of a report. They are masked again: a resume may mask more columns than the settings under which the rows were stored. */
export function samplesIn(plan: RunState['plan'], rows: readonly RowSample[]): Sample[] {
  const shown = (cells: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(cells).map(([name, cell]) => [name, cell !== '' && isMappingMasked(plan, name) ? MASK : cell]),
    )
  const isKeyMasked = plan.key !== null && isColumnMasked(plan, plan.key.index)
  return rows.map(({ row, line, file, key, score, why, reason, cells, candidate, fingerprint, candidates, decision }) => {
    const head = { row, line, file, key: key !== null && isKeyMasked ? MASK : key, score, why, reason: reason || null }
    const best = candidate.id === '' && candidate.name === '' ? null : { ...candidate }
    const all = candidates.map(company => ({ ...company, parts: { ...company.parts }, fields: shown(company.fields) }))
    return { ...head, cells: shown(cells), candidate: best, fingerprint, candidates: all, decision: decision && { ...decision } }
  })
}

function listWarnings({ plan: { service }, jobs }: RunState): string[] {
  const found = jobs.filter(({ adopted }) => adopted)
  return [
    ...(service.kind === 'remote' && service.insecure
      ? [`service.insecure is set: ${service.url} may be used without encryption.`]
      : []),
    ...found.map(({ id, name }) => `The remote job ${id ?? name} was found, not created: it was made by an earlier attempt.`),
  ]
}
