/**
 * The way to a queue: the packages, which are loaded by whoever asks for one, and a connection that mends itself. What the driver
 * says is told in our words, and its passwords are not.
 */
import type { Redis } from 'ioredis'
import { FettleError } from '../errors.ts'
import type { QueueAddress } from './address.ts'

/** BullMQ as it was loaded. */
export type Engine = typeof import('bullmq')

/** A queue that was reached. */
export interface Connected {
  readonly address: QueueAddress
  readonly engine: Engine
  readonly redis: Redis
  close(): Promise<void>
}

async function load() {
  try {
    return { engine: await import('bullmq'), driver: (await import('ioredis')).Redis }
  } catch (cause) {
    throw new FettleError(
      'FETTLE_QUEUE_MISSING',
      'a queue is asked for, and bullmq and ioredis, which speak to it, are not installed',
      {
        cause,
      },
    )
  }
}

const PATIENCE_MS = 10_000

/**
 * Connects, once and for the whole command: later losses are waited out. Throws FETTLE_QUEUE_MISSING, FETTLE_QUEUE when nobody
 * answers, and FETTLE_QUEUE_SETTINGS when the password is refused.
 */
export async function connectQueue(address: QueueAddress): Promise<Connected> {
  const { engine, driver } = await load()
  const { host, port, db, username, password, tls } = address
  const redis = new driver({
    host,
    port,
    db,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: { servername: host } } : {}),
    // Whatever is asked while Redis is away is asked once it is back: nothing is done before it was recorded.
    maxRetriesPerRequest: null,
    connectTimeout: PATIENCE_MS,
    lazyConnect: true,
  })
  let last: Error | null = null
  redis.on('error', error => {
    last = error
  })
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    redis.disconnect()
    throw unreachable(address, last ?? error)
  }
  const close = async (): Promise<void> => redis.disconnect()
  return { address, engine, redis, close }
}

/** What the driver said, as an error of ours. */
function unreachable({ url, password }: QueueAddress, cause: unknown): FettleError {
  const { code, message } = cause as NodeJS.ErrnoException
  if (/NOAUTH|WRONGPASS|invalid password|invalid username|without any password/i.test(message))
    return new FettleError(
      'FETTLE_QUEUE_SETTINGS',
      `the Redis at ${url} refused ${password === undefined ? 'us without a password' : 'the password'}`,
      {
        hint: 'Set FETTLE_QUEUE_PASSWORD or FETTLE_QUEUE_PASSWORD_FILE, and the user name in the address: redis://user@host.',
      },
    )
  const why = code === 'ECONNREFUSED' ? 'nobody answers there' : message
  return new FettleError('FETTLE_QUEUE', `cannot reach the queue at ${url}: ${why}`)
}
