/**
 * The whole loop: for each stage not done, append what it yields, then ask for more; at the end say how the run stands. It
 * knows no stage by name and repeats nothing: the client repeats requests, a person or a scheduler resumes runs.
 */
import { EXIT, FettleError } from '../errors.ts'
import type { CheckResult, Outcomes, RecordedError, RunFact, Status } from '../journal/events.ts'
import { UNKNOWN } from '../journal/outcomes.ts'
import type { RunState } from '../journal/state.ts'
import { judge } from './checks.ts'
import { allRows, outcomesOfSummaries } from './ledger.ts'
import { confirmJobs, movedBy } from './own-job.ts'
import type { Ports } from './ports.ts'
import type { Stage } from './stage.ts'
import { STAGE_LIST } from './stages/index.ts'

/** Where facts go before they are acted on. */
export interface Recorder {
  /** Null before the run began. */
  readonly state: RunState | null
  append(fact: RunFact): RunState
}

/** What else a run is given. */
export interface RunContext {
  readonly recorder: Recorder
  readonly ports: Ports
  /** Match rate of the last good run of this pipeline, for `checks.drift`. */
  readonly previousRate: number | null
  /** Called after every fact, with the state it led to. */
  readonly onFact?: (fact: RunFact, state: RunState) => void
}

const asFettleError = (error: unknown): FettleError => {
  if (FettleError.is(error)) return error
  const why = error instanceof Error ? error.message : String(error)
  return new FettleError('FETTLE_BUG', `unexpected: ${why}`, { cause: error })
}

/** An error as the journal keeps it. */
const recordError = (error: FettleError): RecordedError => ({
  code: error.code,
  kind: error.kind,
  message: error.message,
  hint: error.hint,
  correlationId: error.correlationId,
})

/**
 * Carries a run on from where its journal stands to its end, or to the first thing that stops it; a run at its end is left as
 * it is. Returns the final state: `finished`, or paused and resumable with the error in it. Throws only when the
 * journal cannot be written, or is no longer ours to write.
 */
