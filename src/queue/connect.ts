/**
 * Connects to a queue: loads the packages on first use, and opens a connection that reconnects by itself. Errors of the driver are
 * reported without passwords.
 */

import type { Redis } from 'ioredis'
import { FettleError } from '../errors.ts'
import { installCommand } from '../package-file.ts'

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
    username,
    password,
    tls: tls ? { servername: host } : undefined,
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

interface QueueAddress {
  /** Without a password, so that it may be shown and stored. */
  readonly url: string
  readonly name: string
  readonly host: string
  readonly port: number
  readonly db: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
}

const refuse = (why: string, hint = 'Give redis://host:6379, or rediss:// for TLS.'): FettleError =>
  new FettleError('FETTLE_USAGE', `the queue address ${why}`, { hint })

/** The queue `name` at `text`. Throws FETTLE_USAGE for any other address, and for one that contains a password. */
export function queueAddress(text: string, name: string, secret: string | null): QueueAddress {
  // An address that cannot be parsed may contain a password, so it is not printed.
  if (!URL.canParse(text)) throw refuse('is not the address of a Redis')
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(text)
  if (protocol !== 'redis:' && protocol !== 'rediss:') throw refuse('is not the address of a Redis')
  if (password !== '')
    throw refuse(
      'contains a password: other users could read it from the process list',
      'Leave it out, and set FETTLE_QUEUE_PASSWORD or FETTLE_QUEUE_PASSWORD_FILE.',
    )
  const [, db = '0'] = /^\/?(\d{1,4})?$/.exec(pathname) ?? [null, null]
  if (hostname === '' || db === null || search !== '' || hash !== '') throw refuse('is not the address of a Redis')
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    throw new FettleError('FETTLE_USAGE', `the queue name ${name} is not valid: expected lower-case letters, digits and hyphens`)
  const number = port === '' ? 6379 : Number(port)
  return {
    url: `${protocol}//${hostname}:${number}/${db}`,
    name,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: number,
    db: Number(db),
    tls: protocol === 'rediss:',
    username: username === '' ? undefined : decodeURIComponent(username),
    password: secret ?? undefined,
  }
}
