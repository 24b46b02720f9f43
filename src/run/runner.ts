/**
 * The whole loop: for each stage not done, append what it yields, then ask for more; at the end say how the run stands. It
 * knows no stage by name and repeats nothing: the client repeats requests, a person or a scheduler resumes runs.
 */
import { type ErrorCode, EXIT, FettleError } from '../errors.ts'
import type { CheckResult, Outcomes, RunEventInput, Status } from '../journal/events.ts'
import { UNKNOWN } from '../journal/outcomes.ts'
import type { RunState } from '../journal/state.ts'
import { evaluateBudget, evaluateChecks } from './checks.ts'
import { confirmJobs, movedBy } from './job-lookup.ts'
import type { Ports } from './ports.ts'
import { allRows, outcomesSoFar } from './row-ledger.ts'
import { isOver, isThrough } from './stage.ts'
import { asFettleError, recordError, runStageGroup } from './stage-group.ts'
import { POST_OUTPUT_STAGES, STAGE_GROUPS, SUBMIT_STAGES } from './stages/index.ts'

/** Where facts go before they are acted on. */
export interface Recorder {
  /** Null before the run began. */
  readonly state: RunState | null
  append(fact: RunEventInput): RunState
}

/** What else a run is given. */
export interface RunContext {
  readonly recorder: Recorder
  readonly ports: Ports
  /** Match rate of the last good run of this pipeline, for `checks.drift`. */
  readonly previousRate: number | null
  /** Stop once every job is submitted: somebody else waits, and goes on with the run then. */
  readonly detach?: boolean
  /** Called after every fact, with the state it led to. */
  readonly onFact?: (fact: RunEventInput, state: RunState) => void
}

/**
 * Carries a run on from where its journal stands to its end, or to the first thing that stops it; a run at its end is left as
 * it is. Returns the final state: `finished`, detached, or paused and resumable with the error in it. Throws only when the
 * journal cannot be written, or is no longer ours to write.
 */
export async function runStages(context: RunContext): Promise<RunState> {
  const record = (fact: RunEventInput): RunState => {
    const state = context.recorder.append(fact)
    context.onFact?.(fact, state)
    return state
  }
  if (current(context).finished) return current(context)
  let error = await carryOutStages(record, context)
  const moved = movedBy(error)
  if (moved !== null) {
    // Our job is another one than we thought: its stages are gone through anew, once, each finding out what has happened.
    for (const fact of moved) record(fact)
    error = await carryOutStages(record, context)
  }
  if (context.detach === true && error === null) return record({ type: 'run.detached' })
  return end(record, current(context), error, context)
}

/** Whether anything is left to ask of the service: joining what has come back to the rows is not. */
export const needsService = (state: RunState): boolean =>
  STAGE_GROUPS.flat().some(stage => {
    if (!hasStage(state, stage.name) || stage.skip(state) !== null) return false
    return !isThrough(stage, state) || (POST_OUTPUT_STAGES.includes(stage) && !isOver(stage, state))
  })

/** The pipeline says the stage. */
const hasStage = ({ stages }: RunState, wanted: string): boolean => stages.some(({ name }) => name === wanted)

async function carryOutStages(record: (fact: RunEventInput) => RunState, context: RunContext): Promise<FettleError | null> {
  const state = (): RunState => current(context)
  let confirmed: Promise<void> | null = null
  const confirm = (ports: Ports): Promise<void> => {
    confirmed ??= confirmJobs(state(), ports)
    return confirmed
  }
  for (const leg of context.detach === true ? SUBMIT_STAGES : STAGE_GROUPS) {
    const stages = leg.filter(({ name }) => hasStage(state(), name))
    const error = await runStageGroup(stages, { ports: context.ports, state, record, confirm })
    if (error !== null) return error
    if (state().jobs.every(({ failure }) => failure !== null)) return failureOf(state())
  }
  return null
}

