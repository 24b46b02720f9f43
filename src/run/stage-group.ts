/**
 * Runs a group of stages. Jobs pass through it side by side: a stage starts with the first job that enters it and finishes when the
 * last job leaves it. Company stages run one after the other.
 */
import pLimit from 'p-limit'
import { FettleError } from '../errors.ts'
import type { RecordedError, RunEventInput } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import type { Correlation, HttpCounts, Meter } from '../model/requests.ts'
import { type Ports, withOptions } from './ports.ts'
import { areJobsDone, isComplete, type JobStage, type Named, type RunStep, type StageEvents } from './stage.ts'

export interface StageGroupContext {
  readonly ports: Ports
  readonly state: () => RunState
  readonly record: (event: RunEventInput) => RunState
  readonly confirm: (ports: Ports) => Promise<void>
  /** Only these jobs pass through; all if absent. */
  readonly isChosen?: (job: JobState) => boolean
}

/** Runs every job through the stages. Returns the first error that stopped a job, after the other jobs stopped too, or null. */
export async function runStageGroup(stages: readonly Named<JobStage>[], context: StageGroupContext): Promise<FettleError | null> {
  const group = new StageGroup(context)
  const { jobs: all, plan } = context.state()
  const jobs = context.isChosen === undefined ? all : all.filter(context.isChosen)
  if (all.length === 0) await group.runWithoutJobs(stages)
  else await mapConcurrently(jobs, plan.concurrency, ({ part }) => group.runJob(part, stages))
  return group.end()
}

export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  each: (item: T) => Promise<R>,
): Promise<R[]> {
  const limit = pLimit(concurrency)
  return Promise.all(items.map(item => limit(() => each(item))))
}

export async function runCompanyStages(
  stages: readonly Named<RunStep>[],
  context: StageGroupContext,
): Promise<FettleError | null> {
  const group = new StageGroup(context)
  await group.runOnce(stages)
  return group.end()
}

export const recordError = ({ code, kind, message, hint, correlationId }: FettleError): RecordedError => ({
  code,
  kind,
  message,
  hint,
  correlationId,
})

export const asFettleError = (error: unknown): FettleError => {
  if (FettleError.is(error)) return error
  const why = error instanceof Error ? error.message : String(error)
  return new FettleError('FETTLE_BUG', `unexpected: ${why}`, { cause: error })
}

/** A refusal of the service or an error of our own disk: it stays the reason when Ctrl-C is pressed meanwhile. */
const isVerdict = (error: unknown): boolean =>
  FettleError.is(error) && ['rejected', 'output', 'denied', 'bug'].includes(error.kind)

const NO_ROWS = 'every row has an answer of an earlier run'

class StageGroup {
  readonly #context: StageGroupContext
  /** Stages that started and have not finished: their monotonic start, and their own count of requests. */
  readonly #open = new Map<Named<object>, { readonly since: number; readonly meter: Meter }>()
  readonly #finishing = new Set<Named<object>>()
  /** Aborted by the first failure, so that the other jobs stop waiting. */
  readonly #failed = new AbortController()
  #error: FettleError | null = null

  constructor(context: StageGroupContext) {
    this.#context = context
  }

