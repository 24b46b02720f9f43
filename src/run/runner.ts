/**
 * The run loop: runs each group of stages that is not done, journals what they yield, and decides how the run ends. Nothing is
 * retried here: the client retries requests, and a person or a scheduler resumes runs.
 */

import { type ErrorCode, EXIT, FettleError, type Issue } from '../errors.ts'
import type { CheckResult, RunEventInput, Status } from '../journal/events.ts'
import { UNKNOWN } from '../journal/outcomes.ts'
import type { RunState } from '../journal/state.ts'
import type { Outcomes } from '../model/results.ts'
import type { StageName } from '../model/stages.ts'
import {
  evaluateBudget,
  evaluateChecks,
  evaluateUndone,
  fewMatchedIssue,
  isRejected,
  type LastGoodRun,
  screenedOf,
} from './checks.ts'
import { confirmJobs, isPaid, readRecordedJob, relocationEvents } from './job-lookup.ts'
import type { Ports } from './ports.ts'
import { allFailed, outcomesSoFar } from './row-ledger.ts'
import { areJobsDone, type Named } from './stage.ts'
import { asFettleError, recordError, runCompanyStages, runStageGroup, type StageGroupContext } from './stage-group.ts'
import { COMPANY_STAGES, EARLY_STAGES, PAID_STAGES, STAGE_GROUPS, SUBMIT_STAGES } from './stages/index.ts'

/** Writes events before anything is done because of them. */
export interface Recorder {
  readonly state: RunState | null
  append(event: RunEventInput): RunState
}

export interface RunContext {
  readonly recorder: Recorder
  readonly ports: Ports
  /** The last good run of this series, for the checks that compare with it. */
  readonly before: LastGoodRun | null
  /** Stop once every job is submitted; a later process resumes the run. */
  readonly detach?: boolean
  readonly onFact?: (event: RunEventInput, state: RunState) => void
}

type Record = (event: RunEventInput) => RunState

const makeRecord =
  ({ recorder, onFact }: Pick<RunContext, 'recorder' | 'onFact'>): Record =>
  event => {
    const state = recorder.append(event)
    onFact?.(event, state)
    return state
  }

/**
 * Continues a run from its journal to its end, or to the first error that stops it. A finished run is returned unchanged. Returns
 * the final state: finished, detached, or paused and resumable with the error in it. Throws only when the journal cannot be
 * written, or belongs to another process by now.
 */
export async function runStages(context: RunContext): Promise<RunState> {
  const record = makeRecord(context)
  if (current(context).finished) return current(context)
  let error = await runGroups(record, context)
  const relocation = relocationEvents(error)
  if (relocation !== null) {
    // The id that we recorded is not our job's. With the right id, each stage checks again what has happened, once.
    for (const event of relocation) record(event)
    error = await runGroups(record, context)
  }
  if (isDetached(context) && error === null) return record({ type: 'run.detached' })
  return end(record, current(context), error, context)
}

/** Whether stages are left that run before the rows that are sent are chosen. */
export const hasEarlyStages = (state: RunState): boolean =>
  !state.finished && planned(EARLY_STAGES, state).some(stage => !stage.isDone(state))

/** Runs them. Returns false after an error that paused the run. */
export async function runEarlyStages(context: Pick<RunContext, 'recorder' | 'ports' | 'onFact'>): Promise<boolean> {
  const { ports } = context
  const record = makeRecord(context)
  const state = (): RunState => current(context)
  const error = await runCompanyStages(planned(EARLY_STAGES, state()), { ports, state, record, confirm: async () => {} })
  if (error?.code === 'FETTLE_JOURNAL_WRITE') throw error
  if (error !== null) record(pausedBy(error))
  return error === null
}

/** Receives the files of the jobs that are paid, and nothing else: the run is not at its end. Throws what stopped it. */
export async function receivePaid(context: Pick<RunContext, 'recorder' | 'ports'>): Promise<void> {
  const { ports } = context
  const state = (): RunState => current(context)
  // A job that is gone must not be waited for.
  for (const job of state().jobs) if (isPaid(job) && job.received === null) await readRecordedJob(job, ports)
  const group = { ports, state, record: makeRecord(context), confirm: async () => {}, isChosen: isPaid }
  const error = await runStageGroup(planned(PAID_STAGES, state()), group)
  if (error !== null) throw error
}

