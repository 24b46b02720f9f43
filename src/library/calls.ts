/** What the functions of the library do; loaded with the first call. */

import { mergeRuns } from '../distributed/merge.ts'
import { findResumable, resumeOrCollect, runPrepared } from '../distributed/run-or-queue.ts'
import { FettleError } from '../errors.ts'
import type { RunResult } from '../execution/run-settings.ts'
import { getRunStatus, watchRun } from '../execution/status.ts'
import type { MatcherOptions, RegisterMatcher } from '../matcher/types.ts'
import type { RunReporter } from '../observe/reporters.ts'
import { listIssues } from '../prepare/kept-list.ts'
import { findOpenRunId } from '../runs/open-runs.ts'
import { reportOfRun } from '../runs/run-queries.ts'
import type { RowsPipeline } from './input-rows.ts'
import {
  type Check,
  createLog,
  DEFAULT_QUEUE,
  type ExecutionOptions,
  findFolder,
  type LibraryOptions,
  type MergeOptions,
  MOST_AT_ONCE,
  makeQueueTarget,
  makeSettings,
  preparePipeline,
  proveInteger,
  proveWhole,
  type RunRef,
  type RunStatus,
  readRunId,
  runKeyIn,
  type SubmitOptions,
  type SubmittedRun,
  type WatchOptions,
  type WorkerOptions,
  withStop,
} from './options.ts'
import { findRunsDir } from './run-handle.ts'

export { loadPipeline } from '../prepare/read-pipeline.ts'
export { renderReport } from '../report/index.ts'

export const check = (pipeline: string | RowsPipeline, options: LibraryOptions): Promise<Check> =>
  withStop(options, async all => {
    const ready = await preparePipeline(pipeline, all, false)
    ready.release()
    const { plan } = ready
    const issues = [...ready.issues, ...listIssues(ready, findRunsDir(all))]
    return { ok: !issues.some(({ severity }) => severity === 'error'), plan, issues }
  })

export const run = (pipeline: string | RowsPipeline, options: LibraryOptions, own: RunReporter): Promise<RunResult> =>
  withStop(options, async all => {
    proveWhole(all, 'timeoutMs')
    const settings = makeSettings('run', all, findRunsDir(all), [own])
    const { queue, detach, fresh, dropDecisions, acceptList } = all
    const runKey = runKeyIn(all)
    if (queue !== undefined && detach)
      throw new FettleError('FETTLE_USAGE', 'run cannot detach from a queue', { hint: 'Call submit, and collect later.' })
    const ready = await preparePipeline(pipeline, all, true)
    try {
      const target = queue && { queue: makeQueueTarget(queue, all) }
      // A run that does not detach has a result.
      return (await runPrepared(ready, { ...settings, detach, dropDecisions, acceptList, runKey }, { ...target, fresh })).result!
    } finally {
      ready.release()
    }
  })

export const submit = (pipeline: string | RowsPipeline, options: SubmitOptions): Promise<SubmittedRun> =>
  withStop(options, async all => {
    const ready = await preparePipeline(pipeline, all, true)
    try {
      const { dropDecisions, acceptList, fresh } = all
      const start = { detach: true, dropDecisions, acceptList, runKey: runKeyIn(all) }
      const settings = { ...makeSettings('submit', all, findRunsDir(all)), ...start }
      const { queued, result } = await runPrepared(ready, settings, { queue: makeQueueTarget(all.queue, all), fresh })
      if (queued !== null) return { runId: queued.runId, pipeline: queued.pipeline, shards: queued.jobs.length }
      const { runId, plan } = result!.state
      return { runId, pipeline: plan.name, shards: plan.merged ?? 1 }
    } finally {
      ready.release()
    }
  })

export const worker = (options: WorkerOptions): Promise<void> =>
  withStop(options, async all => {
    const { queue, concurrency = 1, inputsFrom = [], onNote = () => {}, signal } = all
    proveInteger('concurrency', concurrency, MOST_AT_ONCE)
    const { runQueueWorker } = await import('../distributed/through-queue.ts')
    const note = createLog(onNote).onNote!
    await runQueueWorker({
      env: all.env ?? process.env,
      cwd: findFolder(all),
      runsDir: findRunsDir(all),
      queue: { url: queue.url, name: queue.name ?? DEFAULT_QUEUE },
      concurrency,
      inputsFrom,
      signal,
      onWord: note,
      onNote: (shard, text) => note(`${shard}: ${text}`),
      onEvent: () => {},
    })
  })

export const continueAs = (
  command: string,
  wanted: RunRef | undefined,
  options: ExecutionOptions,
  own: RunReporter,
): Promise<RunResult> =>
  withStop(options, async all => {
    proveWhole(all, 'timeoutMs')
    const settings = makeSettings(command, all, findRunsDir(all, wanted), [own])
    return resumeOrCollect(findResumable(settings.runsDir, readRunId(wanted)), settings)
  })

export const merge = (wanted: readonly string[], options: MergeOptions, own: RunReporter): Promise<RunResult> =>
  withStop(options, async all => {
    const settings = makeSettings('merge', all, findRunsDir(all), [own])
    const { dropDecisions, mixedRegisters } = all
    return mergeRuns(wanted, { ...settings, dropDecisions, mixedRegisters, runKey: runKeyIn(all) })
  })

export const status = (wanted: RunRef | undefined, options: WatchOptions): Promise<RunStatus> =>
  withStop(options, async all => {
    proveWhole(all, 'timeoutMs')
    const runsDir = findRunsDir(all, wanted)
    const runId = findOpenRunId(runsDir, readRunId(wanted))
    const place = { env: all.env ?? process.env, cwd: findFolder(all), runsDir, signal: all.signal }
    const { status, code, carrier, jobs } =
      all.watch === true ? await watchRun(runId, place, all.timeoutMs ?? null, () => {}) : await getRunStatus(runId, place)
    return { runId, status, exitCode: code, carrier, jobs, report: reportOfRun(runsDir, runId) }
  })

export const openMatcher = async (options: MatcherOptions): Promise<RegisterMatcher> =>
  (await import('../matcher/matcher.ts')).openMatcher(options, options.env ?? process.env)
