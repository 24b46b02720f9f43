/**
 * The shards of a list brought together from a queue: their journals as the queue keeps them, what came back for them from the
 * folder of the worker where that can be read, and otherwise from the service once more, which costs nothing.
 */
import { copyFile, link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorOfIssues, FettleError, issue } from '../../errors.ts'
import { fileDigest } from '../../input/digest.ts'
import type { RunState } from '../../journal/index.ts'
import { type Connected, readLines } from '../../queue/index.ts'
import type { RunSettings } from '../carry-out.ts'
import { resumeRun } from '../lifecycle.ts'
import { type RunDirectory, readRun, runDirectory } from '../run-directory.ts'
import { restoreRun, runIdOf, withoutResults } from './restore.ts'
import { readEnd } from './task.ts'

/** Brings the shard of each job here; gives the ids of their runs. Throws what the service says of a result that it is asked for again. */
export async function gatherShards(
  connected: Connected,
  jobs: readonly { readonly id: string; readonly end: unknown }[],
  settings: RunSettings,
): Promise<string[]> {
  const runs: string[] = []
  for (const { id, end } of jobs) {
    settings.signal.throwIfAborted()
    const lines = await readLines(connected, id)
    if (lines.length === 0)
      throw new FettleError('FETTLE_QUEUE', `the queue no longer has the journal of ${id}`, {
        hint: 'If another process has merged the list already, nothing is left to do: see fettle runs.',
      })
    runs.push(await gather(lines, readEnd(end)?.directory ?? null, settings))
  }
  const bad = runs.flatMap(run => badEnd(readRun(settings.runsDir, run)))
  if (bad.length > 0) throw errorOfIssues(bad)
  return runs
}

async function gather(lines: readonly string[], from: string | null, settings: RunSettings): Promise<string> {
  const { runsDir } = settings
  const runId = runIdOf(lines)
  const directory = runDirectory(runsDir, runId)
  if (await isHere(directory, runsDir)) return runId
  await restoreRun(runsDir, lines)
  if (from !== null) await bring(readRun(runsDir, runId), from, directory)
  if (await isHere(directory, runsDir)) return runId
  settings.onNote?.(`fetching the result of ${runId} again: its worker's folder cannot be read here`)
  await restoreRun(runsDir, withoutResults(lines))
  const { state } = await resumeRun(runId, settings)
  if (!state.finished && state.error !== null)
    throw new FettleError(state.error.code as FettleError['code'], state.error.message, { hint: state.error.hint })
  return runId
}

/** Whether the run is here, at its end, with all that came back. */
async function isHere({ id, path }: RunDirectory, runsDir: string): Promise<boolean> {
  try {
    const { finished, jobs } = readRun(runsDir, id)
    if (!finished) return false
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