export const needsService = (state: RunState): boolean =>
  planned(STAGE_GROUPS.flat(), state).some(stage => (stage.skip?.(state) ?? null) === null && !areJobsDone(stage, state)) ||
  planned(COMPANY_STAGES, state).some(stage => !stage.isDone(state))

const planned = <T extends Named<object>>(stages: readonly T[], state: RunState): T[] =>
  stages.filter(stage => state.stages.some(({ name }) => name === stage.name))

async function runGroups(record: Record, context: RunContext): Promise<FettleError | null> {
  const state = (): RunState => current(context)
  let confirmed: Promise<void> | null = null
  const confirm = (ports: Ports): Promise<void> => {
    confirmed ??= confirmJobs(state(), ports)
    return confirmed
  }
  const group: StageGroupContext = { ports: context.ports, state, record, confirm }
  for (const stages of isDetached(context) ? [SUBMIT_STAGES] : STAGE_GROUPS) {
    const error = await runStageGroup(planned(stages, state()), group)
    if (error !== null) return error
    const { jobs } = state()
    if (jobs.length > 0 && jobs.every(({ failure }) => failure !== null)) return findFailure(state())
  }
  if (isDetached(context)) return null
  const error = await runCompanyStages(companyStages(record, context), group)
  // A run that reached the limit of its searches or decisions is over, and its outputs may have waited for them.
  const waiting = planned(COMPANY_STAGES, state()).filter(stage => stage.name === 'decide' && !stage.isDone(state()))
  if ((error?.code !== 'FETTLE_BUDGET_SCREEN' && error?.code !== 'FETTLE_BUDGET_DECIDE') || waiting.length === 0) return error
  return (await runCompanyStages(waiting, group)) ?? error
}

/** The stages that act on the companies found. */
const ACTING: readonly string[] = ['portfolio', 'screen', 'ask'] satisfies StageName[]

/** A result that a check rejected changes no portfolio, and no search is paid for it. */
function companyStages(record: Record, context: RunContext): ReturnType<typeof planned<(typeof COMPANY_STAGES)[number]>> {
  const state = current(context)
  const stages = planned(COMPANY_STAGES, state)
  const since = { before: context.before, changes: state.changes?.counts ?? null, audit: state.audit, decide: state.decide }
  if (state.outcomes === null || !isRejected(state, state.outcomes, since, state.decisions)) return stages
  for (const { name } of stages) if (ACTING.includes(name)) record({ type: 'stage.skipped', stage: name, why: 'a check failed' })
  return stages.filter(({ name }) => !ACTING.includes(name))
}

/** A run without jobs has nothing to wait for. */
const isDetached = (context: RunContext): boolean => context.detach === true && current(context).jobs.length > 0

const current = ({ recorder }: Pick<RunContext, 'recorder'>): RunState => {
  if (recorder.state === null) throw new FettleError('FETTLE_BUG', 'the stages of a run are run before run.started is recorded')
  return recorder.state
}

function findFailure({ jobs }: RunState): FettleError | null {
  const failed = jobs.flatMap(({ failure }) => (failure === null ? [] : [failure]))
  const [first] = failed
  if (first === undefined) return null
  const message = `${failed.length} of ${jobs.length} jobs failed: ${first.message}`
  return new FettleError('FETTLE_JOB_FAILED', message, { correlationId: first.correlationId })
}

/** Limits of the pipeline end a run: a resume would reach them again. */
const BUDGETS: ReadonlySet<string> = new Set<ErrorCode>(['FETTLE_BUDGET_CREDITS', 'FETTLE_BUDGET_SCREEN', 'FETTLE_BUDGET_DECIDE'])

