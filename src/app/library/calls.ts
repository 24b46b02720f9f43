/** What the functions of the library do; loaded with the first call. */
import { FettleError } from '../../errors.ts'
import type { RunResult } from '../execution/run-settings.ts'
import type { RunReporter } from '../observe/reporters.ts'
import { mergeRuns } from '../operations/merge.ts'
import { getRunStatus, watchRun } from '../operations/status.ts'
import { listIssues } from '../prepare/kept-list.ts'
import { findOpenRunId } from '../runs/open-runs.ts'
import { reportOfRun } from '../runs/run-queries.ts'
import type { RowsPipeline } from './input-rows.ts'
import { findResumable, resumeOrCollect, runPrepared } from './operations.ts'
import {
  type Check,
  cwdOf,
  DEFAULT_QUEUE,
  type ExecutionOptions,
  idOf,
  type LibraryOptions,
  logOf,
  type MergeOptions,
  MOST_AT_ONCE,
  prepared,
  proveInteger,
  proveWhole,
  type RunRef,
  type RunStatus,
  runKeyIn,
  type Stoppable,
  type SubmitOptions,
  type SubmittedRun,
  settingsOf,
  targetOf,
  type WatchOptions,
  type WorkerOptions,
  withStop,
} from './options.ts'
import { runsDirOf } from './run-handle.ts'

export { renderReport } from '../../report/index.ts'
export { loadPipeline } from '../prepare/read-pipeline.ts'

export const check = (pipeline: string | RowsPipeline, options: LibraryOptions): Promise<Check> =>
  withStop(options, all => checkWith(pipeline, all))

async function checkWith(pipeline: string | RowsPipeline, options: Stoppable<LibraryOptions>): Promise<Check> {
  const ready = await prepared(pipeline, options, false)
  ready.release()
  const { plan } = ready
  const issues = [...ready.issues, ...listIssues(ready, runsDirOf(options))]
  return { ok: !issues.some(one => one.severity === 'error'), plan, issues }
}

export const run = (pipeline: string | RowsPipeline, options: LibraryOptions, own: RunReporter): Promise<RunResult> =>
  withStop(options, all => runWith(pipeline, all, own))

async function runWith(
  pipeline: string | RowsPipeline,
  options: Stoppable<LibraryOptions>,
  own: RunReporter,
): Promise<RunResult> {
  proveWhole(options, 'timeoutMs')
  const settings = settingsOf('run', options, runsDirOf(options), [own])
  const { queue, detach = false, fresh = false, dropDecisions = false, acceptList = false } = options
  const runKey = runKeyIn(options)
  if (queue !== undefined && detach)
    throw new FettleError('FETTLE_USAGE', 'run cannot detach from a queue', { hint: 'Call submit, and collect later.' })
  const ready = await prepared(pipeline, options, true)
  try {
    const where = { queue: queue === undefined ? null : targetOf(queue, options), fresh }
    // A run that does not detach has a result.
    return (await runPrepared(ready, { ...settings, detach, dropDecisions, acceptList, runKey }, where)).result!
  } finally {
    ready.release()
  }
}

export const submit = (pipeline: string | RowsPipeline, options: SubmitOptions): Promise<SubmittedRun> =>
  withStop(options, all => submitWith(pipeline, all))

async function submitWith(pipeline: string | RowsPipeline, options: Stoppable<SubmitOptions>): Promise<SubmittedRun> {
  const ready = await prepared(pipeline, options, true)
  try {
    const settings = {
      ...settingsOf('submit', options, runsDirOf(options)),
      detach: true,
      dropDecisions: options.dropDecisions ?? false,
      acceptList: options.acceptList ?? false,
      runKey: runKeyIn(options),
    }
    const where = { queue: targetOf(options.queue, options), fresh: options.fresh ?? false }
    const { queued, result } = await runPrepared(ready, settings, where)
    if (queued !== null) return { runId: queued.runId, pipeline: queued.pipeline, shards: queued.jobs.length }
    const { runId, plan } = result!.state
    return { runId, pipeline: plan.name, shards: plan.merged ?? 1 }
  } finally {
    ready.release()
  }
}

export const worker = (options: WorkerOptions): Promise<void> => withStop(options, workWith)

async function workWith({
  queue,
  concurrency = 1,
  inputsFrom = [],
  onNote,
  signal,
  ...options
}: Stoppable<WorkerOptions>): Promise<void> {
  proveInteger('concurrency', concurrency, MOST_AT_ONCE)
  const { runQueueWorker } = await import('../distributed/index.ts')
  const note = logOf(onNote ?? (() => {})).onNote!
  await runQueueWorker({
    env: options.env ?? process.env,
    cwd: cwdOf(options),
    runsDir: runsDirOf(options),
    queue: { url: queue.url, name: queue.name ?? DEFAULT_QUEUE },
    concurrency,
    inputsFrom,
    signal,
    onWord: note,
    onNote: (shard, text) => note(`${shard}: ${text}`),
    onEvent: () => {},
  })
}

export const continueAs = (
  command: string,
  wanted: RunRef | undefined,
  options: ExecutionOptions,
  own: RunReporter,
): Promise<RunResult> =>
  withStop(options, async all => {
    proveWhole(all, 'timeoutMs')
    const settings = settingsOf(command, all, runsDirOf(all, wanted), [own])
    return resumeOrCollect(findResumable(settings.runsDir, idOf(wanted)), settings)
  })

export const merge = (wanted: readonly string[], options: MergeOptions, own: RunReporter): Promise<RunResult> =>
  withStop(options, async all => {
    const settings = settingsOf('merge', all, runsDirOf(all), [own])
    const { dropDecisions = false, mixedRegisters = false } = all
    return mergeRuns(wanted, { ...settings, dropDecisions, mixedRegisters, runKey: runKeyIn(all) })
  })

export const status = (wanted: RunRef | undefined, options: WatchOptions): Promise<RunStatus> =>
  withStop(options, all => statusWith(wanted, all))

async function statusWith(wanted: RunRef | undefined, options: Stoppable<WatchOptions>): Promise<RunStatus> {
  proveWhole(options, 'timeoutMs')
  const runsDir = runsDirOf(options, wanted)
  const runId = findOpenRunId(runsDir, idOf(wanted))
  const place = { env: options.env ?? process.env, cwd: cwdOf(options), runsDir, signal: options.signal }
  const { status, code, carrier, jobs } =
    options.watch === true ? await watchRun(runId, place, options.timeoutMs ?? null, () => {}) : await getRunStatus(runId, place)
  return { runId, status, exitCode: code, carrier, jobs, report: reportOfRun(runsDir, runId) }
}
