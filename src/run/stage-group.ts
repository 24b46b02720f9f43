/**
 * Jobs side by side: every job goes through the stages of a leg in its own lane, so many lanes at a time. A stage is begun with
 * the first job that enters it and finished with the last that leaves it. It records what the stages yield and judges nothing.
 */
import pLimit from 'p-limit'
import { FettleError } from '../errors.ts'
import type { HttpCounts, RecordedError, RunEventInput } from '../journal/events.ts'
import type { JobState, RunState } from '../journal/state.ts'
import { type Correlation, type Meter, withOptions } from './call-options.ts'
import type { Ports } from './ports.ts'
import { type Facts, isOver, isThrough, type Stage } from './stage.ts'

/** What a leg is carried out with. */
export interface StageGroupContext {
  readonly ports: Ports
  readonly state: () => RunState
  readonly record: (fact: RunEventInput) => RunState
  /** Makes sure, once, that the jobs an earlier process left are ours. */
  readonly confirm: (ports: Ports) => Promise<void>
}

/** Carries every job through the stages; the first error that stopped one, when the others have stopped as well, or null. */
export async function runStageGroup(stages: readonly Stage[], context: StageGroupContext): Promise<FettleError | null> {
  const leg = new Leg(stages, context)
  const limit = pLimit(context.state().plan.concurrency)
  const lanes = context.state().jobs.map(({ part }) => limit(() => leg.lane(part)))
  await Promise.all(lanes)
  return leg.end()
}

/** An error as the journal keeps it. */
export const recordError = (error: FettleError): RecordedError => ({
  code: error.code,
  kind: error.kind,
  message: error.message,
  hint: error.hint,
  correlationId: error.correlationId,
})

/** Whatever was thrown, as an error of ours. */
export const asFettleError = (error: unknown): FettleError => {
  if (FettleError.is(error)) return error
  const why = error instanceof Error ? error.message : String(error)
  return new FettleError('FETTLE_BUG', `unexpected: ${why}`, { cause: error })
}

/** The service's verdict, or our own disk: true whether or not somebody pressed Ctrl-C meanwhile. */
const isVerdict = (error: unknown): boolean =>
  FettleError.is(error) &&
  (error.kind === 'rejected' || error.kind === 'output' || error.kind === 'denied' || error.kind === 'bug')

class Leg {
  readonly #stages: readonly Stage[]
  readonly #context: StageGroupContext
  /** Stages begun and not finished: the monotonic time of their beginning, and their requests, whichever stages lie side by side. */
  readonly #open = new Map<Stage, { readonly since: number; readonly meter: Meter }>()
  /** Stages whose end is in the hands of a lane. */
  readonly #ending = new Set<Stage>()
  /** Ends the waiting of all lanes once one of them has failed. */
  readonly #failed = new AbortController()
  #error: FettleError | null = null

  constructor(stages: readonly Stage[], context: StageGroupContext) {
    this.#stages = stages
    this.#context = context
  }