/** Ends or pauses the run. It ends without an error, on a failed job and on a spent budget; after any other error it is resumable. */
function end(record: Record, state: RunState, error: FettleError | null, context: RunContext): RunState {
  if (error?.code === 'FETTLE_JOURNAL_WRITE') throw error
  if (error === null || BUDGETS.has(error.code))
    return record(endOf(error === null ? warnOfFew(record, state) : state, error, context.before))
  if (error.code === 'FETTLE_JOB_FAILED')
    return record(finishRun({ status: 'error', exitCode: EXIT.rejected, outcomes: failedOutcomes(state), checks: [], error }))
  return record(pausedBy(error))
}

/** Shards are judged together, when they are merged. */
function warnOfFew(record: Record, state: RunState): RunState {
  if (state.plan.shard !== undefined || state.issues.some(issue => issue.code === 'FETTLE_FEW_MATCHED')) return state
  let found: Issue | null = null
  try {
    found = fewMatchedIssue(state, state.outcomes ?? outcomesSoFar(state))
  } catch {
    // The end of the run reports outcomes that cannot be computed.
  }
  return found === null ? state : record({ type: 'issue.raised', issue: found })
}

export function pausedBy(thrown: unknown): RunEventInput {
  const error = asFettleError(thrown)
  const status = error.kind === 'sigint' || error.kind === 'sigterm' ? 'cancelled' : 'error'
  return { type: 'run.paused', status, exitCode: error.exitCode, error: recordError(error) }
}

/** A limit of the pipeline was reached before anything was sent. */
export const refusedBy = (error: FettleError): RunEventInput =>
  finishRun({ status: 'fail', exitCode: error.exitCode, outcomes: UNKNOWN, checks: [], error })

/** When enriching fails after matching, the counts of the matching are valid. */
function failedOutcomes(state: RunState): Outcomes {
  if (!state.jobs.every(job => job.matchFinished)) return allFailed(state.plan)
  try {
    return outcomesSoFar(state)
  } catch {
    return UNKNOWN
  }
}

export function endOf(state: RunState, stopped: FettleError | null, before: LastGoodRun | null): RunEventInput {
  let outcomes: Outcomes
  let budget: readonly CheckResult[]
  try {
    outcomes = state.outcomes ?? outcomesSoFar(state)
    budget = evaluateBudget(state)
  } catch (thrown) {
    const error = asFettleError(thrown)
    return finishRun({ status: 'error', exitCode: error.exitCode, outcomes: state.outcomes ?? UNKNOWN, checks: [], error })
  }
  // A threshold is about the whole list: the shards of one are judged together, when they are merged.
  const thresholds = state.plan.shard === undefined ? state.plan.checks : []
  const checks = [
    ...evaluateChecks({ ...state.plan, checks: thresholds }, outcomes, {
      before,
      changes: state.changes?.counts ?? null,
      audit: state.audit,
      decide: state.decide,
      screened: screenedOf(state),
    }),
    ...evaluateUndone(state),
    ...budget,
  ]
  const hasFailed = checks.some(check => check.success === false && check.severity === 'fail')
  const hasWarnings = checks.some(check => check.success === false) || state.issues.some(issue => issue.severity !== 'info')
  const end = { outcomes, checks, error: null }
  if (stopped !== null) return finishRun({ ...end, status: 'fail', exitCode: stopped.exitCode, error: stopped })
  const failure = findFailure(state)
  if (failure !== null) return finishRun({ ...end, status: 'error', exitCode: failure.exitCode, error: failure })
  if (hasFailed) return finishRun({ ...end, status: 'fail', exitCode: EXIT.checks })
  return finishRun({ ...end, status: hasWarnings ? 'warn' : 'success', exitCode: EXIT.ok })
}

interface RunEnd {
  readonly status: Exclude<Status, 'running'>
  readonly exitCode: number
  readonly outcomes: Outcomes
  readonly checks: readonly CheckResult[]
  readonly error: FettleError | null
}

const finishRun = ({ error, ...end }: RunEnd): RunEventInput => ({
  type: 'run.finished',
  ...end,
  error: error === null ? null : recordError(error),
})
