/** Waits for the shards of a list in a queue, merges them, and removes them. After a kill, the same command finds the same shards. */

import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { type Action, action, errorOfIssues, FettleError, issue } from '../errors.ts'
import { createDeadline } from '../execution/deadline.ts'
import type { ChosenEvent, RunResult, RunSettings } from '../execution/run-settings.ts'
import { resumeRun, withLock } from '../execution/start.ts'
import { removeFile } from '../files/atomic-file.ts'
import { type RunState, readJournal } from '../journal/index.ts'
import type { Plan } from '../pipeline/index.ts'
import { type Connected, type Notice, readLines, type ShardQueue, type Signer } from '../queue/index.ts'
import { linkOrCopy, receivedPath, shardFolder } from '../results/file-names.ts'
import { isAsReceived } from '../results/index.ts'
import { choicePath } from '../reuse/files/choice.ts'
import { type RunDirectory, readRun, removeIfPossible, runDirectory } from '../runs/run-directory.ts'
import { withShardQueue } from './connection.ts'
import { mergeRuns } from './merge.ts'
import { type QueuedRun, recordPath } from './queued-run.ts'
import { sharedRuntimes } from './rate-limit.ts'
import { readRunIdIn, restoreRun, withoutResults } from './restore.ts'
import { createSigner, openEnd, type ProvedRun, proveRun, type ShardEnd } from './shard-task.ts'
import { formatQueuedStatus } from './status.ts'

const HEARTBEAT_MS = 30_000

/** Waits until every shard is finished, reporting progress. Throws the reason of a stop. */
async function waitForShards(board: ShardQueue, { jobs, url }: QueuedRun, settings: RunSettings): Promise<void> {
  const { clock } = DEFAULT_RUNTIME
  const limit = createDeadline(settings.signal, settings.timeoutMs, clock)
  const note = (text: string, action: Action | null = null): void => settings.observers?.emit('onNote', text, action)
  const ended = new Set<string>()
  const shardOf = (id: string): string => `shard ${jobs.indexOf(id) + 1}/${jobs.length}`
  const onNotice = ({ id, status, text }: Notice): void => {
    if (status !== 'progress') ended.add(id)
    if (status === 'progress') note(`${shardOf(id)}: ${text}`)
    else note(`${shardOf(id)} ${status === 'completed' ? 'is done' : `was given up: ${text}`} (${ended.size} of ${jobs.length})`)
  }
  const heart = new AbortController()
  const beat = async (): Promise<void> => {
    for (;;) {
      const status = await board.status(jobs)
      note(formatQueuedStatus(status), status.workers === 0 ? action('worker', '--queue', url) : null)
      await clock.sleep(HEARTBEAT_MS, heart.signal)
    }
  }
  beat().catch(() => {})
  const pause = (ms: number, signal: AbortSignal): Promise<void> => clock.sleep(ms, signal).catch(() => {})
  try {
    await board.wait(jobs, { signal: limit.signal, pause, onNotice })
  } finally {
    heart.abort()
    limit.clear()
  }
}

/**
 * Waits for the shards of a list, merges them and removes them from the queue. Throws the reason of a stop with the command to
 * continue, and the errors of failed shards.
 */
export function collectShards(connected: Connected, run: QueuedRun, settings: RunSettings): Promise<RunResult> {
  const runtimes = sharedRuntimes(connected)
  return withShardQueue(connected, async board => {
    await waitForShards(board, run, settings).catch(error => {
      // An error that waiting cannot fix keeps its own hint.
      const canWait = FettleError.is(error) && error.kind !== 'usage'
      throw canWait
        ? new FettleError(error.code, error.message, {
            hint: 'The workers continue. Collect the list to wait again.',
            action: action('collect', run.runId),
            cause: error,
          })
        : error
    })
    const { failed, missing } = await board.status(run.jobs)
    if (failed.length > 0)
      throw new FettleError('FETTLE_QUEUE', `shards given up: ${failed.length} of ${run.jobs.length}: ${failed[0]?.why}`, {
        hint: 'Fix the cause, then run the original command again with the same options.',
        action: suggestRerun(run),
      })
    if (missing.length > 0)
      throw new FettleError('FETTLE_QUEUE', `shards no longer in the queue: ${missing.length} of ${run.jobs.length}`, {
        hint: 'If another process has already merged the list, nothing is left to do; otherwise run the same command again. List the runs.',
        action: action('runs'),
      })
    const signer = await createSigner(run.identity, settings)
    const ends = await board.ends(run.jobs)
    const { path } = runDirectory(settings.runsDir, run.runId)
    const jobs = run.jobs.map((id, at) => {
      const { fingerprints, chosen } = run.submitted ?? {}
      return { id, end: ends[at], fingerprint: fingerprints?.[at], chosen: chosen?.[at], folder: shardFolder(path, at + 1) }
    })
    const all = { ...settings, runtime: runtimes.of(run.identity) }
    // Two at once would write the same runs.
    const shards = await withLock(run.pipeline, settings, () =>
      gatherShards(connected, jobs, { identity: run.identity, signer }, all),
    )
    const result = await mergeRuns(shards, settings, { runId: run.runId, own: run.submitted?.own })
    if (result.state.finished) await clearMerged(connected, { ...run, runId: result.state.runId }, settings)
    return result
  }).finally(() => runtimes.close())
}

/** The command that finds the same shards. Another number of shards, or another queue, would mean new shards, charged again. */
export const suggestRerun = ({ file, url, name, jobs }: QueuedRun): Action =>
  action('run', file, '--queue', url, ...(name === 'fettle' ? [] : ['--queue-name', name]), '--shards', String(jobs.length))

