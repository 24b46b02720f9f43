/**
 * Pipelines from a program: `check`, `run`, `resume`, `collect`, `merge`, `status`, and queues by `submit` and `worker`. A failed check
 * is a result; errors are thrown when there is no answer.
 */
import { errorOfIssues, FettleError } from '../../errors.ts'
import type { PipelineInput } from '../../pipeline/index.ts'
import type { RunResult, RunSettings } from '../execution/execute.ts'
import { startRun } from '../execution/start.ts'
import { mergeRuns } from '../operations/merge.ts'
import { getRunStatus, watchRun } from '../operations/status.ts'
import { loadRun, reportOfRun } from '../runs/run-queries.ts'
import { findResumable, resumeOrCollect, runQueued } from './operations.ts'
import {
  asStop,
  type Check,
  DEFAULT_QUEUE,
  type EnvironmentOptions,
  type ExecutionOptions,
  idOf,
  type LibraryOptions,
  logOf,
  MOST_AT_ONCE,
  prepared,
  proveInteger,
  proveWhole,
  type RunRef,
  type RunStatus,
  runsDirOf,
  type SubmitOptions,
  type SubmittedRun,
  settingsOf,
  targetOf,
  type WorkerOptions,
} from './options.ts'
import { follow, type RunHandle } from './run-handle.ts'

/** Checks a pipeline and its input as a run does before its first request; sends nothing. `pipeline` is a file or an object. */
export async function check(pipeline: string | PipelineInput, options: LibraryOptions = {}): Promise<Check> {
  const { plan, issues, release } = await prepared(pipeline, options, false)
  release()
  return { ok: !issues.some(one => one.severity === 'error'), plan, issues }
}

/** Runs a pipeline, or resumes its unfinished run. Rejects with a FettleError when the run cannot start. */
export function run(pipeline: string | PipelineInput, options: LibraryOptions = {}): RunHandle {
  return running('run', options, undefined, async settings => {
    const { queue, detach = false, fresh = false } = options
    if (queue !== undefined && detach)
      throw new FettleError('FETTLE_USAGE', 'run cannot detach from a queue', { hint: 'Call submit, and collect later.' })
    const ready = await prepared(pipeline, options, true)
    try {
      if (queue === undefined) {
        const { plan, issues, credentials, links } = ready
        if (plan === null) throw errorOfIssues(issues)
        return await startRun(plan, { ...settings, detach, credentials, links }, fresh)
      }
      return (await runQueued(ready, settings, targetOf(queue, options), fresh)).result!
    } finally {
      ready.release()
    }
  })
}

/**
 * Submits the shards of a pipeline to a queue, for workers on any machine; `collect` waits for them and merges them. The same call
 * again finds the same shards. Rejects with a FettleError, such as FETTLE_QUEUE when Redis cannot be reached.
 */
export async function submit(pipeline: string | PipelineInput, options: SubmitOptions): Promise<SubmittedRun> {
  const ready = await prepared(pipeline, options, true)
  try {
    const settings = { ...settingsOf('submit', options, runsDirOf(options, undefined)), detach: true }
    const { queued } = await runQueued(ready, settings, targetOf(options.queue, options), options.fresh ?? false)
    return { runId: queued.runId, pipeline: queued.pipeline, shards: queued.jobs.length }
  } finally {
    ready.release()
  }
}

/**
 * Runs shards of a queue in this process until `signal` is aborted, then hands unfinished shards to other workers. It sends the
 * credentials of `env` to FETTLE_URL only. Rejects when the queue or this process cannot run any shard.
 */
export async function worker({
  queue,
  concurrency = 1,
  inputsFrom = [],
  onNote,
  signal,
  ...options
}: WorkerOptions): Promise<void> {
  proveInteger('concurrency', concurrency, MOST_AT_ONCE)
  const { runQueueWorker } = await import('../distributed/index.ts')
  const note = logOf(onNote ?? (() => {})).onNote!
  await runQueueWorker({
    env: options.env ?? process.env,
    cwd: process.cwd(),
    runsDir: runsDirOf(options, undefined),
    queue: { url: queue.url, name: queue.name ?? DEFAULT_QUEUE },
    concurrency,
    inputsFrom,
    signal: asStop(signal),
    onWord: note,
    onNote: (shard, text) => note(`${shard}: ${text}`),
    onEvent: () => {},
  })
}

/** Resumes a run where it stopped; a finished run is returned unchanged. */
export const resume = (wanted?: RunRef, options: ExecutionOptions = {}): RunHandle => continueAs('resume', wanted, options)

/** Finishes a run that was detached or submitted to a queue: waits, enriches, downloads, checks, merges shards, reports. */
export const collect = (wanted?: RunRef, options: ExecutionOptions = {}): RunHandle => continueAs('collect', wanted, options)

function continueAs(command: string, wanted: RunRef | undefined, options: ExecutionOptions): RunHandle {
  return running(command, options, wanted, async settings => {
    return resumeOrCollect(findResumable(settings.runsDir, idOf(wanted)), settings)
  })
}

/** Merges the results of shards into the outputs and the report of one run. `wanted`: run ids, run directories, or a pipeline name. */
export function merge(wanted: readonly string[], options: Omit<ExecutionOptions, 'timeoutMs'> = {}): RunHandle {
  return running('merge', options, undefined, settings => mergeRuns(wanted, settings))
}

/** The status of a run now; with `watch`, once it is no longer in progress, or after `timeoutMs`. */
export async function status(
  wanted?: RunRef,
  options: EnvironmentOptions & { readonly watch?: boolean; readonly timeoutMs?: number } = {},
): Promise<RunStatus> {
  proveWhole(options, 'timeoutMs')
  const runsDir = runsDirOf(options, wanted)
  const { directory } = loadRun(runsDir, idOf(wanted))
  const place = { env: options.env ?? process.env, cwd: process.cwd(), runsDir, signal: asStop(options.signal) }
  const { status, code, carrier, jobs } =
    options.watch === true
      ? await watchRun(directory.id, place, options.timeoutMs ?? null, () => {})
      : await getRunStatus(directory.id, place)
  return { runId: directory.id, status, exitCode: code, carrier, jobs, report: reportOfRun(runsDir, directory.id) }
}

function running(
  command: string,
  options: ExecutionOptions,
  wanted: RunRef | undefined,
  start: (settings: RunSettings) => Promise<RunResult>,
): RunHandle {
  const runsDir = runsDirOf(options, wanted)
  return follow(runsDir, options.signal, async own => {
    proveWhole(options, 'timeoutMs')
    return start(settingsOf(command, options, runsDir, [own]))
  })
}
