/**
 * Connects to a queue: loads the packages on first use, and opens a connection that reconnects by itself. Errors of the driver are
 * reported without passwords.
 */
import type { Redis } from 'ioredis'
import { FettleError } from '../errors.ts'
import { installCommand } from '../package-file.ts'
import type { QueueAddress } from './address.ts'

export type Engine = typeof import('bullmq')

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
    throw new FettleError('FETTLE_QUEUE_MISSING', 'a queue needs the packages bullmq and ioredis, and they are not installed', {
      cause,
      hint: `Install them beside fettle: ${installCommand('bullmq', 'ioredis')}`,
    })
  }
}

const CONNECT_MS = 10_000

/**
 * Connects once for the whole command; after a later loss it waits for Redis to return. Throws FETTLE_QUEUE_MISSING, FETTLE_QUEUE
 * when Redis does not answer, and FETTLE_QUEUE_SETTINGS when it refuses the password.
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
    // Requests made while Redis is away are sent when it is back: nothing is done before it is recorded.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
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
  const why = code === 'ECONNREFUSED' ? 'connection refused' : message
  return new FettleError('FETTLE_QUEUE', `cannot reach the queue at ${url}: ${why}`)
}
