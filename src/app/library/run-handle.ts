/**
 * A run under way in a program: the facts it records, one after the other, its report at the end, and in between a checkpoint small
 * enough for a heartbeat. It decides nothing: what a run does is settled before it comes here.
 */
import { resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import type { RunEventInput, RunState, Status } from '../../journal/index.ts'
import type { StageName } from '../../model/stages.ts'
import type { Report } from '../../report/index.ts'
import type { RunResult } from '../execution/execute.ts'
import type { RunReporter } from '../observe/reporters.ts'

/** Where a run stands, as plain JSON: enough for another process to go on with it, given the same runs directory. */
export interface Checkpoint {
  readonly schema: 'fettle/checkpoint/v1'
  readonly runId: string
  readonly pipeline: string
  /** Absolute. */
  readonly runsDir: string
  readonly status: Status
  /** The stage under way, or the last one begun; null before the first. */
  readonly stage: StageName | null
  readonly jobs: { readonly all: number; readonly matched: number }
  /** Time of the last fact. */
  readonly at: string
}

/**
 * A run under way: iterate over its facts, or await its report. It goes on whether or not anybody iterates; whoever iterates is told
 * every fact, from the first. It rejects with a `RunStopped` when something stopped it short.
 */
export interface RunHandle extends AsyncIterable<RunEventInput>, PromiseLike<Report> {
  /** Where it stands now, null before it has begun. */
  checkpoint(): Checkpoint | null
}

/** Why a run ended short of an answer: code, kind and hint as of any FettleError, with all that is known of the run. */
export class RunStopped extends FettleError {
  readonly report: Report
  /** To go on from, with `resume`. */
  readonly checkpoint: Checkpoint

  /** `cause` is what the caller aborted it with, where that is the reason. */
  constructor(report: Report, state: RunState, runsDir: string, cause?: unknown) {
    const { code, message, hint, correlationId } = state.error ?? { code: 'FETTLE_BUG', message: 'the run ended in an error' }
    super(code as FettleError['code'], message, {
      ...(hint === undefined ? {} : { hint }),
      correlationId: correlationId ?? null,
      cause,
    })
    this.report = report
    this.checkpoint = checkpointOf(state, runsDir)
  }
}

function checkpointOf(state: RunState, runsDir: string): Checkpoint {
  const { runId, plan, status, stages, jobs, updatedAt } = state
  return {
    schema: 'fettle/checkpoint/v1',
    runId,
    pipeline: plan.name,
    runsDir: resolve(runsDir),
    status,
    stage: stages.findLast(one => one.startedAt !== null)?.name ?? null,
    jobs: { all: jobs.length, matched: jobs.filter(one => one.matchFinished).length },
    at: updatedAt,
  }
}

/** Follows a run that `start` carries out; it must hand the reporter given to the run. */
export function follow(
  runsDir: string,
  signal: AbortSignal | undefined,
  start: (own: RunReporter) => Promise<RunResult>,
): RunHandle {
  const facts: RunEventInput[] = []
  let latest: RunState | null = null
  const waiting: (() => void)[] = []
  let isOver = false
  const wake = (): void => {
    for (const go of waiting.splice(0)) go()
  }
  const own: RunReporter = {
    name: 'run',
    onRunStart: state => {
      latest = state
    },
    onEvent: (fact, state) => {
      latest = state
      facts.push(fact)
      wake()
    },
  }
  const report = start(own)
    .then(({ report, state }) => {
      latest = state
      if (state.status === 'error' || state.status === 'cancelled') throw new RunStopped(report, state, runsDir, signal?.reason)
      return report
    })
    .finally(() => {
      isOver = true
      wake()
    })
  // A run that is only iterated over must not end the process for want of a listener; iterating rethrows.
  report.catch(() => {})
  return {
    // biome-ignore lint/suspicious/noThenProperty: a run can be awaited, and is documented so
    then: (onReport, onError) => report.then(onReport, onError),
    checkpoint: () => (latest === null ? null : checkpointOf(latest, runsDir)),
    async *[Symbol.asyncIterator]() {
      for (let next = 0; ; ) {
        const fact = facts[next]
        if (fact !== undefined) {
          next++
          yield fact
        } else if (isOver) {
          await report
          return
        } else await new Promise<void>(resolve => waiting.push(resolve))
      }
    },
  }
}