  /** Takes one job through all stages, unless a lane has failed. Never throws. */
  async lane(part: number): Promise<void> {
    const { state } = this.#context
    try {
      for (const stage of this.#stages) {
        if (this.#error !== null) return
        if (this.#skips(stage) || this.#wasFinished(stage)) continue
        if (jobOf(state(), part).failure === null) {
          // Not behind an await: whoever is not let in must have stopped the others before they look.
          this.#begin(stage)
          await this.#carryThrough(stage, part)
        }
        await this.#leave(stage)
      }
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  async #carryThrough(stage: Stage, part: number): Promise<void> {
    const { state, record, confirm } = this.#context
    const job = jobOf(state(), part)
    if (stage.isDone(job)) return
    const correlations: Correlation[] = []
    const ports = this.#portsOf(part, stage, correlations)
    await confirm(ports)
    try {
      const facts = stage.each(job, state(), ports)
      await this.#record(facts, () => stage.isDone(jobOf(state(), part)), { part, correlations })
    } catch (error) {
      // What the others cost is not thrown away for one of them; a job alone has no others.
      const isItsOwn = FettleError.is(error) && error.code === 'FETTLE_JOB_FAILED' && state().jobs.length > 1
      if (!isItsOwn) throw error
      record({ type: 'part.failed', part, error: recordError(error) })
    }
  }

  /** Records what stopped the leg at every stage it left open. */
  end(): FettleError | null {
    const error = this.#error
    if (error === null || error.code === 'FETTLE_JOURNAL_WRITE') return error
    for (const stage of this.#open.keys()) {
      this.#context.record({ type: 'stage.failed', stage: stage.name, error: recordError(error), ...this.#spent(stage) })
    }
    return error
  }

  #fail(thrown: unknown): void {
    if (this.#error !== null) return
    const { signal } = this.#context.ports
    // A stop is the reason whatever the request in flight made of it.
    this.#error = asFettleError(signal.aborted && !isVerdict(thrown) ? signal.reason : thrown)
    this.#failed.abort(this.#error)
  }

  #skips(stage: Stage): boolean {
    const { state, record } = this.#context
    const why = stage.skip(state())
    if (why !== null && statusOf(stage, state()) !== 'skipped') record({ type: 'stage.skipped', stage: stage.name, why })
    return why !== null
  }

  #wasFinished(stage: Stage): boolean {
    const state = this.#context.state()
    return !this.#open.has(stage) && statusOf(stage, state) === 'success' && isOver(stage, state)
  }

  #begin(stage: Stage): void {
    const { ports, record, state } = this.#context
    if (this.#open.has(stage)) return
    this.#open.set(stage, { since: ports.clock.monotonic(), meter: { requests: 0, retries: 0, throttledMs: 0 } })
    ports.signal.throwIfAborted()
    record({ type: 'stage.started', stage: stage.name })
    if (!isOver(stage, state())) stage.guard?.(state())
  }

  /** The first lane to find every job through ends the stage: several may find it at once, and one must write the outputs. */
  async #leave(stage: Stage): Promise<void> {
    const { ports, record, state } = this.#context
    if (!isThrough(stage, state()) || !this.#open.has(stage) || this.#ending.has(stage)) return
    this.#ending.add(stage)
    const { last } = stage
    if (last !== undefined && !last.isDone(state())) {
      ports.signal.throwIfAborted()
      await this.#record(last.run(state(), { ...ports, ...this.#asked(stage) }), () => last.isDone(state()))
    }
    record({ type: 'stage.finished', stage: stage.name, ...this.#spent(stage) })
    this.#open.delete(stage)
  }

  async #record(facts: Facts, isDone: () => boolean, lane?: { part: number; correlations: Correlation[] }): Promise<void> {
    for await (const fact of facts) {
      this.#context.record(fact)
      // After the fact they belong to: nothing may come between an effect and its record.
      for (const noted of lane?.correlations.splice(0) ?? [])
        this.#context.record({ type: 'correlation.noted', part: lane!.part, ...noted })
      // A stop ends the stage here, before its next effect; a stage with nothing left to do is complete all the same.
      if (isDone()) continue
      this.#context.ports.signal.throwIfAborted()
      this.#failed.signal.throwIfAborted()
    }
  }

  /** What an open stage cost so far. */
  #spent(stage: Stage): { readonly elapsedMs: number; readonly http: HttpCounts } {
    const { since, meter } = this.#open.get(stage)!
    const elapsedMs = Math.round(this.#context.ports.clock.monotonic() - since)
    return { elapsedMs, http: { ...meter, throttledMs: Math.round(meter.throttledMs) } }
  }

  /** The service as an open stage asks it. */
  #asked(stage: Stage): Pick<Ports, 'service' | 'portfolios' | 'screening'> {
    const { service, portfolios, screening } = this.#context.ports
    const own = { stage: stage.name, meter: this.#open.get(stage)!.meter }
    return {
      service: withOptions(service, own),
      portfolios: withOptions(portfolios, own),
      screening: withOptions(screening, own),
    }
  }

  /** What one lane uses: its waiting ends with the leg, its remarks name the job, and the ids of its effects are kept apart. */
  #portsOf(part: number, stage: Stage, correlations: Correlation[]): Ports {
    const { ports } = this.#context
    const asked = this.#asked(stage)
    const service = withOptions(asked.service, { onCorrelation: noted => correlations.push(noted) })
    const signal = AbortSignal.any([ports.signal, this.#failed.signal])
    const tick: Ports['tick'] = one => ports.tick({ part, ...one })
    return { ...ports, ...asked, service, signal, tick }
  }
}

const statusOf = (stage: Stage, state: RunState) => state.stages.find(one => one.name === stage.name)?.status

function jobOf(state: RunState, part: number): JobState {
  const job = state.jobs.find(one => one.part === part)
  if (job === undefined) throw new TypeError(`there is no part ${part}`)
  return job
}
