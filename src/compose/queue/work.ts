/** A worker process: connected, its Redis looked at, taking shards until it is told to stop. */
import { workAt } from '../../queue/index.ts'
import { carryShard, type WorkerPlace } from './carry-shard.ts'
import { proveQueue, type QueuePlace, withQueue } from './place.ts'
import { sharedWorlds } from './turns.ts'

/** What a worker is given. */
export interface WorkerSettings extends Omit<WorkerPlace, 'worlds'> {
  readonly queue: QueuePlace
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Told what is about no shard. */
  readonly onWord: (text: string) => void
}

/** Works until `signal` is aborted. Throws what the queue is missing, and why this worker can carry out no shard. */
export function workForQueue(settings: WorkerSettings): Promise<void> {
  return withQueue(settings.queue, settings.env, async connected => {
    await proveQueue(connected, settings.onWord)
    const worlds = sharedWorlds(connected)
    const { url, name } = connected.address
    settings.onWord(`waiting for shards in the queue ${name} at ${url}`)
    let trouble = ''
    try {
      await workAt(connected, {
        concurrency: settings.concurrency,
        signal: settings.signal,
        carry: async (task, hold, signal) => {
          const left = await carryShard(connected, task, hold, { ...settings, worlds }, signal)
          const how = left.is === 'done' ? 'done' : `${left.is === 'over' ? 'given up' : 'handed on'}: ${left.why}`
          settings.onNote(hold.job.id ?? '', how)
          return left
        },
        onTrouble: message => {
          if (message !== trouble) settings.onWord(`the queue: ${message}`)
          trouble = message
        },
      })
    } finally {
      await worlds.close()
    }
  })
}
