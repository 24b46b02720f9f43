/**
 * Gathers the shards of a list from a queue: the journals from the queue, the received files from the directory of the worker, or
 * again from the service, which is free.
 */
import { action, errorOfIssues, FettleError, issue } from '../../errors.ts'
import type { RunState } from '../../journal/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import { type Connected, readLines, type Signer } from '../../queue/index.ts'
import { linkOrCopy, receivedPath } from '../../results/file-names.ts'
import { isAsReceived } from '../../results/index.ts'
import { choicePath } from '../../reuse/files/choice.ts'
import type { ChosenEvent, RunSettings } from '../execution/run-settings.ts'
import { resumeRun } from '../execution/start.ts'
import { type RunDirectory, readRun, runDirectory } from '../runs/run-directory.ts'
import { restoreRun, withoutResults } from './restore.ts'
import { openEnd, type ShardEnd } from './shard-task.ts'
import { type ProvedRun, proveRun } from './verify-task.ts'

/** A shard in the queue: its job, the end that a worker recorded, and the digest of its plan if this machine submitted it. */
export interface GatheredShard {
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
  const bad = runs.flatMap(run => failureOf(readRun(settings.runsDir, run)))
  if (bad.length > 0) throw errorOfIssues(bad)
  return runs
}

/** Gives the run of a shard its whole choice, of which its worker has a part. Throws FETTLE_OUTPUT_WRITE. */
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

function failureOf({ plan, runId, status, error }: RunState) {
  if (status !== 'error' && status !== 'fail') return []
  const which = plan.shard === undefined ? runId : `the shard ${plan.shard.number}/${plan.shard.of} (run ${runId})`
  const code = (error?.code ?? 'FETTLE_SHARD') as FettleError['code']
  const hint = 'Fix the cause, then run the same command again: failed shards start again, the others are kept.'
  return [issue(code, `${which} ended in an error${error === null ? '' : `: ${error.message}`}`, { hint })]
}
