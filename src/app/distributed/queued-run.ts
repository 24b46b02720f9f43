/** What is kept here of a list whose shards are in a queue: a run directory without a journal, until it is merged. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import type { LiveSettings, RunArgs } from '../../journal/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import { listRunIds, makeRunDirectory, newRunId, readRun, runDirectory } from '../runs/run-directory.ts'

/** A list in a queue. */
export interface QueuedRun {
  readonly version: 1
  readonly runId: string
  readonly pipeline: string
  readonly file: string
  /** Who is asked, as runs keep it. */
  readonly identity: string
  /** Address and name of the queue; the address without a password. */
  readonly url: string
  readonly name: string
  /** The jobs of its shards, in their order. */
  readonly jobs: readonly string[]
  /** What the list is, as it was submitted here: nothing of it is taken from Redis. Absent from a record of before it was kept. */
  readonly submitted?: Submitted
}

/** What of a list is not taken from Redis: digests of the plans of its shards, and what those leave out. */
export interface Submitted {
  readonly fingerprints: readonly string[]
  readonly own: OwnParts
}

/** The parts of a plan that its fingerprint leaves out, and the command line. */
export interface OwnParts {
  readonly plan: LiveSettings & Pick<Plan, 'file' | 'description' | 'tags' | 'issues'>
  readonly args: RunArgs
}

/** Where the record of a list is kept. */
export const recordPath = (runsDir: string, id: string): string => join(runDirectory(runsDir, id).path, 'queue.json')

/** The run `id` while it is in a queue, null once it has a journal, and for any other. Throws FETTLE_JOURNAL_DAMAGED. */
export const queuedRun = (runsDir: string, id: string): QueuedRun | null =>
  existsSync(runDirectory(runsDir, id).journal) ? null : shardsLeftInQueue(runsDir, id)

/** The record of the run `id`, which is there until its shards are out of the queue; null for any other. Throws FETTLE_JOURNAL_DAMAGED. */
export function shardsLeftInQueue(runsDir: string, id: string): QueuedRun | null {
  const file = recordPath(runsDir, id)
  if (!existsSync(file)) return null
  try {
    const run = JSON.parse(readFileSync(file, 'utf8')) as QueuedRun
    if (run.version === 1 && Array.isArray(run.jobs)) return { ...run, runId: id }
  } catch {
    // Told below.
  }
  throw new FettleError('FETTLE_JOURNAL_DAMAGED', `cannot read ${file}: it does not tell what is in the queue`, {
    hint: 'Remove the folder, and run the same again: it finds the shards in the queue.',
  })
}

/** The record of the list: the one that is there, also of a merge that was interrupted unless all is to be `fresh`, or a new one. */
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

/** Whether the run began to merge and did not come to its end; one that recorded nothing, or cannot be read, began nothing. */
function isMerging(runsDir: string, id: string): boolean {
  try {
    return !readRun(runsDir, id).finished
  } catch {
    return false
  }
}
