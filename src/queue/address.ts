/** Parses the address of a queue: a Redis, and the name of the queue in it. The password is given separately and never shown. */
import { FettleError } from '../errors.ts'

export interface QueueAddress {
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
