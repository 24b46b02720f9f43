/** Starting and resuming runs, in this process or through a queue: the operations that the library and the command line share. */

import { serviceOf } from '../env/identity.ts'
import { readCredentials } from '../env/trust.ts'
import { errorOfIssues } from '../errors.ts'
import type { RunResult, RunSettings } from '../execution/run-settings.ts'
import { repeatedResult, resumeRun, startRun } from '../execution/start.ts'
import type { RunState } from '../journal/index.ts'
import { notifyRejection } from '../observe/notify.ts'
import type { Plan } from '../pipeline/index.ts'
import { type Prepared, withTarget } from '../prepare/prepare.ts'
import { findCurrentPipeline } from '../prepare/resume-context.ts'
import { findOpenRunId } from '../runs/open-runs.ts'
import { readRun } from '../runs/run-directory.ts'
import { finishedRunOfKey } from '../runs/run-queries.ts'
import type { QueueConnectionOptions } from './connection.ts'
import { type QueuedRun, queuedRun, shardsLeftInQueue } from './queued-run.ts'

/** A queue, and the number of shards: the jobs of the pipeline if null. */
export interface QueueTarget extends QueueConnectionOptions {
  readonly shards: number | null
}

/** Loaded on use: the packages for queues are optional. */
const loadQueue = () => import('./through-queue.ts')

/** The outcome of a prepared pipeline: a result, or shards in a queue that the caller does not wait for. */
export type StartedRun =
  | { readonly queued: QueuedRun; readonly result: null }
  | { readonly queued: QueuedRun | null; readonly result: RunResult }

/**
 * Runs a prepared pipeline: here, or as shards through a queue, whose workers it waits for unless `settings.detach`. An unfinished run
 * continues unless `fresh`; a finished run of the same run key is returned. Throws the pipeline's issues, and as startRun, submitShards
 * and collectShards do; receivers of messages get to know it.
 */
export async function runPrepared(
  prepared: Prepared,
  given: Omit<RunSettings, 'credentials'>,
  { queue = null, fresh = false }: { readonly queue?: QueueTarget | null; readonly fresh?: boolean },
): Promise<StartedRun> {
  const { plan, issues, links, notify, credentials, project } = prepared
  try {
    if (plan === null) throw errorOfIssues(issues)
    given.signal.throwIfAborted()
    // Missing credentials are reported before a runs folder is created.
    if (plan.service.kind === 'remote') credentials()
    const settings = { ...given, args: withTarget(given.args, project), credentials, links, notify }
    if (queue === null) return { queued: null, result: await startRun(plan, settings, fresh) }
    return await runShards(plan, prepared, settings, { ...queue, fresh })
  } catch (error) {
    await notifyRejection(error, prepared, given)
    throw error
  }
}

async function runShards(
  plan: Plan,
  { cut }: Prepared,
  settings: RunSettings,
  { shards, fresh, ...queue }: QueueTarget & { readonly fresh: boolean },
): Promise<StartedRun> {
  const earlier = fresh ? null : finishedRunOfKey(plan, settings)
  if (earlier !== null) return { queued: null, result: await repeatedResult(earlier, plan, settings) }
  const { collectShards, submitShards, withQueue } = await loadQueue()
  return withQueue(queue, settings.env, async connected => {
    const count = shards ?? Math.max(1, plan.parts.length)
    const queued = await submitShards(connected, plan, () => cut(count), { ...settings, fresh })
    if (settings.detach === true) return { queued, result: null }
    return { queued, result: await collectShards(connected, queued, settings) }
  })
}

/** A run to resume: one with a journal, or one whose shards are in a queue. */
export type Resumable = { readonly queued: QueuedRun } | { readonly queued: null; readonly state: RunState }

/** Finds the run named, or the latest. Throws as findOpenRunId and readRun do. */
export function findResumable(runsDir: string, wanted: string | undefined): Resumable {
  const id = findOpenRunId(runsDir, wanted)
  const queued = queuedRun(runsDir, id)
  return queued === null ? { queued, state: readRun(runsDir, id) } : { queued }
}

/** Resumes a run from its journal, or waits for its shards in the queue and merges them. A finished run is returned unchanged. */
export async function resumeOrCollect(found: Resumable, settings: RunSettings): Promise<RunResult> {
  const { env, runsDir, observers } = settings
  const settingsFor = ({ identity }: QueuedRun): RunSettings => {
    const url = serviceOf(identity)
    return { ...settings, credentials: () => readCredentials(env, url === 'embedded' ? { kind: url } : { kind: 'remote', url }) }
  }
  if (found.queued !== null) {
    const { queued } = found
    const { collectShards, withQueue } = await loadQueue()
    return withQueue(queued, env, connected => collectShards(connected, queued, settingsFor(queued)))
  }
  const { state } = found
  if (state.finished) observers?.emit('onNote', `the run ${state.runId} is already finished`)
  const result = await resumeRun(
    state.runId,
    state.finished ? settings : { ...settings, ...findCurrentPipeline(state, settings) },
  )
  const left = result.state.finished ? shardsLeftInQueue(runsDir, state.runId) : null
  if (left !== null)
    // The merge was interrupted before it removed its shards from the queue.
    await loadQueue()
      .then(({ clearMerged, withQueue }) => withQueue(left, env, connected => clearMerged(connected, left, settingsFor(left))))
      .catch((error: Error) =>
        observers?.emit('onNote', `its shards are still in the queue ${left.name} at ${left.url}: ${error.message}`),
      )
  return result
}
