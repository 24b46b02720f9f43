/** The local record of a list whose shards are in a queue: a run directory without a journal, until the shards are merged. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import type { LiveSettings, RunArgs } from '../../journal/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import { QUEUE_FILE } from '../../results/file-names.ts'
import { listRunIds, makeRunDirectory, newRunId, readRun, runDirectory } from '../runs/run-directory.ts'
import type { QueuedSpending } from '../runs/spending.ts'

export interface QueuedRun {
  readonly version: 1
  readonly runId: string
  readonly pipeline: string
  readonly file: string
  readonly identity: string
  /** Address and name of the queue; the address without a password. */
  readonly url: string
  readonly name: string
  /** The jobs of its shards, in their order. */
  readonly jobs: readonly string[]
  /** What was submitted here, so that nothing of it is read from Redis. Absent in older records. */
  readonly submitted?: Submitted
  /** Absent in older records. */
  readonly spending?: QueuedSpending
}

export interface Submitted {
  readonly fingerprints: readonly string[]
  readonly own: OwnParts
}

export interface OwnParts {
  readonly plan: LiveSettings & Pick<Plan, 'file' | 'description' | 'tags' | 'issues'>
  readonly args: RunArgs
}

export const recordPath = (runsDir: string, id: string): string => join(runDirectory(runsDir, id).path, QUEUE_FILE)

/** The run `id` while it is in a queue; null once it has a journal, and for any other run. Throws FETTLE_JOURNAL_DAMAGED. */
export const queuedRun = (runsDir: string, id: string): QueuedRun | null =>
  existsSync(runDirectory(runsDir, id).journal) ? null : shardsLeftInQueue(runsDir, id)

/**
 * The record of the run `id`, which exists until its shards are removed from the queue; null otherwise. Throws
 * FETTLE_JOURNAL_DAMAGED.
 */
export function shardsLeftInQueue(runsDir: string, id: string): QueuedRun | null {
  const file = recordPath(runsDir, id)
  if (!existsSync(file)) return null
  try {
    const run = JSON.parse(readFileSync(file, 'utf8')) as QueuedRun
    if (run.version === 1 && Array.isArray(run.jobs)) return { ...run, runId: id }
  } catch {}
  throw new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read ${file}: it does not name the shards in the queue`, {
    hint: 'Remove the folder and run the same command again: it finds the shards in the queue.',
  })
}

/** Returns the existing record of the list, also of an interrupted merge unless `fresh`, or writes a new one. */
export async function saveQueuedRun(
  runsDir: string,
  run: Omit<QueuedRun, 'version' | 'runId'>,
  { now, fresh }: { readonly now: number; readonly fresh: boolean },
): Promise<{ readonly run: QueuedRun; readonly isNew: boolean }> {
  for (const id of listRunIds(runsDir, run.pipeline)) {
    const found = !fresh && isMerging(runsDir, id) ? shardsLeftInQueue(runsDir, id) : queuedRun(runsDir, id)
    if (found !== null && found.url === run.url && found.name === run.name && String(found.jobs) === String(run.jobs))
      return { run: found, isNew: false }
  }
  const runId = newRunId(runsDir, run.pipeline, now)
  await makeRunDirectory(runsDir, runId)
  const kept: QueuedRun = { version: 1, runId, ...run }
  await writeAtomic(recordPath(runsDir, runId), `${JSON.stringify(kept)}\n`)
  return { run: kept, isNew: true }
}

/** Whether a merge started and is not finished; false for a run that recorded nothing or cannot be read. */
function isMerging(runsDir: string, id: string): boolean {
  try {
    return !readRun(runsDir, id).finished
  } catch {
    return false
  }
}
