/** The status of a list in a queue. */
import type { Connected, QueuedShardStatus } from '../queue/index.ts'
import { counted } from '../report/words.ts'
import { withShardQueue } from './connection.ts'
import type { QueuedRun } from './queued-run.ts'
import { isBadEnd, readShownEnd } from './shard-task.ts'

export function queuedStatus(connected: Connected, { jobs }: QueuedRun): Promise<QueuedShardStatus & { readonly bad: number }> {
  return withShardQueue(connected, async board => {
    const ends = await board.ends(jobs)
    return { ...(await board.status(jobs)), bad: ends.filter(end => isBadEnd(readShownEnd(end))).length }
  })
}

export const formatQueuedStatus = ({ done, active, waiting, failed, missing, workers }: QueuedShardStatus): string =>
  [
    `${counted(done, 'shard')} done, ${active} running, ${waiting} waiting`,
    ...(failed.length === 0 ? [] : [`${failed.length} given up`]),
    ...(missing.length === 0 ? [] : [`${missing.length} no longer in the queue`]),
    ...(workers === null ? [] : [workers === 0 ? 'no worker is running' : counted(workers, 'worker')]),
  ].join('; ')
