/**
 * RunState -> Report. The same state and context always give the same report.
 */
import { counted } from '../counted.ts'
import { action, type Issue, issue } from '../errors.ts'
import { type JobState, type RunState, UNKNOWN } from '../journal/index.ts'
import { filledRows, isColumnMasked, isMappingMasked, MASK } from '../model/list.ts'
import type { RowSample } from '../model/results.ts'
import { DEFAULT_RUNS_DIR, shellCommand } from '../shell-command.ts'
import { describeOutcome, readPartial } from './message.ts'
import type { Report, Result, Sample } from './schema.ts'
import { readChanges } from './sections/changes.ts'
import { readAccepted, readCandidates, readCompanyActions } from './sections/company-actions.ts'
import { readEvents } from './sections/events.ts'
import { readMatches } from './sections/matches.ts'
import { readReuse } from './sections/reuse.ts'
import { judgeCompanyNumbers, estimateInRegister, registersOf } from './service-words.ts'
import { checkLedger, type Totals, countTotals } from './totals.ts'

export interface ReportContext {
  /** UTC, with milliseconds. */
  readonly generatedAt: string
  /** Duration of the run in milliseconds, by a monotonic clock. */
  readonly elapsedMs: number
  /** The pipeline file; that of the plan if absent. */
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

export function buildReport(state: RunState, context: ReportContext): Report {
  const { plan } = state
  const totals = countTotals(state.outcomes ?? UNKNOWN, plan.rows)
  const ledger = checkLedger(state.outcomes ?? UNKNOWN, plan.rows)
  const issues = ledger.adds === false ? withLedgerIssue(state.issues, totals.rows, ledger.sum) : state.issues
  const previous = context.previous ?? null
  return {
    schema: 'fettle/report/v1',
    metadata: {
      tool: { ...state.tool },
      runId: state.runId,
      startedAt: state.startedAt,
      generatedAt: context.generatedAt,
      traceId: state.traceId,
      ci: state.ci,
      resumedFrom: state.resumedAt.length > 0 ? state.runId : null,
      resumedAt: [...state.resumedAt],
      directory: context.directory ?? null,
    },
    args: Object.fromEntries(Object.entries(state.args).map(([name, value]) => [name, copied(value)])),
    status: state.status,
    exitCode: state.exitCode,
    elapsedMs: context.elapsedMs,
    totals,
    ledger,
    previous: previous && {
      runId: previous.metadata.runId,
      startedAt: previous.metadata.startedAt,
      totals: { ...previous.totals },
    },
    delta: previous && compareTotals(totals, previous.totals),
    resume: isResumable(state) ? resumeCommand(state, context.directory ?? null) : null,
    results: [
      {
        name: plan.name,
        description: plan.description,
        file: context.file ?? plan.file,
        status: state.status,
        message: describeOutcome(state, totals, ledger),
        elapsedMs: context.elapsedMs,
        service: plan.service.kind === 'embedded' ? 'embedded' : plan.service.url,
        registers: registersOf(state)?.map(one => ({ ...one })) ?? null,
        partial: readPartial(state),
        inRegister: estimateInRegister(state.jobs),
        companyNumbers: judgeCompanyNumbers(state.jobs),
        plan: readPlan(state),
        input: readInput(state),
        mappings: plan.mappings.map(({ mapping, header, index, pad, value = null, trim = false }) => {
          return { mapping, header, index, pad, value, trim }
        }),
        profile: readProfile(state),
        stages: state.stages.map(stage => ({ ...stage })),
        jobs: state.jobs.map(readJob),
        checks: state.checks.map(check => ({ ...check })),
        issues: issues.map(one => ({ ...one, rows: [...one.rows], at: one.at && { ...one.at } })),
        outputs: state.outputs.map(output => ({ ...output })),
        scores: [...state.scores],
        lowestScores: state.lowestScores && { ...state.lowestScores },
        decisions: state.decisions && { ...state.decisions },
        matches: readMatches(state),
        changes: readChanges(state),
        reuse: readReuse(state),
        candidates: readCandidates(state),
        accepted: readAccepted(state),
        ...readCompanyActions(state),
        events: readEvents(state),
        credits: countCredits(state, context.credits ?? null),
        reasons: { ...state.reasons },
        duplicates: plan.report.rows === 'all' ? listDuplicates(state) : [],
        review: plan.report.rows === 'none' ? [] : listSamples(state, 'review'),
        unmatched: plan.report.rows === 'all' ? listSamples(state, 'unmatched') : [],
        http: { ...state.http },
        error: state.error && { ...state.error, hint: errorHint(state, context.directory ?? null) },
      },
    ],
    warnings: listWarnings(state),
    journal: context.journal ?? null,
    files: [],
    checksum: null,
  }
}

const copied = (value: RunState['args'][string]): Report['args'][string] =>
  typeof value === 'object' && value !== null ? [...value] : value

const withLedgerIssue = (issues: readonly Issue[], rows: number, sum: number): readonly Issue[] =>
  issues.some(one => one.code === 'FETTLE_LEDGER')
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
const errorHint = (state: RunState, directory: string | null): string => {
  const { code, hint } = state.error ?? { code: '', hint: '' }
  return code === 'FETTLE_INPUT_CHANGED' ? `${hint.replace(/\.$/, '')}: ${resumeCommand(state, directory)}` : hint
}

/** A run whose input changed cannot be resumed before the input is restored. */
const isResumable = ({ finished, error }: RunState): boolean => !finished && error?.code !== 'FETTLE_INPUT_CHANGED'

function resumeCommand({ runId, detached }: RunState, directory: string | null): string {
  const runsDir = directory?.replace(/[\\/]+[^\\/]*$/, '') ?? DEFAULT_RUNS_DIR
  return shellCommand(action(detached ? 'collect' : 'resume', runId), runsDir)
}

function readPlan({ plan }: RunState): Result['plan'] {
  const { fingerprint, tags, key, limit, sent, collapse, parts, concurrency, preparation } = plan
  const { enrich, budget, poll, retry, output, accept = null, decisions, report } = plan
  const rows = { fingerprint, tags, key, limit, sent, collapse, jobs: parts.length, concurrency, preparation }
  // A copy, which may be changed: the plan itself is frozen.
  return structuredClone({ ...rows, enrich, budget, poll, retry, output, accept, decisions, report }) as Result['plan']
}

function readInput({ plan: { input } }: RunState): Result['input'] {
  const { path, sha256, bytes, rows, encoding, bom, delimiter, delimiterEvidence, columns, blankLines, lineEnd } = input
  const header = input.header && [...input.header]
  const files = input.files?.map(({ path, sha256, bytes, rows }) => ({ path, sha256, bytes, rows }))
  const text = { encoding, bom, delimiter, delimiterEvidence, header, columns, blankLines, lineEnd }
  return { path, ...(files === undefined ? {} : { files }), sha256, bytes, rows, ...text }
}

const readJob = (job: JobState): Result['jobs'][number] => ({
  part: job.part,
  id: job.id,
  name: job.name,
  adopted: job.adopted,
  status: job.status,
  history: job.history.map(entry => ({ ...entry })),
  polls: job.polls,
  jobSummary: job.summary && { ...job.summary },
  correlationIds: job.correlations.map(one => one.correlationId),
  correlations: job.correlations.map(one => ({ ...one })),
})

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

function readProfile({ plan }: RunState): Result['profile'] {
  return (plan.profile ?? []).map(({ mapping, header, index, isKey, filled, distinct, isEstimate, examples }) => {
    const shown = isColumnMasked(plan, index) ? examples.slice(0, 1).map(() => MASK) : [...examples]
    return {
      mapping,
      header,
      index,
      key: isKey,
      filled,
      fillRate: ratio(filled, filledRows(plan.input)),
      distinct,
      distinctShare: ratio(distinct, filled),
      estimated: isEstimate,
      examples: plan.report.rows === 'none' ? [] : shown,
    }
  })
}

/** The embedded service is free. */
function countCredits({ plan, screening, candidates, accepted }: RunState, enriched: number | null): number | null {
  if (plan.service.kind === 'embedded') return 0
  return enriched === null ? null : enriched + (screening?.searches ?? 0) + (candidates?.paid ?? 0) + (accepted?.paid ?? 0)
}

function listDuplicates({ plan, duplicates }: RunState): Result['duplicates'] {
  const isKeyMasked = plan.key !== null && isColumnMasked(plan, plan.key.index)
  const isNameMasked = isMappingMasked(plan, 'name')
  return duplicates.map(one => ({
    ...one,
    key: one.key !== null && isKeyMasked ? MASK : one.key,
    name: one.name !== '' && isNameMasked ? MASK : one.name,
    company: { ...one.company },
  }))
}

function listSamples({ plan, samples }: RunState, outcome: RowSample['outcome']): Sample[] {
  const own = samples.filter(sample => sample.outcome === outcome)
  return samplesIn(plan, own)
}

/** The rows of a report. They are masked again: a resume may mask more columns than the settings under which the rows were stored. */
export function samplesIn(plan: RunState['plan'], rows: readonly RowSample[]): Sample[] {
  const shown = (cells: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(cells).map(([name, cell]) => [name, cell !== '' && isMappingMasked(plan, name) ? MASK : cell]),
    )
  const isKeyMasked = plan.key !== null && isColumnMasked(plan, plan.key.index)
  return rows.map(one => ({
    row: one.row,
    line: one.line ?? null,
    ...(one.file === undefined ? {} : { file: one.file }),
    key: one.key !== null && isKeyMasked ? MASK : one.key,
    score: one.score,
    why: one.why,
    reason: one.reason || null,
    cells: shown(one.cells),
    candidate: one.candidate.id === '' && one.candidate.name === '' ? null : { ...one.candidate },
    fingerprint: one.fingerprint,
    candidates: one.candidates.map(other => ({ ...other, parts: { ...other.parts }, fields: shown(other.fields) })),
    decision: one.decision == null ? null : { ...one.decision },
  }))
}

function listWarnings({ plan, jobs }: RunState): string[] {
  const { service } = plan
  return [
    ...(service.kind === 'remote' && service.insecure
      ? [`service.insecure is set: ${service.url} may be used without encryption.`]
      : []),
    ...jobs
      .filter(job => job.adopted)
      .map(job => `The remote job ${job.id ?? job.name} was found, not created: it was made by an earlier attempt.`),
  ]
}