const current = ({ recorder }: RunContext): RunState => {
  if (recorder.state === null) throw new FettleError('FETTLE_BUG', 'a run is carried out before it was started')
  return recorder.state
}

/** The error of a run some of whose jobs ended in an error status; null when none did. */
function failureOf({ jobs }: RunState): FettleError | null {
  const failed = jobs.flatMap(({ failure }) => (failure === null ? [] : [failure]))
  const [first] = failed
  if (first === undefined) return null
  const message = `${failed.length} of ${jobs.length} jobs failed: ${first.message}`
  return new FettleError('FETTLE_JOB_FAILED', message, { correlationId: first.correlationId })
}

/** A limit of the pipeline's own is an end: another try finds the same. */
const BUDGETS: ReadonlySet<string> = new Set<ErrorCode>(['FETTLE_BUDGET_CREDITS', 'FETTLE_BUDGET_SCREEN'])

/** Ends or pauses the run. A job in an error status, a spent budget and a clean pass are ends; everything else can go on. */
function end(
  record: (fact: RunEventInput) => RunState,
  state: RunState,
  error: FettleError | null,
  context: RunContext,
): RunState {
  if (error?.code === 'FETTLE_JOURNAL_WRITE') throw error
  if (error === null || BUDGETS.has(error.code)) return record(endOf(state, error, context.previousRate))
  if (error.code === 'FETTLE_JOB_FAILED') return record(ended('error', EXIT.rejected, failedOutcomes(state), [], error))
  return record(pausedBy(error))
}

/** The fact that something stopped a run short of its end. */
export function pausedBy(thrown: unknown): RunEventInput {
  const error = asFettleError(thrown)
  return { type: 'run.paused', status: pausedStatus(error), exitCode: error.exitCode, error: recordError(error) }
}

const pausedStatus = (error: FettleError): Exclude<Status, 'running'> =>
  error.kind === 'sigint' || error.kind === 'sigterm' ? 'cancelled' : 'error'

/** Enriching may fail with the matching done: then the counts of the matching stand. */
function failedOutcomes(state: RunState): Outcomes {
  if (!state.jobs.every(job => job.matchFinished)) return allRows('failed', state.plan.rows)
  try {
    return outcomesSoFar(state)
  } catch {
    return UNKNOWN
  }
}

/** The fact that a run which stopped nowhere has come to its end: judged by its checks, and by what was raised on the way. */
export function endOf(state: RunState, stopped: FettleError | null, previousRate: number | null): RunEventInput {
  let outcomes: Outcomes
  let budget: readonly CheckResult[]
  try {
    outcomes = state.outcomes ?? outcomesSoFar(state)
    budget = evaluateBudget(state)
  } catch (thrown) {
    const error = asFettleError(thrown)
    return ended('error', error.exitCode, state.outcomes ?? UNKNOWN, [], error)
  }
  // A threshold is about the whole list: the shards of one are judged together, when they are merged.
  const asked = state.plan.shard === undefined ? state.plan.checks : []
  const checks = [...evaluateChecks(asked, outcomes, state.plan.rows, previousRate), ...budget]
  const failed = checks.some(check => !check.success && check.severity === 'fail')
  const warned =
    checks.some(check => !check.success) || state.issues.slice(state.plan.issues.length).some(issue => issue.severity !== 'info')
  if (stopped !== null) return ended('fail', stopped.exitCode, outcomes, checks, stopped)
  const broken = failureOf(state)
  if (broken !== null) return ended('error', broken.exitCode, outcomes, checks, broken)
  if (failed) return ended('fail', EXIT.checks, outcomes, checks, null)
  return ended(warned ? 'warn' : 'success', EXIT.ok, outcomes, checks, null)
}

const ended = (
  status: Exclude<Status, 'running'>,
  exitCode: number,
  outcomes: Outcomes,
  checks: readonly CheckResult[],
  error: FettleError | null,
): RunEventInput => ({
  type: 'run.finished',
  status,
  exitCode,
  outcomes,
  checks,
  error: error === null ? null : recordError(error),
})
