/** The local record of a list whose shards are in a queue: a run directory without a journal, until the shards are merged. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ChosenEvent } from '../execution/run-settings.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import type { LiveSettings, RunArgs } from '../journal/index.ts'
import type { Plan } from '../pipeline/index.ts'
import { QUEUE_FILE } from '../results/file-names.ts'
import { type QueueRecord, readQueueRecord } from '../runs/open-runs.ts'
import { listRunIds, readRun, runDirectory } from '../runs/run-directory.ts'
import type { QueuedSpending } from '../spending/spending.ts'

export interface QueuedRun extends QueueRecord {
  readonly runId: string
  readonly pipeline: string
  readonly file: string
  /** Address and name of the queue; the address without a password. */
  readonly url: string
  readonly name: string
  /** What was submitted here, so that nothing of it is read from Redis. Absent in older records. */
  readonly submitted?: Submitted
  /** Absent in older records. */
  readonly spending?: QueuedSpending
}

export interface Submitted {
  readonly fingerprints: readonly string[]
  /** With `reuse`: the rows of each shard that are sent. */
  readonly chosen?: readonly ChosenEvent[]
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

/** The record of the run `id`, also while it is merged; null without one. Throws FETTLE_JOURNAL_DAMAGED. */
export function shardsLeftInQueue(runsDir: string, id: string): QueuedRun | null {
  const record = readQueueRecord(runsDir, id)
  return record && { ...(record as QueuedRun), runId: id }
}

type Wanted = Pick<QueuedRun, 'pipeline' | 'url' | 'name' | 'jobs'>

/** The record of a list in a queue, also of an interrupted merge unless `fresh`; null for none. */
export function findQueuedRun(runsDir: string, wanted: Wanted, fresh: boolean): QueuedRun | null {
  for (const id of listRunIds(runsDir, wanted.pipeline)) {
    const found = !fresh && isMerging(runsDir, id) ? shardsLeftInQueue(runsDir, id) : queuedRun(runsDir, id)
    if (found !== null && found.url === wanted.url && found.name === wanted.name && String(found.jobs) === String(wanted.jobs))
      return found
  }
  return null
}

/** Records a list in the directory of its run. Throws FETTLE_OUTPUT_WRITE. */
export async function saveQueuedRun(runsDir: string, run: Omit<QueuedRun, 'version'>): Promise<QueuedRun> {
  const kept: QueuedRun = { version: 1, ...run }
  await writeAtomic(recordPath(runsDir, run.runId), `${JSON.stringify(kept)}\n`)
  return kept
}

/** Whether a merge started and is not finished; false for a run that recorded nothing or cannot be read. */
function isMerging(runsDir: string, id: string): boolean {
  try {
    return !readRun(runsDir, id).finished
  } catch {
    return false
  }
}
