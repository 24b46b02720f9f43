/** The queue of shards: each shard is a job of a unique name, so that submitting again finds the same jobs and waits for them. */
import type { Job, Queue } from 'bullmq'
import { orAborted } from '../abort.ts'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import { readable, shownText } from './errors.ts'
import { dropLines } from './journal-replica.ts'

export const PREFIX = 'fettle'

export interface QueuedShardStatus {
  readonly done: number
  readonly active: number
  readonly waiting: number
  readonly failed: readonly { readonly id: string; readonly why: string }[]
  readonly missing: readonly string[]
  /** Null when Redis does not list them. */
  readonly workers: number | null
}

interface QueuedShard {
  readonly id: string
  readonly task: unknown
}

export type Notice = { readonly id: string; readonly status: 'completed' | 'failed' | 'progress'; readonly text: string }

interface Waiting {
  readonly signal: AbortSignal
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onNotice: (notice: Notice) => void
}

/** Longest time without an event before the states are read again. */
const POLL_MS = 3_000

/** A shard that kills its workers is not passed on for ever: at most this many workers may die with it. */
export const MOST_DEATHS = 20

const RETRIES = { attempts: 360, backoff: { type: 'fixed', delay: 10_000 } }

export class ShardQueue {
  readonly #connected: Connected
  readonly #queue: Queue

  constructor(connected: Connected) {
    this.#connected = connected
    this.#queue = new connected.engine.Queue(connected.address.name, { connection: connected.redis, prefix: PREFIX })
    this.#queue.on('error', () => {})
  }

  /**
   * Enqueues missing shards, retries failed ones, and replaces completed ones whose end `isBad`; `fresh` replaces all.
   * All workers together run at most `atOnce` shards at a time. Throws FETTLE_LOCKED when a shard to replace is being run.
   */
  async post(
    shards: readonly QueuedShard[],
    { atOnce, fresh, isBad }: { atOnce: number; fresh: boolean; isBad: (id: string, end: unknown) => boolean },
  ): Promise<{ readonly found: number }> {
    if (fresh) await this.assertIdle(shards.map(({ id }) => id))
    const existing = await Promise.all(shards.map(({ id }) => this.#find(id)))
    return readable(`the queue ${this.#queue.name}`, async () => {
      // All ends are judged before anything is changed.
      const replaced = new Set(
        existing.flatMap((shard, at) => {
          const id = shards[at]!.id
          return shard !== null && (fresh || (shard.state === 'completed' && isBad(id, shard.job.returnvalue))) ? [id] : []
        }),
      )
      await this.#queue.setGlobalConcurrency(atOnce)
      let found = 0
      for (const [index, { id, task }] of shards.entries()) {
        const old = existing[index] ?? null
        if (replaced.has(id)) await this.drop([id])
        else if (old?.state === 'failed') await old.job.retry('failed')
        if (old !== null && !replaced.has(id)) found++
        else await this.#queue.add('shard', task, { jobId: id, ...RETRIES })
      }
      return { found }
    })
  }

  /** Throws FETTLE_LOCKED when a shard is being run. */
  async assertIdle(ids: readonly string[]): Promise<void> {
    const { active } = await this.status(ids)
    if (active > 0)
      throw new FettleError('FETTLE_LOCKED', `${active} of its shards are being run by workers and cannot be replaced`)
  }

  /** Throws FETTLE_QUEUE_SETTINGS for data that cannot be read. */
  #job(id: string): Promise<Job | undefined> {
    return readable(`the shard ${id}`, () => this.#queue.getJob(id))
  }

  #state(id: string): Promise<string> {
    return readable(`the shard ${id}`, () => this.#queue.getJobState(id))
  }

  async #find(id: string): Promise<{ job: Job; state: string } | null> {
    const job: Job | undefined = await this.#job(id)
    return job === undefined ? null : { job, state: await this.#state(id) }
  }

  async #failure(id: string): Promise<string> {
    return shownText((await this.#job(id))?.failedReason)
  }

  async status(ids: readonly string[]): Promise<QueuedShardStatus> {
    const states = await Promise.all(ids.map(async id => ({ id, state: await this.#state(id) })))
    const idsIn = (wanted: string): string[] => states.filter(({ state }) => state === wanted).map(({ id }) => id)
    const failed = await Promise.all(idsIn('failed').map(async id => ({ id, why: await this.#failure(id) })))
    const missing = idsIn('unknown')
    const [done, active] = [idsIn('completed').length, idsIn('active').length]
    const waiting = ids.length - done - active - failed.length - missing.length
    return { done, active, waiting, failed, missing, workers: await this.#queue.getWorkersCount().catch(() => null) }
  }

  /**
   * Resolves when every shard completed or failed. Calls `onNotice` for each change, and `pause` between two reads of the states.
   * Throws the reason of `signal`, and FETTLE_QUEUE_SETTINGS for data that cannot be read.
   */
  async wait(ids: readonly string[], { signal, pause, onNotice }: Waiting): Promise<void> {
    const { engine, redis } = this.#connected
    const events = new engine.QueueEvents(this.#queue.name, { connection: redis.duplicate(), prefix: PREFIX })
    // Events only shorten a pause: the state of a shard is always read.
    events.on('error', () => {})
    const open = new Set(ids)
    let wake = (): void => {}
    events.on('progress', ({ jobId, data }) => {
      if (open.has(jobId)) onNotice({ id: jobId, status: 'progress', text: shownText(data) })
    })
    for (const end of ['completed', 'failed'] as const)
      events.on(end, ({ jobId }: { readonly jobId: string }) => {
        if (open.has(jobId)) wake()
      })
    const check = async (id: string): Promise<void> => {
      const state = await this.#state(id)
      if (state !== 'completed' && state !== 'failed' && state !== 'unknown') return
      open.delete(id)
      if (state === 'completed') onNotice({ id, status: 'completed', text: '' })
      if (state === 'failed') onNotice({ id, status: 'failed', text: await this.#failure(id) })
    }
    try {
      for (;;) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        await orAborted(Promise.all([...open].map(check)), signal)
        if (open.size === 0) return
        const woke = new AbortController()
        try {
          await orAborted(Promise.race([woken, pause(POLL_MS, woke.signal)]), signal)
        } finally {
          woke.abort()
        }
      }
    } finally {
      await events.close().catch(() => {})
    }
  }

  async ends(ids: readonly string[]): Promise<(unknown | null)[]> {
    const jobs = await Promise.all(ids.map(id => this.#job(id)))
    return jobs.map(job => job?.returnvalue ?? null)
  }

  /** Removes shards and their journals, except those being run. */
  async drop(ids: readonly string[]): Promise<void> {
    for (const id of ids)
      if ((await readable(`the shard ${id}`, () => this.#queue.remove(id))) === 1) await dropLines(this.#connected, [id])
  }

  async close(): Promise<void> {
    await this.#queue.close().catch(() => {})
  }
}
