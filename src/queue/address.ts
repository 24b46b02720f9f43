/**
 * Where a queue is: the address of a Redis, and the name of the queue in it. A password is given beside it, and never
 * shown. It connects to nothing.
 */
import { FettleError } from '../errors.ts'

/** A queue that can be reached. */
export interface QueueAddress {
  /** As it may be shown and kept: without a password. */
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

/** The queue `name` at `text`. Throws FETTLE_USAGE for what is no such address, and for one that holds a password. */
export function queueAddress(text: string, name: string, secret: string | null): QueueAddress {
  // What cannot be read may hold a password too, and is not repeated.
  if (!URL.canParse(text)) throw refuse('is not the address of a Redis')
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(text)
  if (protocol !== 'redis:' && protocol !== 'rediss:') throw refuse('is not the address of a Redis')
  if (password !== '')
    throw refuse(
      'holds a password: other users could read it from the process list',
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
