/**
 * The journal of a shard beside its job in the queue: a stream of Redis, each line under its number, written before anything is
 * done because of it. A number is given once, so that of two workers who take a shard for theirs only one can go on.
 */
import type { Job } from 'bullmq'
import { orAborted } from '../abort.ts'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import { queueTrouble, readable } from './errors.ts'

/** A shard in the hands of a worker: its job, and the token that proves the hold. */
export interface Lease {
  readonly job: Job
  readonly token: string
  readonly lockMs: number
}

const TAKEN = /equal or smaller than/
const LINE = 'line'

/** The key of the journal of a job. */
const keyOf = (queue: string, jobId: string): string => `fettle:${queue}:journal:${jobId}`

/** More than any shard records: a thousand jobs looked at for a week are a tenth of it. */
const MOST_BYTES = 128 * 1024 ** 2
/** Lines that are read at once. */
const PAGE = 1_000

/**
 * The lines kept for a job, in order; none when nothing was recorded. Throws FETTLE_JOURNAL_DAMAGED for what no worker wrote, and
 * FETTLE_QUEUE_SETTINGS for a key of another type.
 */
export async function readLines({ redis, address }: Connected, jobId: string): Promise<string[]> {
  const key = keyOf(address.name, jobId)
  const what = `the journal of ${jobId}`
  const damaged = (why: string): FettleError =>
    new FettleError('FETTLE_JOURNAL_DAMAGED', `the journal that the queue keeps of ${jobId} ${why}`, {
      hint: 'Look at Redis: it may have lost what it held, or somebody else may have written to it. Nothing was sent.',
    })
  // Of a service that does not answer this the lines are counted as they come.
  const size = await redis.memory('USAGE', key).catch(() => null)
  if ((size ?? 0) > MOST_BYTES) throw damaged(`is larger than any that a worker writes: ${size} bytes`)
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
      if (bytes > MOST_BYTES) throw damaged(`is larger than any that a worker writes: over ${MOST_BYTES} bytes`)
      lines.push(line)
    }
    if (entries.length < PAGE) return lines
  }
}

/** Forgets the lines of jobs. */
export async function dropLines({ redis, address }: Connected, jobIds: readonly string[]): Promise<void> {
  for (const id of jobIds) await redis.del(keyOf(address.name, id))
}

/** Keeps the lines of one shard, after the `known` that are there. Throws FETTLE_LOCKED once another worker has the shard. */
export function copyLines(connected: Connected, { job, token, lockMs }: Lease, known: number) {
  const jobId = job.id ?? ''
  const key = keyOf(connected.address.name, jobId)
  const lost = (): FettleError =>
    new FettleError('FETTLE_LOCKED', `another worker took over ${jobId}: nothing more is sent from here`, {
      hint: 'Nothing need be done: the other goes on.',
    })
  let count = known
  let last: Promise<unknown> = Promise.resolve()

  const put = async (number: number, line: string): Promise<void> => {
    try {
      await connected.redis.xadd(key, `${number}-0`, LINE, line)
    } catch (error) {
      if (!TAKEN.test((error as Error).message)) throw queueTrouble(error, `the journal of ${jobId}`)
      // It may be our own line, whose receipt was lost with a connection.
      const [there] = await connected.redis.xrange(key, `${number}-0`, `${number}-0`)
      if (there?.[1][1] !== line) throw lost()
    }
  }

  /** Holds on for as long again; a worker that was out of breath may find that another was given the shard. */
  const hold = async (signal: AbortSignal): Promise<void> => {
    const held = readable(`the hold on ${jobId}`, () => job.extendLock(token, lockMs))
    if ((await orAborted(held, signal)) < 1) throw lost()
  }

  return {
    hold,
    keep(line: string): void {
      const number = ++count
      last = last.then(() => put(number, line))
      // Told to whoever settles.
      last.catch(() => {})
    },
    async settled(signal: AbortSignal): Promise<void> {
      await orAborted(last, signal)
      await hold(signal)
    },
  }
}