export async function carryOut(context: RunContext): Promise<RunState> {
  const record = (fact: RunFact): RunState => {
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
  return end(record, current(context), error, context)
}

async function carryOutStages(record: (fact: RunFact) => RunState, context: RunContext): Promise<FettleError | null> {
  let isConfirmed = false
  const confirm = async (): Promise<void> => {
    if (!isConfirmed) await confirmJobs(current(context), context.ports)
    isConfirmed = true
  }
  for (const stage of STAGE_LIST) {
    const error = await carryOutStage(stage, record, context, confirm)
    if (error !== null) return error
  }
  return null
}

const current = ({ recorder }: RunContext): RunState => {
  if (recorder.state === null) throw new FettleError('FETTLE_BUG', 'a run is carried out before it was started')
  return recorder.state
}

async function carryOutStage(
  stage: Stage,
  record: (fact: RunFact) => RunState,
  context: RunContext,
  confirm: () => Promise<void>,
): Promise<FettleError | null> {
  const { ports } = context
  const state = current(context)
  const known = state.stages.find(one => one.name === stage.name)?.status
  const why = stage.skip(state)
  if (why !== null) {
    if (known !== 'skipped') record({ type: 'stage.skipped', stage: stage.name, why })
    return null
  }
  if (stage.done(state) && known === 'success') return null
  const startedAt = ports.clock.monotonic()
  const elapsed = (): number => Math.round(ports.clock.monotonic() - startedAt)
  try {
    ports.signal.throwIfAborted()
    record({ type: 'stage.started', stage: stage.name })
    if (!stage.done(state)) {
      await confirm()
      await carryOutFacts(stage, record, context)
    }
    record({ type: 'stage.finished', stage: stage.name, elapsedMs: elapsed(), http: ports.service.takeCounts() })
    return null
  } catch (thrown) {
    // A stop is the reason whatever the request in flight made of it.
    const error = asFettleError(ports.signal.aborted && !isVerdict(thrown) ? ports.signal.reason : thrown)
    if (error.code !== 'FETTLE_JOURNAL_WRITE')
      record({
        type: 'stage.failed',
        stage: stage.name,
        elapsedMs: elapsed(),
        error: recordError(error),
        http: ports.service.takeCounts(),
      })
    return error
  }
}

async function carryOutFacts(stage: Stage, record: (fact: RunFact) => RunState, context: RunContext): Promise<void> {
  const { ports } = context
  for await (const fact of stage.run(current(context), ports)) {
    record(fact)
    if ('part' in fact) noteCorrelations(fact.part, record, ports)
    // A stop ends the stage here, before its next effect; a stage with nothing left to do is complete all the same.
    if (!stage.done(current(context))) ports.signal.throwIfAborted()
  }
}

/** The service's verdict, or our own disk: true whether or not somebody pressed Ctrl-C meanwhile. */
const isVerdict = (error: unknown): boolean =>
  FettleError.is(error) &&
  (error.kind === 'rejected' || error.kind === 'output' || error.kind === 'denied' || error.kind === 'bug')

function noteCorrelations(part: number, record: (fact: RunFact) => RunState, ports: Ports): void {
  for (const noted of ports.service.takeCorrelations()) record({ type: 'correlation.noted', part, ...noted })
}

/** Ends or pauses the run. A job in an error status, a spent budget and a clean pass are ends; everything else can go on. */
function end(record: (fact: RunFact) => RunState, state: RunState, error: FettleError | null, context: RunContext): RunState {
  if (error?.code === 'FETTLE_JOURNAL_WRITE') throw error
  if (error === null || error.code === 'FETTLE_BUDGET_CREDITS') return finish(record, state, error, context)
  if (error.code === 'FETTLE_JOB_FAILED') return record(ended('error', EXIT.rejected, failedOutcomes(state), [], error))
  return record(pausedBy(error))
}

/** The fact that something stopped a run short of its end. */
export function pausedBy(thrown: unknown): RunFact {
  const error = asFettleError(thrown)
  return { type: 'run.paused', status: pausedStatus(error), exitCode: error.exitCode, error: recordError(error) }
}

const pausedStatus = (error: FettleError): Exclude<Status, 'running'> =>
  error.kind === 'sigint' || error.kind === 'sigterm' ? 'cancelled' : 'error'

/** Enriching may fail with the matching done: then the counts of the matching stand. */
function failedOutcomes(state: RunState): Outcomes {
  if (!state.jobs.every(job => job.matchFinished)) return allRows('failed', state.plan.rows)
  try {
    return outcomesOfSummaries(state)
  } catch {
    return UNKNOWN
  }
}

function finish(
  record: (fact: RunFact) => RunState,
  state: RunState,
  stopped: FettleError | null,
  context: RunContext,
): RunState {
  let outcomes: Outcomes
  try {
    outcomes = state.outcomes ?? outcomesOfSummaries(state)
  } catch (thrown) {
    const error = asFettleError(thrown)
    return record(ended('error', error.exitCode, state.outcomes ?? UNKNOWN, [], error))
  }
  const checks = judge(state.plan.checks, outcomes, state.plan.rows, context.previousRate)
  const failed = checks.some(check => !check.success && check.severity === 'fail')
  const warned =
    checks.some(check => !check.success) || state.issues.slice(state.plan.issues.length).some(issue => issue.severity !== 'info')
  if (stopped !== null) return record(ended('fail', stopped.exitCode, outcomes, checks, stopped))
  if (failed) return record(ended('fail', EXIT.checks, outcomes, checks, null))
  return record(ended(warned ? 'warn' : 'success', EXIT.ok, outcomes, checks, null))
}

const ended = (
  status: Exclude<Status, 'running'>,
  exitCode: number,
  outcomes: Outcomes,
  checks: readonly CheckResult[],
  error: FettleError | null,
): RunFact => ({ type: 'run.finished', status, exitCode, outcomes, checks, error: error === null ? null : recordError(error) })
