/**
 * Copies the journal of a shard into a Redis stream beside its job: each line under its number, before anything is done because of
 * it. A number can be written once, so of two workers that both hold a shard only one can continue.
 */
import type { Job } from 'bullmq'
import { orAborted } from '../abort.ts'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import { queueError, readable } from './errors.ts'

/** A shard that a worker holds: its job, and the token that proves the lock. */
export interface Lease {
  readonly job: Job
  readonly token: string
  readonly lockMs: number
}

const TAKEN = /equal or smaller than/
const LINE = 'line'

const keyOf = (queue: string, jobId: string): string => `fettle:${queue}:journal:${jobId}`

/** More than any shard records: a thousand jobs polled for a week need a tenth of it. */
const MAX_BYTES = 128 * 1024 ** 2
const PAGE = 1_000

/**
 * The lines of a job, in order; none when nothing was recorded. Throws FETTLE_JOURNAL_DAMAGED for lines that no worker wrote, and
 * FETTLE_QUEUE_SETTINGS for a key of another type.
 */
export async function readLines({ redis, address }: Connected, jobId: string): Promise<string[]> {
  const key = keyOf(address.name, jobId)
  const what = `the journal of ${jobId}`
  const damaged = (why: string): FettleError =>
    new FettleError('FETTLE_JOURNAL_DAMAGED', `the journal that the queue keeps of ${jobId} ${why}`, {
      hint: 'Check Redis: it may have lost data, or another program may have written to it. Nothing was sent.',
    })
  // Where MEMORY USAGE is not available, the bytes are counted as they are read.
  const size = await redis.memory('USAGE', key).catch(() => null)
  if ((size ?? 0) > MAX_BYTES) throw damaged(`is larger than any that a worker writes: ${size} bytes`)
  const lines: string[] = []
  let bytes = 0
  for (;;) {
    const entries = await readable(what, () =>
      redis.xrange(key, lines.length === 0 ? '-' : `(${lines.length}-0`, '+', 'COUNT', PAGE),
    )
    for (const [id, [name, line, ...more]] of entries) {
      const isOurs = id === `${lines.length + 1}-0` && name === LINE && line !== undefined && more.length === 0
      if (!isOurs || line.includes('\n')) throw damaged(`lacks line ${lines.length + 1}`)
      bytes += line.length
      if (bytes > MAX_BYTES) throw damaged(`is larger than any that a worker writes: over ${MAX_BYTES} bytes`)
      lines.push(line)
    }
    if (entries.length < PAGE) return lines
  }
}

export async function dropLines({ redis, address }: Connected, jobIds: readonly string[]): Promise<void> {
  for (const id of jobIds) await redis.del(keyOf(address.name, id))
}

/** Appends lines to the journal of one shard, after its `known` lines. Throws FETTLE_LOCKED once another worker holds the shard. */
export function copyLines(connected: Connected, { job, token, lockMs }: Lease, known: number) {
  const jobId = job.id ?? ''
  const key = keyOf(connected.address.name, jobId)
  const lost = (): FettleError =>
    new FettleError('FETTLE_LOCKED', `another worker took over ${jobId}: nothing more is sent from here`, {
      hint: 'No action is needed: the other worker continues.',
    })
  let count = known
  let last: Promise<unknown> = Promise.resolve()

  const put = async (number: number, line: string): Promise<void> => {
    try {
      await connected.redis.xadd(key, `${number}-0`, LINE, line)
    } catch (error) {
      if (!TAKEN.test((error as Error).message)) throw queueError(error, `the journal of ${jobId}`)
      // It may be our own line, whose confirmation was lost with a connection.
      const [existing] = await connected.redis.xrange(key, `${number}-0`, `${number}-0`)
      if (existing?.[1][1] !== line) throw lost()
    }
  }

  /** Renews the lock. After a long pause of this process another worker may hold the shard. */
  const renew = async (signal: AbortSignal): Promise<void> => {
    const renewed = readable(`the lock of ${jobId}`, () => job.extendLock(token, lockMs))
    if ((await orAborted(renewed, signal)) < 1) throw lost()
  }

  return {
    renew,
    append(line: string): void {
      const number = ++count
      last = last.then(() => put(number, line))
      // `flushed` throws the error.
      last.catch(() => {})
    },
    async flushed(signal: AbortSignal): Promise<void> {
      await orAborted(last, signal)
      await renew(signal)
    },
  }
}
