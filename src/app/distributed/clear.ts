/** Removes the merged shards of a list from the queue; shards submitted later under the same names stay. */
import { rm } from 'node:fs/promises'
import { readJournal } from '../../journal/index.ts'
import { type Connected, readLines } from '../../queue/index.ts'
import { runDirectory } from '../runs/run-directory.ts'
import { withShardQueue } from './connection.ts'
import { type QueuedRun, recordPath } from './queued-run.ts'
import { runIdOf } from './restore.ts'

/** Removes the shards of a merged list from its queue, then the local record. */
export async function clearMerged(connected: Connected, { runId, jobs }: QueuedRun, runsDir: string): Promise<void> {
  const merged = readJournal(runDirectory(runsDir, runId).journal).events.flatMap(event =>
    event.type === 'run.started' ? (event.merged?.runs ?? []) : [],
  )
  await withShardQueue(connected, async board => {
    for (const id of jobs) {
      const lines = await readLines(connected, id)
      if (lines.length > 0 && merged.includes(runIdOf(lines))) await board.drop([id])
    }
  })
  await rm(recordPath(runsDir, runId), { force: true })
}