  /** Runs one job through all stages, unless another job fails. Never throws. */
  async runJob(part: number, stages: readonly Named<JobStage>[]): Promise<void> {
    const { state } = this.#context
    try {
      for (const stage of stages) {
        if (this.#error !== null) return
        if (this.#skips(stage) || this.#isFinished(stage)) continue
        if (findJob(state(), part).failure === null) {
          // Must stay synchronous: if the guard throws, the other jobs must see the failure before their next check.
          this.#start(stage, isComplete(stage, state()) ? undefined : stage.guard)
          await this.#runJobStage(stage, part)
        }
        // Several jobs may find the stage complete at once, and one of them must write the outputs.
        if (!areJobsDone(stage, state()) || !this.#open.has(stage) || this.#finishing.has(stage)) continue
        this.#finishing.add(stage)
        await this.#finish(stage, stage.afterJobs)
      }
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** No row is sent: only what follows the jobs is left to do. Never throws. */
  async runWithoutJobs(stages: readonly Named<JobStage>[]): Promise<void> {
    try {
      for (const stage of stages) {
        if (this.#skips({ ...stage, skip: state => stage.skip?.(state) ?? (stage.afterJobs === undefined ? NO_ROWS : null) }))
          continue
        if (this.#isFinished(stage)) continue
        this.#start(stage)
        await this.#finish(stage, stage.afterJobs)
      }
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Runs stages that are about no single job. Never throws. */
  async runOnce(stages: readonly Named<RunStep>[]): Promise<void> {
    try {
      for (const stage of stages) {
        const state = this.#context.state()
        if (findStatus(stage, state) === 'success' && stage.isDone(state)) continue
        this.#start(stage)
        await this.#finish(stage, stage)
      }
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  end(): FettleError | null {
    const error = this.#error
    if (error === null || error.code === 'FETTLE_JOURNAL_WRITE') return error
    for (const stage of this.#open.keys()) {
      this.#context.record({ type: 'stage.failed', stage: stage.name, error: recordError(error), ...this.#spent(stage) })
    }
    return error
  }

  async #runJobStage(stage: Named<JobStage>, part: number): Promise<void> {
    const { state, record, confirm } = this.#context
    const job = findJob(state(), part)
    if (stage.isDone(job)) return
    const correlations: Correlation[] = []
    const ports = this.#jobPorts(part, stage, correlations)
    await confirm(ports)
    try {
      const events = stage.run(job, state(), ports)
      await this.#record(events, () => stage.isDone(findJob(state(), part)), { part, correlations })
    } catch (error) {
      // The service rejected one of several jobs: the others continue.
      const isOneOfSeveral = FettleError.is(error) && error.code === 'FETTLE_JOB_FAILED' && state().jobs.length > 1
      if (!isOneOfSeveral) throw error
      record({ type: 'part.failed', part, error: recordError(error) })
    }
  }

  #fail(thrown: unknown): void {
    if (this.#error !== null) return
    const { signal } = this.#context.ports
    // After a stop the request in flight may fail too: the stop is the reason.
    this.#error = asFettleError(signal.aborted && !isVerdict(thrown) ? signal.reason : thrown)
    this.#failed.abort(this.#error)
  }

  #skips(stage: Named<JobStage>): boolean {
    const { state, record } = this.#context
    const why = stage.skip?.(state()) ?? null
    if (why !== null && findStatus(stage, state()) !== 'skipped') record({ type: 'stage.skipped', stage: stage.name, why })
    return why !== null
  }

  #isFinished(stage: Named<JobStage>): boolean {
    const state = this.#context.state()
    return !this.#open.has(stage) && findStatus(stage, state) === 'success' && isComplete(stage, state)
  }

  #start(stage: Named<object>, guard?: (state: RunState) => void): void {
    const { ports, record, state } = this.#context
    if (this.#open.has(stage)) return
    this.#open.set(stage, { since: ports.clock.monotonic(), meter: { requests: 0, retries: 0, throttledMs: 0 } })
    ports.signal.throwIfAborted()
    record({ type: 'stage.started', stage: stage.name })
    guard?.(state())
  }

  async #finish(stage: Named<object>, step: RunStep | undefined): Promise<void> {
    const { ports, record, state } = this.#context
    if (step !== undefined && !step.isDone(state())) {
      ports.signal.throwIfAborted()
      await this.#record(step.run(state(), { ...ports, ...this.#measured(stage) }), () => step.isDone(state()))
    }
    record({ type: 'stage.finished', stage: stage.name, ...this.#spent(stage) })
    this.#open.delete(stage)
  }

  async #record(events: StageEvents, isDone: () => boolean, job?: { part: number; correlations: Correlation[] }): Promise<void> {
    for await (const event of events) {
      this.#context.record(event)
      // After the event they belong to: nothing may come between an effect and its record.
      for (const correlation of job?.correlations.splice(0) ?? [])
        this.#context.record({ type: 'correlation.noted', part: job!.part, ...correlation })
      // A stop ends the stage here, before its next effect; a stage that is done finishes normally.
      if (isDone()) continue
      this.#context.ports.signal.throwIfAborted()
      this.#failed.signal.throwIfAborted()
    }
  }

  #spent(stage: Named<object>): { readonly elapsedMs: number; readonly http: HttpCounts } {
    const { since, meter } = this.#open.get(stage)!
    const elapsedMs = Math.round(this.#context.ports.clock.monotonic() - since)
    return { elapsedMs, http: { ...meter, throttledMs: Math.round(meter.throttledMs) } }
  }

  #measured(stage: Named<object>): Pick<Ports, 'service' | 'portfolios' | 'screening' | 'candidates' | 'reports'> {
    const { service, portfolios, screening, candidates, reports } = this.#context.ports
    const options = { stage: stage.name, meter: this.#open.get(stage)!.meter }
    return {
      service: withOptions(service, options),
      portfolios: withOptions(portfolios, options),
      screening: withOptions(screening, options),
      candidates: withOptions(candidates, options),
      reports: withOptions(reports, options),
    }
  }

  /** The ports of one job: they stop waiting when another job fails, name the job in progress, and collect correlation ids. */
  #jobPorts(part: number, stage: Named<object>, correlations: Correlation[]): Ports {
    const { ports } = this.#context
    const measured = this.#measured(stage)
    const service = withOptions(measured.service, { onCorrelation: correlation => correlations.push(correlation) })
    const signal = AbortSignal.any([ports.signal, this.#failed.signal])
    const tick: Ports['tick'] = event => ports.tick({ part, ...event })
    return { ...ports, ...measured, service, signal, tick }
  }
}

const findStatus = (stage: Named<object>, state: RunState) => state.stages.find(({ name }) => name === stage.name)?.status

function findJob(state: RunState, part: number): JobState {
  const job = state.jobs.find(job => job.part === part)
  if (job === undefined) throw new TypeError(`there is no part ${part}`)
  return job
}
