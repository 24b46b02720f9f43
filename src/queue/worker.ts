/**
 * A worker: takes shards from a queue, one or a few at a time, runs them through `run`, and reports the result to the queue. On a
 * stop it takes no more shards and hands over those it holds.
 */
import type { Job } from 'bullmq'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import type { Lease } from './journal-replica.ts'
import { MOST_DEATHS, PREFIX } from './shard-queue.ts'

/** Measured: with these values another worker continues a shard about 6 seconds after its worker was killed. */
const LOCK_MS = 5_000
const STALLED_MS = 3_000

/** `retry`: by any worker. `failed`: no attempt can succeed. `workerUnusable`: this worker can run no shard at all. */
export type ShardResult =
  | { readonly status: 'completed'; readonly end: unknown }
  | { readonly status: 'retry'; readonly why: string }
  | { readonly status: 'failed'; readonly why: string }
  | { readonly status: 'workerUnusable'; readonly why: string; readonly error: FettleError }

interface WorkerTask {
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Runs a shard; `signal` is aborted when the worker stops, or has lost its lease. */
  readonly run: (task: unknown, lease: Lease, signal: AbortSignal) => Promise<ShardResult>
  readonly onTrouble: (message: string) => void
}

/** Sends a line to the process that waits for the shard. A failure is ignored. */
const notify = async (job: Job, text: string): Promise<void> => {
  await job.updateProgress(text).catch(() => {})
}

/** Runs shards until `signal` is aborted and the shards it holds are handed over. Throws the error of an unusable worker. */
export async function runWorker({ engine, redis, address }: Connected, task: WorkerTask): Promise<void> {
  const leases = new Map<string, AbortController>()
  const unusable = new AbortController()
  const stop = AbortSignal.any([task.signal, unusable.signal])

  const runJob = async (job: Job, token: string): Promise<unknown> => {
    const id = job.id ?? ''
    const lost = new AbortController()
    leases.set(id, lost)
    try {
      const result = await task.run(job.data, { job, token, lockMs: LOCK_MS }, AbortSignal.any([stop, lost.signal]))
      if (result.status === 'completed') return result.end
      if (result.status === 'failed') throw new engine.UnrecoverableError(result.why)
      if (result.status === 'workerUnusable') {
        unusable.abort(result.error)
        await notify(job, `a worker stopped: ${result.why}`)
      }
      if (!stop.aborted) {
        await notify(job, `it will be retried: ${result.why}`)
        throw new Error(result.why)
      }
      // Handed over: the next worker can take it at once.
      await job.moveToWait(token)
      throw new engine.WaitingError()
    } finally {
      leases.delete(id)
    }
  }

  const worker = new engine.Worker(address.name, (job, token = '') => runJob(job, token), {
    connection: redis,
    prefix: PREFIX,
    concurrency: task.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_MS,
    maxStalledCount: MOST_DEATHS,
  })
  worker.on('error', error => task.onTrouble(error.message))
  worker.on('lockRenewalFailed', ids => {
    for (const id of ids)
      leases.get(id)?.abort(new FettleError('FETTLE_LOCKED', `the lease of ${id} is lost: another worker may hold it by now`))
  })
  await new Promise<void>(stopped => {
    if (stop.aborted) stopped()
    else stop.addEventListener('abort', () => stopped(), { once: true })
  })
  await worker.close()
  if (!task.signal.aborted) throw unusable.signal.reason
}
