/** Runs the shards of a queue in this process until it is stopped. */

import { type Env, readServiceUrl } from '../env/environment.ts'
import { FettleError } from '../errors.ts'
import { checkServiceUrl } from '../pipeline/index.ts'
import { runWorker } from '../queue/index.ts'
import { checkQueue, type QueueConnectionOptions, withQueue } from './connection.ts'
import { proveInputPlace } from './input-sources.ts'
import { sharedRuntimes } from './rate-limit.ts'
import { runShard, type WorkerContext } from './run-shard.ts'

export interface WorkerSettings extends Omit<WorkerContext, 'runtimes' | 'service'> {
  readonly queue: QueueConnectionOptions
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly onWord: (text: string) => void
}

/**
 * The service that the credentials of this worker are sent to. Throws FETTLE_SETTINGS when the environment has none: an address
 * from Redis must never receive a password.
 */
function serviceOf(env: Env): string {
  const own = readServiceUrl(env)
  if (own === null)
    throw new FettleError(
      'FETTLE_SETTINGS',
      'FETTLE_URL is not set: a worker sends its credentials to that service and to no other',
      {
        hint: 'Set FETTLE_URL to the address of the service that lists are submitted for.',
      },
    )
  const checked = checkServiceUrl(own, true)
  if ('url' in checked) return checked.url
  throw new FettleError('FETTLE_SETTINGS', `the address in FETTLE_URL ${checked.problem}`, {
    hint: 'Give https://host/v1.',
  })
}

/** Runs shards until `signal` is aborted. Throws when the queue is not usable or this worker cannot run any shard. */
export function runQueueWorker(settings: WorkerSettings): Promise<void> {
  for (const place of settings.inputsFrom) proveInputPlace(place)
  return withQueue(settings.queue, settings.env, async connected => {
    await checkQueue(connected, settings.onWord)
    const service = serviceOf(settings.env)
    const runtimes = sharedRuntimes(connected)
    const { url, name } = connected.address
    settings.onWord(`waiting for shards in the queue ${name} at ${url}`)
    let trouble = ''
    try {
      await runWorker(connected, {
        concurrency: settings.concurrency,
        signal: settings.signal,
        run: async (task, lease, signal) => {
          const result = await runShard(connected, task, lease, { ...settings, service, runtimes, signal })
          const how =
            result.status === 'completed' ? 'done' : `${result.status === 'failed' ? 'given up' : 'handed over'}: ${result.why}`
          settings.onNote(lease.job.id ?? '', how)
          return result
        },
        onTrouble: message => {
          if (message !== trouble) settings.onWord(`the queue: ${message}`)
          trouble = message
        },
      })
    } finally {
      await runtimes.close()
    }
  })
}
