/**
 * Folds events into the state of a run. Events that a newer minor version added are skipped, so that any report can be rendered
 * again.
 */

import type { JobSummary } from '../contract/index.ts'
import type { Issue } from '../errors.ts'
import type { HttpCounts } from '../model/requests.ts'
import type {
  AuditCounts,
  DecideCounts,
  DecisionCounts,
  DuplicateRow,
  LowestScores,
  MatchGroups,
  Outcomes,
  OutputFile,
  RowSample,
  RunChanges,
} from '../model/results.ts'
import { type StageName, stagesOf } from '../model/stages.ts'
import { afterOutputs, applyCompanyAction, type CompanyActionState, initialCompanyActions } from './company-actions.ts'
import type { CheckResult, JobState, RecordedError, RunEvent, RunFacts, StageState, Status } from './events.ts'
import { planJobs, replaced } from './jobs.ts'
import { addCounts } from './outcomes.ts'
import { afterReuse, type ReuseState } from './reuse.ts'

export type { JobState, StageState } from './events.ts'

/** The state of a run, from its journal. A resume may change the live settings of the plan. */
export interface RunState extends RunFacts, CompanyActionState {
  readonly startedAt: string
  /** Time of the last event. */
  readonly updatedAt: string
  readonly resumedAt: readonly string[]
  /** The run keys it was started and resumed under. */
  readonly runKeys: readonly string[]
  readonly stages: readonly StageState[]
  readonly jobs: readonly JobState[]
  readonly issues: readonly Issue[]
  readonly outputs: readonly OutputFile[]
  readonly outcomes: Outcomes | null
  readonly samples: readonly RowSample[]
  /** Unmatched rows by reason. */
  readonly reasons: Readonly<Record<string, number>>
  readonly duplicates: readonly DuplicateRow[]
  readonly scores: readonly number[]
  /** Null, as `matches` and `changes`, when unknown. */
  readonly lowestScores: LowestScores | null
  readonly matches: MatchGroups | null
  readonly changes: RunChanges | null
  readonly audit: AuditCounts | null
  readonly decide: DecideCounts | null
  /** Counts of the review decisions applied, null without decisions. */
  readonly decisions: DecisionCounts | null
  /** Null when answers of earlier runs are not used, and before the rows are chosen. */
  readonly reuse: ReuseState | null
  readonly checks: readonly CheckResult[]
  readonly http: HttpCounts
  readonly status: Status
  readonly exitCode: number | null
  readonly error: RecordedError | null
  /** Time of its first end: later review decisions change the result, not the duration. */
  readonly endedAt: string | null
  readonly finished: boolean
  /** Its jobs are submitted, and no process waits for them: `collect` continues the run. */
  readonly detached: boolean
  /** Runs of the shards that it joins, in the order of their rows. */
  readonly shardRuns: readonly string[]
  /** Each time that rows were removed from it. */
  readonly forgotten: readonly { readonly id: string; readonly at: string }[]
}

const newStage = { status: 'pending', startedAt: null, elapsedMs: 0, attempts: 0, note: null } as const

const initialState = ({ at, type, journal, merged, plan, runKey, ...facts }: RunEvent & { type: 'run.started' }): RunState => ({
  ...initialCompanyActions(plan),
  ...facts,
  plan,
  startedAt: at,
  updatedAt: at,
  resumedAt: [],
  runKeys: runKey === undefined ? [] : [runKey],
  stages: stagesOf(plan).map(({ name }) => ({ name, ...newStage })),
  jobs: planJobs(plan, facts.jobName),
  issues: plan.issues,
  outputs: [],
  outcomes: null,
  samples: [],
  scores: [],
  ...{ lowestScores: null, matches: null, decisions: null, changes: null, audit: null, decide: null },
  reasons: {},
  duplicates: [],
  reuse: null,
  checks: [],
  http: { requests: 0, retries: 0, throttledMs: 0 },
  status: 'running',
  exitCode: null,
  error: null,
  endedAt: null,
  finished: false,
  detached: false,
  shardRuns: merged?.runs ?? [],
  forgotten: [],
})

/** A merged run starts with the jobs and stages of its shards, and at the time of the first of them. */
const startState = (event: RunEvent & { type: 'run.started' }): RunState => {
  const state = initialState(event)
  if (event.merged === undefined) return state
  const { jobs, stages, http, issues, reuse } = event.merged
  const [startedAt = event.at] = [event.at, ...stages.flatMap(stage => stage.startedAt ?? [])].sort()
  const chosen = reuse && afterReuse(state, { type: 'reuse.chosen', at: event.at, ...reuse })
  return { ...state, startedAt, ...chosen, jobs, stages, http, issues: [...state.issues, ...issues] }
}

const withStage = (state: RunState, name: StageName, change: (stage: StageState) => Partial<StageState>): RunState => ({
  ...state,
  stages: state.stages.map(stage => (stage.name === name ? { ...stage, ...change(stage) } : stage)),
})

const withJob = (state: RunState, part: number, change: (job: JobState) => Partial<JobState>): RunState => ({
  ...state,
  jobs: state.jobs.map(job => (job.part === part ? { ...job, ...change(job) } : job)),
})

const observed = (job: JobState, status: string, at: string, summary: JobSummary | null): Partial<JobState> => ({
  status,
  summary: summary ?? job.summary,
  history: job.history.at(-1)?.status === status ? job.history : [...job.history, { status, at }],
})

const apply = (state: RunState, event: RunEvent): RunState =>
  applyToStages(state, event) ?? applyToJobs(state, event) ?? applyToRun(state, event)

