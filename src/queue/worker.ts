/**
 * A worker: it takes shards from a queue, one or a few at a time, has them carried out, and tells the queue what became of them.
 * Told to stop it takes no more and hands on what it holds. How a shard is carried out is the caller's.
 */
import type { Job } from 'bullmq'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import type { Lease } from './journal-replica.ts'
import { MOST_DEATHS, PREFIX } from './shard-queue.ts'

/** Measured with these: a shard goes on with another worker some 6 seconds after its own was killed. */
const LOCK_MS = 5_000
const STALLED_MS = 3_000

/**
 * How a shard left the hands of a worker: at its end, to be tried again by anybody, for good, or because it is the worker that
 * cannot carry out any of them.
 */
export type ShardResult =
  | { readonly is: 'done'; readonly end: unknown }
  | { readonly is: 'again'; readonly why: string }
  | { readonly is: 'over'; readonly why: string }
  | { readonly is: 'unfit'; readonly why: string; readonly error: FettleError }

/** What a worker does. */
export interface WorkerTask {
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Carries a shard out; `signal` is aborted when the worker is told to stop, or has lost its hold. */
  readonly carry: (task: unknown, hold: Lease, signal: AbortSignal) => Promise<ShardResult>
  /** The connection was lost, or the queue complains. */
  readonly onTrouble: (message: string) => void
}

/** What the process that waits for the shard is to print. A queue that does not take it keeps nothing from going on. */
const tell = async (job: Job, text: string): Promise<void> => {
  await job.updateProgress(text).catch(() => {})
}

/** Takes shards until `signal` is aborted and what was held is out of hand. Throws why the worker is unfit for any. */
export async function runWorker({ engine, redis, address }: Connected, work: WorkerTask): Promise<void> {
  const holds = new Map<string, AbortController>()
  const unfit = new AbortController()
  const over = AbortSignal.any([work.signal, unfit.signal])

  const carry = async (job: Job, token: string): Promise<unknown> => {
    const id = job.id ?? ''
    const lost = new AbortController()
    holds.set(id, lost)
    try {
      const left = await work.carry(job.data, { job, token, lockMs: LOCK_MS }, AbortSignal.any([over, lost.signal]))
      if (left.is === 'done') return left.end
      if (left.is === 'over') throw new engine.UnrecoverableError(left.why)
      if (left.is === 'unfit') {
        unfit.abort(left.error)
        await tell(job, `a worker stopped: ${left.why}`)
      }
      if (!over.aborted) {
        await tell(job, `it is tried again: ${left.why}`)
        throw new Error(left.why)
      }
      // Handed on: the next worker has it at once.
      await job.moveToWait(token)
      throw new engine.WaitingError()
    } finally {
      holds.delete(id)
    }
  }

  const worker = new engine.Worker(address.name, (job, token = '') => carry(job, token), {
    connection: redis,
    prefix: PREFIX,
    concurrency: work.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_MS,
    maxStalledCount: MOST_DEATHS,
  })
  worker.on('error', error => work.onTrouble(error.message))
  worker.on('lockRenewalFailed', ids => {
    for (const id of ids)
      holds.get(id)?.abort(new FettleError('FETTLE_LOCKED', `the hold on ${id} is lost: another worker may have it by now`))
  })
  await new Promise<void>(stopped => {
    if (over.aborted) stopped()
    else over.addEventListener('abort', () => stopped(), { once: true })
  })
  await worker.close()
  if (!work.signal.aborted) throw unfit.signal.reason
}
