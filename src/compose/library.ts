/**
 * Pipelines from a program: `check`, `run`, `resume`. A run is an async iterable of the facts it records, and a promise of its
 * report. A failed check is a result; only "could not answer" is thrown.
 */

import { errorOfIssues, FettleError, type Issue } from '../errors.ts'
import type { RunFact } from '../journal/index.ts'
import type { PipelineInput, Plan } from '../pipeline/index.ts'
import type { Report } from '../report/index.ts'
import type { RunResult, RunSettings } from './carry-out.ts'
import { resumeRun, startRun } from './lifecycle.ts'
import { lookAtRun } from './look.ts'
import { NO_OVERRIDES, type Overrides, prepare, prepareValue } from './prepare.ts'
import { elsewhereOf } from './receive.ts'
import { presentOf } from './recorded.ts'
import { DEFAULT_RUNS_DIR } from './run-directory.ts'
import type { Env } from './settings.ts'
import { stdinOf } from './stdin.ts'

/** What the library's functions take; everything has a default. */
export interface LibraryOptions extends Partial<Overrides> {
  /** Environment to read settings from; the process's own if absent. */
  readonly env?: Env
  /** Where runs are kept; `fettle-runs` if absent. */
  readonly runsDir?: string
  readonly signal?: AbortSignal
  /** Stop waiting after so many milliseconds; the run can be resumed. */
  readonly timeoutMs?: number
  /** Start anew in spite of an unfinished run. */
  readonly fresh?: boolean
}

/** What `check` found. `plan` is null when there are errors, and for an input that lies elsewhere, which it leaves alone. */
export interface Check {
  readonly ok: boolean
  readonly plan: Plan | null
  readonly issues: readonly Issue[]
}

/** A run under way: iterate over its facts, or await its report. It goes on whether or not anybody iterates. */
export interface Running extends AsyncIterable<RunFact>, PromiseLike<Report> {}

const surroundings = (options: LibraryOptions, keeps: boolean) => ({
  ...NO_OVERRIDES,
  ...Object.fromEntries(Object.entries(options).filter(([key, value]) => key in NO_OVERRIDES && value !== undefined)),
  env: options.env ?? process.env,
  cwd: process.cwd(),
  ...(options.runsDir === undefined ? {} : { runsDir: options.runsDir }),
  stdin: stdinOf({ open: () => process.stdin, keeps, signal: asStop(options.signal) }),
  ...(keeps ? { elsewhere: elsewhereOf({ env: options.env ?? process.env, keeps, signal: asStop(options.signal) }) } : {}),
})

const prepared = (pipeline: string | PipelineInput, options: LibraryOptions, keeps: boolean) =>
  typeof pipeline === 'string'
    ? prepare(pipeline, surroundings(options, keeps))
    : prepareValue(pipeline, surroundings(options, keeps))

/** Everything a run would find out before sending; nothing is sent. `pipeline` is a file or an object. */
export async function check(pipeline: string | PipelineInput, options: LibraryOptions = {}): Promise<Check> {
  const { plan, issues, release } = await prepared(pipeline, options, false)
  release()
  return { ok: !issues.some(one => one.severity === 'error'), plan, issues }
}

/** Carries out a pipeline, or goes on with its unfinished run. Rejects with a FettleError when it cannot begin. */
export function run(pipeline: string | PipelineInput, options: LibraryOptions = {}): Running {
  return running(options, async settings => {
    const { plan, issues, credentials, links, release } = await prepared(pipeline, options, true)
    try {
      if (plan === null) throw errorOfIssues(issues)
      return await startRun(plan, { ...settings, credentials, links }, options.fresh ?? false)
    } finally {
      release()
    }
  })
}

/** Goes on with a run by its id, the beginning of it, or the name of its pipeline; the latest if absent. */
export function resume(wanted?: string, options: LibraryOptions = {}): Running {
  return running(options, async settings => {
    const { state } = lookAtRun(settings.runsDir, wanted)
    return resumeRun(state.runId, state.finished ? settings : { ...settings, ...presentOf(state, settings) })
  })
}

/** A caller's abort as a stop: the run pauses, resumable, as on Ctrl-C. */
function asStop(signal: AbortSignal | undefined): AbortSignal {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(new FettleError('FETTLE_SIGINT', 'stopped by the caller', { cause: signal?.reason }))
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return stop.signal
}

/** Turns a run into an iterable of facts and a promise of its report. */
function running(options: LibraryOptions, start: (settings: RunSettings) => Promise<RunResult>): Running {
  const waiting: RunFact[] = []
  let wake = (): void => {}
  let isOver = false
  const settings: RunSettings = {
    env: options.env ?? process.env,
    cwd: process.cwd(),
    runsDir: options.runsDir ?? DEFAULT_RUNS_DIR,
    credentials: () => {
      throw new FettleError('FETTLE_BUG', 'credentials were asked for before the pipeline was read')
    },
    args: { command: 'library' },
    timeoutMs: options.timeoutMs ?? null,
    signal: asStop(options.signal),
    onFact: fact => {
      waiting.push(fact)
      wake()
    },
  }
  const report = start(settings)
    .then(result => result.report)
    .finally(() => {
      isOver = true
      wake()
    })
  // A run that is only iterated over must not end the process for want of a listener; iterating rethrows.
  report.catch(() => {})
  return {
    // biome-ignore lint/suspicious/noThenProperty: a run can be awaited, and is documented so
    then: (onReport, onError) => report.then(onReport, onError),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const fact = waiting.shift()
        if (fact !== undefined) yield fact
        else if (isOver) {
          await report
          return
        } else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
    },
  }
}
