/**
 * The shards of a list brought together from a queue: their journals as the queue keeps them, what came back for them from the
 * folder of the worker where that can be read, and otherwise from the service once more, which costs nothing.
 */
import { copyFile, link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { action, errorOfIssues, FettleError, issue } from '../../errors.ts'
import { fileDigest } from '../../files/digest.ts'
import type { RunState } from '../../journal/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import { type Connected, readLines } from '../../queue/index.ts'
import type { RunSettings } from '../execution/execute.ts'
import { resumeRun } from '../execution/start.ts'
import { type RunDirectory, readRun, runDirectory } from '../runs/run-directory.ts'
import { restoreRun, withoutResults } from './restore.ts'
import { readEnd, type ShardEnd } from './shard-task.ts'
import { type ProvedRun, proveLines } from './verify-task.ts'

/** A shard in the queue: its job, what a worker said of its end, and the digest of its plan where this machine submitted it. */
export interface GatheredShard {
  readonly id: string
  readonly end: unknown
  readonly fingerprint?: string | undefined
}

/**
 * Brings the shard of each job here; returns the ids of their runs. Throws FETTLE_JOURNAL_DAMAGED for a journal that is not one of the
 * shard and of `identity`, and what the service says of a result that it is asked for again.
 */
export async function gatherShards(
  connected: Connected,
  jobs: readonly GatheredShard[],
  identity: string,
  settings: RunSettings,
): Promise<string[]> {
  const runs: string[] = []
  for (const { id, end, fingerprint } of jobs) {
    settings.signal.throwIfAborted()
    const lines = await readLines(connected, id)
    if (lines.length === 0)
      throw new FettleError('FETTLE_QUEUE', `the queue no longer has the journal of ${id}`, {
        hint: 'If another process has already merged the list, nothing is left to do; otherwise run the same command again. List the runs.',
        action: action('runs'),
      })
    const run = proveLines(lines, { jobId: id, identity, fingerprint })
    runs.push(await gather(run, lines, readEnd(end), settings))
  }
  const bad = runs.flatMap(run => badEnd(readRun(settings.runsDir, run)))
  if (bad.length > 0) throw errorOfIssues(bad)
  return runs
}

async function gather(
  { runId, plan }: ProvedRun,
  lines: readonly string[],
  end: ShardEnd | null,
  settings: RunSettings,
): Promise<string> {
  const { runsDir } = settings
  const directory = runDirectory(runsDir, runId)
  if (await isHere(directory, runsDir, plan)) return runId
  await restoreRun(runsDir, runId, lines)
  if (end?.runId === runId) await bring(readRun(runsDir, runId), end.directory, directory)
  if (await isHere(directory, runsDir, plan)) return runId
  settings.observers?.emit('onNote', `fetching the result of ${runId} again: its worker's folder cannot be read here`)
  await restoreRun(runsDir, runId, withoutResults(lines))
  const { state } = await resumeRun(runId, settings)
  if (!state.finished && state.error !== null)
    throw new FettleError(state.error.code as FettleError['code'], state.error.message, { hint: state.error.hint })
  return runId
}

/** Whether the run is here, of that plan and at its end, with all that came back. */
async function isHere({ id, path }: RunDirectory, runsDir: string, { fingerprint }: Plan): Promise<boolean> {
  try {
    const { finished, jobs, plan } = readRun(runsDir, id)
    if (!finished || plan.fingerprint !== fingerprint) return false
    for (const { part, received } of jobs)
      if (received !== null && (await fileDigest(join(path, `enriched-${part}.csv`))) !== received.sha256) return false
    return true
  } catch (error) {
    if (FettleError.is(error)) return false
    throw error
  }
}

/** Takes what came back from the folder of the worker, as far as it is there; whether it is the same is looked at by whoever asks. */
async function bring({ jobs }: RunState, from: string, to: RunDirectory): Promise<void> {
  for (const { part, received } of jobs) {
    if (received === null) continue
    const name = `enriched-${part}.csv`
    await rm(join(to.path, name), { force: true })
    await link(join(from, name), join(to.path, name))
      .catch(() => copyFile(join(from, name), join(to.path, name)))
      .catch(() => {})
  }
}

function badEnd({ plan, runId, status, error }: RunState) {
  if (status !== 'error' && status !== 'fail') return []
  const which = plan.shard === undefined ? runId : `the shard ${plan.shard.number}/${plan.shard.of} (run ${runId})`
  const code = (error?.code ?? 'FETTLE_SHARD') as FettleError['code']
  const hint = 'Cure it, then run the same again: what ended in an error is carried out anew, the others are kept.'
  return [issue(code, `${which} ended in an error${error === null ? '' : `: ${error.message}`}`, { hint })]
}
