/**
 * The queue as whoever submits shards sees it: each is a job under a name of its own, so that submitting again finds the same
 * jobs, and is waited for wherever it is carried out. What a shard is, and what became of it, is the caller's.
 */
import type { Job, Queue } from 'bullmq'
import { orAborted } from '../abort.ts'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import { readable, shownText } from './errors.ts'
import { dropLines } from './journal-replica.ts'

/** The prefix of every key in Redis but those of the journals. */
export const PREFIX = 'fettle'

/** How shards stand. */
export interface QueuedShardStatus {
  readonly done: number
  readonly active: number
  readonly waiting: number
  /** Given up by the queue, with what was said. */
  readonly failed: readonly { readonly id: string; readonly why: string }[]
  /** Named, and not in the queue. */
  readonly missing: readonly string[]
  /** Null where Redis does not tell. */
  readonly workers: number | null
}

/** A shard to be done: under which name, and what of it a worker is told. */
export interface QueuedShard {
  readonly id: string
  readonly task: unknown
}

/** What whoever waits is told: that a shard came to its end, was given up, or got somewhere. */
export type Notice = { readonly id: string; readonly is: 'done' | 'failed' | 'moved'; readonly what: string }

/** How shards are waited for. */
export interface Waiting {
  readonly signal: AbortSignal
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onNotice: (notice: Notice) => void
}

/** Without a word from the queue it is looked at again after so long. */
const LOOK_MS = 3_000

/** A worker that dies is followed by another so often; a shard that kills its workers is not passed on for ever. */
export const MOST_DEATHS = 20

/** What another try may cure is tried again for an hour. */
const AGAIN = { attempts: 360, backoff: { type: 'fixed', delay: 10_000 } }

/** The shards of a queue, by their names. */
export class ShardQueue {
  readonly #connected: Connected
  readonly #queue: Queue

  constructor(connected: Connected) {
    this.#connected = connected
    this.#queue = new connected.engine.Queue(connected.address.name, { connection: connected.redis, prefix: PREFIX })
    this.#queue.on('error', () => {})
  }

  /**
   * Posts the shards that are not there, has those tried again that were given up, and posts those anew whose end `isBad`; `fresh`
   * posts all anew. `atOnce` shards are carried out side by side, by all workers together. Throws FETTLE_LOCKED when shards
   * are to be posted anew that somebody is carrying out.
   */
  async post(
    posted: readonly QueuedShard[],
    { atOnce, fresh, isBad }: { atOnce: number; fresh: boolean; isBad: (ended: unknown) => boolean },
  ): Promise<{ readonly found: number }> {
    const there = await Promise.all(posted.map(({ id }) => this.#find(id)))
    const busy = there.filter(one => one?.state === 'active')
    if (fresh && busy.length > 0)
      throw new FettleError(
        'FETTLE_LOCKED',
        `${busy.length} shards of it are being carried out by workers, and are not begun anew`,
      )
    return readable(`the queue ${this.#queue.name}`, async () => {
      await this.#queue.setGlobalConcurrency(atOnce)
      let found = 0
      for (const [at, { id, task }] of posted.entries()) {
        const one = there[at]
        const isOld = one !== null && one !== undefined && (fresh || (one.state === 'completed' && isBad(one.job.returnvalue)))
        if (isOld) await this.drop([id])
        else if (one?.state === 'failed') await one.job.retry('failed')
        if (one && !isOld) found++
        else await this.#queue.add('shard', task, { jobId: id, ...AGAIN })
      }
      return { found }
    })
  }

  /** Throws FETTLE_QUEUE_SETTINGS for what cannot be read. */
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

  /** Why a shard was given up, as far as the queue says it. */
  async #why(id: string): Promise<string> {
    return shownText((await this.#job(id))?.failedReason)
  }

  /** How the shards stand. */
  async standing(ids: readonly string[]): Promise<QueuedShardStatus> {
    const states = await Promise.all(ids.map(async id => ({ id, state: await this.#state(id) })))
    const those = (...wanted: string[]): string[] => states.filter(({ state }) => wanted.includes(state)).map(({ id }) => id)
    const failed = await Promise.all(those('failed').map(async id => ({ id, why: await this.#why(id) })))
    const missing = those('unknown')
    const [done, active] = [those('completed').length, those('active').length]
    const waiting = ids.length - done - active - failed.length - missing.length
    return { done, active, waiting, failed, missing, workers: await this.#queue.getWorkersCount().catch(() => null) }
  }

  /**
   * Resolves once no shard is left to do; `onNotice` is called with what happens meanwhile, and `pause` waits between two looks.
   * Throws the reason of `signal`, and FETTLE_QUEUE_SETTINGS for what cannot be read.
   */
  async wait(ids: readonly string[], { signal, pause, onNotice }: Waiting): Promise<void> {
    const { engine, redis } = this.#connected
    const events = new engine.QueueEvents(this.#queue.name, { connection: redis.duplicate(), prefix: PREFIX })
    // They only shorten a pause: what became of a shard is looked up.
    events.on('error', () => {})
    const open = new Set(ids)
    let wake = (): void => {}
    events.on('progress', ({ jobId, data }) => {
      if (open.has(jobId)) onNotice({ id: jobId, is: 'moved', what: shownText(data) })
    })
    for (const end of ['completed', 'failed'] as const)
      events.on(end, ({ jobId }: { readonly jobId: string }) => {
        if (open.has(jobId)) wake()
      })
    const look = async (id: string): Promise<void> => {
      const state = await this.#state(id)
      if (state !== 'completed' && state !== 'failed' && state !== 'unknown') return
      open.delete(id)
      if (state === 'completed') onNotice({ id, is: 'done', what: '' })
      if (state === 'failed') onNotice({ id, is: 'failed', what: await this.#why(id) })
    }
    try {
      for (;;) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        await orAborted(Promise.all([...open].map(look)), signal)
        if (open.size === 0) return
        const over = new AbortController()
        try {
          await orAborted(Promise.race([woken, pause(LOOK_MS, over.signal)]), signal)
        } finally {
          over.abort()
        }
      }
    } finally {
      await events.close().catch(() => {})
    }
  }

  /** What the workers gave for shards that are done; null for one that is not. */
  async ends(ids: readonly string[]): Promise<(unknown | null)[]> {
    const jobs = await Promise.all(ids.map(id => this.#job(id)))
    return jobs.map(job => job?.returnvalue ?? null)
  }

  /** Removes shards with all that is kept of them; one that is being carried out stays. */
  async drop(ids: readonly string[]): Promise<void> {
    for (const id of ids)
      if ((await readable(`the shard ${id}`, () => this.#queue.remove(id))) === 1) await dropLines(this.#connected, [id])
  }

  /** Ends what listens; the connection stays. */
  async close(): Promise<void> {
    await this.#queue.close().catch(() => {})
  }
}
