/**
 * Copies the journal of a shard into a Redis stream next to its job: each line under its number, before anything is done because of
 * it. A number can be written once, so of two workers that both hold a shard only one can continue. Each line is signed together with
 * the signature before it, so no line can be changed, moved or left out except at the end.
 */
import type { Job } from 'bullmq'
import { orAborted } from '../abort.ts'
import { FettleError } from '../errors.ts'
import type { Connected } from './connect.ts'
import { queueError, readable } from './errors.ts'
import { type Signer, unsigned } from './signature.ts'

/** A shard that a worker holds: its job, and the token that proves the lock. */
export interface Lease {
  readonly job: Job
  readonly token: string
  readonly lockMs: number
}

const TAKEN = /equal or smaller than/
const FIELDS = ['line', 'signature'] as const

/** The lines of a journal, and the signature that the next line continues. */
export interface StoredLines {
  readonly lines: readonly string[]
  readonly signature: string
}

const nameJournalKey = (queue: string, jobId: string): string => `fettle:${queue}:journal:${jobId}`

/** More than any shard records: a thousand jobs polled for a week need a tenth of it. */
const MAX_BYTES = 128 * 1024 ** 2
const PAGE = 1_000

/**
 * The lines of a job, in order; none when nothing was recorded. Throws FETTLE_QUEUE_SIGNATURE for a line that this account did not
 * write in this place, and FETTLE_QUEUE_SETTINGS for a key of another type.
 */
export async function readLines({ redis, address }: Connected, jobId: string, signer: Signer): Promise<StoredLines> {
  const key = nameJournalKey(address.name, jobId)
  const what = `the journal of ${jobId}`
  const tooLarge = (size: string): FettleError => unsigned(what, `is larger than any that a worker writes: ${size}`)
  // Where MEMORY USAGE is not available, the bytes are counted as they are read.
  const size = await redis.memory('USAGE', key).catch(() => null)
  if ((size ?? 0) > MAX_BYTES) throw tooLarge(`${size} bytes`)
  const lines: string[] = []
  let signature = ''
  let bytes = 0
  for (;;) {
    const entries = await readable(what, () =>
      redis.xrange(key, lines.length === 0 ? '-' : `(${lines.length}-0`, '+', 'COUNT', PAGE),
    )
    for (const [id, [lineField, line, signatureField, stored]] of entries) {
      const number = lines.length + 1
      const hasFields = line !== undefined && lineField === FIELDS[0] && signatureField === FIELDS[1]
      if (
        id !== `${number}-0` ||
        !hasFields ||
        !signer.isSigned(placeOfLine({ queue: address.name, jobId, number }, signature, line), stored)
      )
        throw unsigned(`line ${number} of ${what}`)
      bytes += line.length
      if (bytes > MAX_BYTES) throw tooLarge(`over ${MAX_BYTES} bytes`)
      lines.push(line)
      signature = stored!
    }
    if (entries.length < PAGE) return { lines, signature }
  }
}

const placeOfLine = (
  { queue, jobId, number }: { readonly queue: string; readonly jobId: string; readonly number: number },
  before: string,
  line: string,
) => ['line', queue, jobId, number, before, line] as const

export async function dropLines({ redis, address }: Connected, jobIds: readonly string[]): Promise<void> {
  for (const id of jobIds) await redis.del(nameJournalKey(address.name, id))
}

/** Appends lines to the journal of one shard, after the stored ones. Throws FETTLE_LOCKED once another worker holds the shard. */
export function copyLines(connected: Connected, { job, token, lockMs }: Lease, stored: StoredLines, signer: Signer) {
  const jobId = job.id ?? ''
  const queue = connected.address.name
  const key = nameJournalKey(queue, jobId)
  const lost = (): FettleError =>
    new FettleError('FETTLE_LOCKED', `another worker took over ${jobId}: nothing more is sent from here`, {
      hint: 'No action is needed: the other worker continues.',
    })
  let count = stored.lines.length
  let before = stored.signature
  let last: Promise<unknown> = Promise.resolve()

  const put = async (number: number, line: string, signature: string): Promise<void> => {
    try {
      await connected.redis.xadd(key, `${number}-0`, FIELDS[0], line, FIELDS[1], signature)
    } catch (error) {
      if (!TAKEN.test((error as Error).message)) throw queueError(error, `the journal of ${jobId}`)
      // It may be our own line, whose confirmation was lost with a connection.
      const [existing] = await connected.redis.xrange(key, `${number}-0`, `${number}-0`)
      if (existing?.[1][3] !== signature) throw lost()
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
      const signature = signer.sign(placeOfLine({ queue, jobId, number }, before, line))
      before = signature
      last = last.then(() => put(number, line, signature))
      // `flushed` throws the error.
      last.catch(() => {})
    },
    async flushed(signal: AbortSignal): Promise<void> {
      await orAborted(last, signal)
      await renew(signal)
    },
  }
}