/** Null when the event is not about a stage. */
function applyToStages(state: RunState, event: RunEvent): RunState | null {
  switch (event.type) {
    case 'stage.started':
      return withStage(state, event.stage, stage => ({
        status: 'running',
        startedAt: stage.startedAt ?? event.at,
        attempts: stage.attempts + 1,
        note: null,
      }))
    case 'stage.finished':
      return {
        ...withStage(state, event.stage, stage => ({ status: 'success', elapsedMs: stage.elapsedMs + event.elapsedMs })),
        http: addCounts(state.http, event.http),
      }
    case 'stage.skipped':
      return withStage(state, event.stage, () => ({ status: 'skipped', note: event.why }))
    case 'stage.failed':
      return {
        ...withStage(state, event.stage, stage => ({
          status: event.error.kind === 'sigint' || event.error.kind === 'sigterm' ? 'cancelled' : 'error',
          elapsedMs: stage.elapsedMs + event.elapsedMs,
          note: event.error.message,
        })),
        http: addCounts(state.http, event.http),
      }
    default:
      return null
  }
}

/** Null when the event is not about a job. */
function applyToJobs(state: RunState, event: RunEvent): RunState | null {
  switch (event.type) {
    case 'job.requested':
      return withJob(state, event.part, () => ({ requested: true, name: event.name }))
    case 'job.created':
      return withJob(state, event.part, job => ({
        ...(job.id === null || job.id === event.id ? null : replaced(job)),
        id: event.id,
        name: event.name,
        adopted: event.adopted,
      }))
    case 'upload.requested':
      return withJob(state, event.part, () => ({ uploadRequested: true }))
    case 'upload.accepted':
      return withJob(state, event.part, () => ({ uploaded: { bytes: event.bytes, sha256: event.sha256 } }))
    case 'mapping.accepted':
      return withJob(state, event.part, () => ({ mapped: true }))
    case 'match.requested':
      return withJob(state, event.part, () => ({ matchRequested: true }))
    case 'match.accepted':
      return withJob(state, event.part, () => ({ matchAccepted: true }))
    case 'status.observed':
      return withJob(state, event.part, job => ({
        ...observed(job, event.status, event.at, event.summary),
        polls: job.polls + 1,
      }))
    case 'match.finished':
      return withJob(state, event.part, job => ({ ...observed(job, event.status, event.at, event.summary), matchFinished: true }))
    case 'enrichments.accepted':
      return withJob(state, event.part, () => ({ enrichmentsAccepted: true }))
    case 'enrich.requested':
      return withJob(state, event.part, () => ({ enrichRequested: event.at }))
    case 'enrich.accepted':
      return withJob(state, event.part, ({ enrichRequested }) => ({
        enrichAccepted: true,
        enrichRequested: event.adopted ? enrichRequested : event.at,
      }))
    case 'enrich.finished':
      return withJob(state, event.part, job => ({
        ...observed(job, event.status, event.at, event.summary),
        enrichFinished: true,
      }))
    case 'part.failed':
      return withJob(state, event.part, () => ({ failure: event.error }))
    case 'file.received': {
      const { bytes, rows, sha256, packedSha256, form } = event
      return withJob(state, event.part, () => ({ received: { bytes, rows, sha256, packedSha256, form } }))
    }
    case 'file.lost':
      return withJob(state, event.part, () => ({ received: null, lost: true }))
    case 'job.archived':
      return withJob(state, event.part, () => ({ archived: true }))
    case 'correlation.noted':
      return withJob(state, event.part, job => ({
        correlations: [...job.correlations, { operation: event.operation, correlationId: event.correlationId }],
      }))
    default:
      return null
  }
}

function applyToRun(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'run.started':
      return state
    case 'run.resumed':
      // Two processes resumed at once: the later one finds the run finished and changes nothing.
      if (state.finished) return state
      return {
        ...state,
        plan: event.settings === undefined ? state.plan : { ...state.plan, ...event.settings },
        resumedAt: [...state.resumedAt, event.at],
        runKeys:
          event.runKey === undefined || state.runKeys.includes(event.runKey) ? state.runKeys : [...state.runKeys, event.runKey],
        status: 'running',
        exitCode: null,
        error: null,
        detached: false,
      }
    case 'output.written': {
      const { files: outputs, outcomes, samples, scores, lowestScores = null, decisions = null } = event
      const { reasons = {}, duplicates = [], matches = null, changes = null, audit = null, decide = null } = event
      const counted = {
        outcomes,
        samples,
        reasons,
        duplicates,
        scores,
        lowestScores,
        matches,
        decisions,
        changes,
        audit,
        decide,
      }
      return { ...state, outputs, ...counted, ...afterOutputs(state, event), ...afterReuse(state, event) }
    }
    case 'issue.raised':
      return { ...state, issues: [...state.issues, event.issue] }
    case 'run.finished':
      return {
        ...state,
        status: event.status,
        exitCode: event.exitCode,
        outcomes: event.outcomes,
        checks: event.checks,
        error: event.error,
        endedAt: state.endedAt ?? event.at,
        finished: true,
      }
    case 'run.detached':
      return { ...state, status: 'running', detached: true }
    case 'rows.forgotten':
      return { ...state, forgotten: [...state.forgotten, { id: event.id, at: event.at }] }
    case 'run.paused':
      return { ...state, status: event.status, exitCode: event.exitCode, error: event.error }
    default:
      return { ...state, ...applyCompanyAction(state, event), ...afterReuse(state, event) }
  }
}

/** The state after one more event; null until `run.started`. */
export function advance(state: RunState | null, event: RunEvent): RunState | null {
  if (state === null) return event.type === 'run.started' ? startState(event) : null
  return { ...apply(state, event), updatedAt: event.at }
}

/** Null when the run recorded nothing. */
export const fold = (events: readonly RunEvent[]): RunState | null => events.reduce<RunState | null>(advance, null)