/** Removes the merged shards of a list from its queue, then the local record; shards submitted later under the same names stay. */
export async function clearMerged(
  connected: Connected,
  { runId, jobs, identity }: QueuedRun,
  settings: RunSettings,
): Promise<void> {
  const { runsDir } = settings
  const signer = await createSigner(identity, settings)
  const merged = readJournal(runDirectory(runsDir, runId).journal).events.flatMap(event =>
    event.type === 'run.started' ? (event.merged?.runs ?? []) : [],
  )
  await withShardQueue(connected, async board => {
    for (const id of jobs) {
      const { lines } = await readLines(connected, id, signer)
      if (lines.length > 0 && merged.includes(readRunIdIn(lines))) await board.drop([id])
    }
  })
  const { path } = runDirectory(runsDir, runId)
  for (const [at] of jobs.entries()) removeIfPossible(shardFolder(path, at + 1))
  await removeFile(recordPath(runsDir, runId))
}

/** A shard in the queue: its job, the end that a worker recorded, and the digest of its plan if this machine submitted it. */
interface GatheredShard {
  readonly id: string
  readonly end: unknown
  readonly fingerprint?: string | undefined
  /** With `reuse`: the rows that are sent, and the folder of their choice. */
  readonly chosen?: ChosenEvent | undefined
  readonly folder: string
}

/**
 * Restores the run of each shard here and returns the run ids. Throws FETTLE_QUEUE_SIGNATURE for a journal or an end that this account
 * did not write for the shard, and service errors when a result is downloaded again.
 */
export async function gatherShards(
  connected: Connected,
  jobs: readonly GatheredShard[],
  { identity, signer }: { readonly identity: string; readonly signer: Signer },
  settings: RunSettings,
): Promise<string[]> {
  const runs: string[] = []
  for (const { id, end, fingerprint, chosen, folder } of jobs) {
    settings.signal.throwIfAborted()
    const { lines } = await readLines(connected, id, signer)
    if (lines.length === 0)
      throw new FettleError('FETTLE_QUEUE', `the queue no longer has the journal of ${id}`, {
        hint: 'If another process has already merged the list, nothing is left to do; otherwise run the same command again. List the runs.',
        action: action('runs'),
      })
    const run = proveRun(lines, { jobId: id, identity, fingerprint, chosen })
    runs.push(await gather(run, lines, openEnd(connected, id, end, signer), settings))
    if (chosen !== undefined) await linkChoice(folder, runDirectory(settings.runsDir, run.runId))
  }
  const bad = runs.flatMap(run => explainFailure(readRun(settings.runsDir, run)))
  if (bad.length > 0) throw errorOfIssues(bad)
  return runs
}

/** Gives the run of a shard its whole choice: its worker has a part of it. Throws FETTLE_OUTPUT_WRITE. */
async function linkChoice(folder: string, { path }: RunDirectory): Promise<void> {
  await linkOrCopy(choicePath(folder), choicePath(path)).catch((cause: Error) => {
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot copy ${choicePath(folder)}: ${cause.message}`, { cause })
  })
}

async function gather(
  { runId, plan }: ProvedRun,
  lines: readonly string[],
  end: ShardEnd | null,
  settings: RunSettings,
): Promise<string> {
  const { runsDir } = settings
  const directory = runDirectory(runsDir, runId)
  if (await isComplete(directory, runsDir, plan)) return runId
  await restoreRun(runsDir, runId, lines)
  if (end?.runId === runId) await copyReceived(readRun(runsDir, runId), end.directory, directory)
  if (await isComplete(directory, runsDir, plan)) return runId
  settings.observers?.emit('onNote', `fetching the result of ${runId} again: its worker's folder cannot be read here`)
  await restoreRun(runsDir, runId, withoutResults(lines))
  const { state } = await resumeRun(runId, settings)
  if (!state.finished && state.error !== null)
    throw new FettleError(state.error.code as FettleError['code'], state.error.message, { hint: state.error.hint })
  return runId
}

/** Whether the run is complete here: same plan, finished, every received file with its digest. */
async function isComplete({ id, path }: RunDirectory, runsDir: string, { fingerprint }: Plan): Promise<boolean> {
  try {
    const { finished, jobs, plan } = readRun(runsDir, id)
    if (!finished || plan.fingerprint !== fingerprint) return false
    for (const { part, received } of jobs)
      if (received !== null && !(await isAsReceived(receivedPath(path, part), received))) return false
    return true
  } catch (error) {
    if (FettleError.is(error)) return false
    throw error
  }
}

/** Copies the received files from the directory of the worker, as far as they exist. The caller compares their digests. */
async function copyReceived({ jobs }: RunState, from: string, to: RunDirectory): Promise<void> {
  for (const { part, received } of jobs) {
    if (received === null) continue
    await linkOrCopy(receivedPath(from, part), receivedPath(to.path, part)).catch(() => {})
  }
}

function explainFailure({ plan, runId, status, error }: RunState) {
  if (status !== 'error' && status !== 'fail') return []
  const which = plan.shard === undefined ? runId : `the shard ${plan.shard.number}/${plan.shard.of} (run ${runId})`
  const code = (error?.code ?? 'FETTLE_SHARD') as FettleError['code']
  const hint = 'Fix the cause, then run the same command again: failed shards start again, the others are kept.'
  return [issue(code, `${which} ended in an error${error === null ? '' : `: ${error.message}`}`, { hint })]
}
