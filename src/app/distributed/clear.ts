/**
 * What a list leaves in the queue once it is merged, taken out: only the shards that were merged, for under the same names others may
 * have been posted since. It merges nothing.
 */
import { rm } from 'node:fs/promises'
import { readJournal } from '../../journal/index.ts'
import { type Connected, readLines } from '../../queue/index.ts'
import { runDirectory } from '../runs/run-directory.ts'
import { withShardQueue } from './connection.ts'
import { type QueuedRun, recordPath } from './queued-run.ts'
import { runIdOf } from './restore.ts'

/** Takes the shards of a merged list out of its queue, and then the record of it away. */
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
