/** The handle of a run in progress: its events, its report, and a checkpoint small enough for a heartbeat. */
import { resolve } from 'node:path'
import { action, FettleError } from '../errors.ts'
import type { RunResult } from '../execution/run-settings.ts'
import type { RunEventInput, RunState, Status } from '../journal/index.ts'
import type { StageName } from '../model/stages.ts'
import type { RunReporter } from '../observe/reporters.ts'
import type { Report } from '../report/index.ts'
import { DEFAULT_RUNS_DIR } from '../shell-command.ts'
import type { RunReport } from './result-rows.ts'

/** The state of a run as plain JSON: enough for another process to resume it, given the same runs directory. */
export interface Checkpoint {
  readonly schema: 'fettle/checkpoint/v1'
  readonly runId: string
  readonly pipeline: string
  /** Absolute. */
  readonly runsDir: string
  readonly status: Status
  /** The current stage, or the last one started; null before the first. */
  readonly stage: StageName | null
  readonly jobs: { readonly all: number; readonly matched: number }
  /** Time of the last event. */
  readonly at: string
}

/**
 * A run in progress: iterate over its events, or await its report. It runs without iteration too; every loop receives all events
 * from the first. It rejects with a `RunStopped` when the run stops before its end.
 */
export interface RunHandle extends AsyncIterable<RunEventInput>, Promise<RunReport> {
  /** The current checkpoint, null before the run has started. */
  checkpoint(): Checkpoint | null
}

/** A run that stopped before its end: code, kind and hint as of any FettleError, with its report so far. */
export class RunStopped extends FettleError {
  readonly report: Report
  /** For `resume`. */
  readonly checkpoint: Checkpoint

  /** `cause`: the reason of the abort of the caller, if that stopped the run. */
  constructor(report: Report, state: RunState, runsDir: string, cause?: unknown) {
    const { code, message, hint, correlationId } = state.error ?? { code: 'FETTLE_BUG', message: 'the run ended in an error' }
    super(code as FettleError['code'], message, {
      hint,
      action: code === 'FETTLE_INPUT_CHANGED' ? undefined : action('resume', state.runId),
      correlationId: correlationId ?? null,
      cause,
    })
    this.report = report
    this.checkpoint = makeCheckpoint(state, runsDir)
  }
}

function makeCheckpoint(state: RunState, runsDir: string): Checkpoint {
  const { runId, plan, status, stages, jobs, updatedAt } = state
  return {
    schema: 'fettle/checkpoint/v1',
    runId,
    pipeline: plan.name,
    runsDir: resolve(runsDir),
    status,
    stage: stages.findLast(({ startedAt }) => startedAt !== null)?.name ?? null,
    jobs: { all: jobs.length, matched: jobs.filter(({ matchFinished }) => matchFinished).length },
    at: updatedAt,
  }
}

/** A copy of a report with the method `rows`, which is not part of its JSON. */
const withRows = (report: Report, folder: string): RunReport =>
  Object.defineProperty({ ...report }, 'rows', {
    async *value() {
      yield* (await import('./result-rows.ts')).readResultRows(report, folder)
    },
  }) as RunReport

type Wanted = string | { readonly runsDir: string } | null | undefined

interface Places {
  readonly cwd?: string
  readonly runsDir?: string
}

export function findRunsDir({ cwd, runsDir }: Places, wanted?: Wanted): string {
  const found = runsDir ?? (typeof wanted === 'object' ? wanted?.runsDir : null) ?? DEFAULT_RUNS_DIR
  return cwd === undefined ? found : resolve(cwd, found)
}

/** Follows a run that `start` executes; `start` must pass `own` to its observers. */
export function follow(
  options: Places & { readonly signal?: AbortSignal },
  wanted: Wanted,
  start: (own: RunReporter) => Promise<RunResult>,
): RunHandle {
  const { signal } = options
  const runsDir = findRunsDir(options, wanted)
  const folder = options.cwd === undefined ? process.cwd() : resolve(options.cwd)
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
      return withRows(report, folder)
    })
    .finally(() => {
      isOver = true
      wake()
    })
  return Object.assign(report, {
    checkpoint: () => (latest === null ? null : makeCheckpoint(latest, runsDir)),
    async *[Symbol.asyncIterator]() {
      // Iterating rethrows: a run that is only iterated over has no unhandled rejection.
      report.catch(() => {})
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
  })
}
