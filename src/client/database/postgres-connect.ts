/**
 * Connects to PostgreSQL through optional packages. Certificates of servers on other machines are always checked; an error names the
 * database without user, password and parameters.
 */
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Client, ClientConfig } from 'pg'
import { FettleError } from '../../errors.ts'
import { installCommand } from '../../package-file.ts'
import { type Asking, type DatabasePlace, type IsNear, Refusal } from './database.ts'

interface Packages {
  readonly Client: typeof Client
  readonly copyTo: typeof import('pg-copy-streams').to
  readonly copyFrom: typeof import('pg-copy-streams').from
}

/** Throws FETTLE_SETTINGS with the command that installs them. */
async function loadPostgres(): Promise<Packages> {
  try {
    const [pg, copy] = await Promise.all([import('pg'), import('pg-copy-streams')])
    return { Client: pg.default.Client, copyTo: copy.to, copyFrom: copy.from }
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', 'postgresql:// addresses need packages that are not installed', {
      hint: installCommand('pg', 'pg-copy-streams'),
      cause,
    })
  }
}

const CONNECT_SECONDS = 30
/** A query sends nothing until its first row is found, so it may take its time; a server that stopped would be waited for without end. */
const READ_SECONDS = 900

const splitAddress = ({ url }: Pick<DatabasePlace, 'url'>): URL => new URL(url.replace(/^[a-z]+:/i, 'http:'))

/** The settings of a connection; nothing is taken from the environment. */
async function configOf(place: Pick<DatabasePlace, 'url'>, isNear: IsNear): Promise<ClientConfig> {
  const { hostname, port, username, password, pathname, searchParams } = splitAddress(place)
  const host = searchParams.get('host') ?? (hostname === '' ? 'localhost' : hostname.replace(/^\[(.*)\]$/, '$1'))
  const file = async (name: string): Promise<string | undefined> => {
    const path = searchParams.get(name)
    return path === null ? undefined : readFile(path, 'utf8')
  }
  const [ca, cert, key] = await Promise.all(['sslrootcert', 'sslcert', 'sslkey'].map(file))
  const mode = searchParams.get('sslmode') ?? (isNear(host) && ca === undefined ? 'disable' : 'verify-full')
  const ssl = {
    rejectUnauthorized: true,
    ca,
    cert,
    key,
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
  const options = searchParams.get('options')
  return {
    host,
    port: port === '' ? 5432 : Number(port),
    user: decodeURIComponent(username) || 'postgres',
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    database: decodeURIComponent(pathname.slice(1)),
    ssl: mode === 'disable' ? false : ssl,
    application_name: searchParams.get('application_name') ?? 'fettle',
    connectionTimeoutMillis: 1000 * Number(searchParams.get('connect_timeout') ?? CONNECT_SECONDS),
    keepAlive: true,
    ...(options === null ? {} : { options }),
  }
}

export interface Connection extends Packages {
  readonly client: Client
}

/** Runs `body` with a connection, which is closed after it. An abort of `signal` ends the connection, and with it what the server does. */
export async function withConnection<T>(
  place: DatabasePlace,
  { isNear, signal }: Asking,
  body: (connection: Connection) => Promise<T>,
): Promise<T> {
  const packages = await loadPostgres()
  signal?.throwIfAborted()
  const client = new packages.Client(await configOf(place, isNear))
  // A connection that breaks is reported by the query that it breaks; without a listener it would end the process.
  client.on('error', () => {})
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } }
  const stop = (): void => {
    client.end().catch(() => {})
    connection.stream.destroy()
  }
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await client.connect()
    const seconds = Number(splitAddress(place).searchParams.get('read_timeout') ?? READ_SECONDS)
    connection.stream.setTimeout(1000 * seconds, () => {
      connection.stream.destroy(new Error(`timeout expired: the server sent nothing for ${seconds} seconds (read_timeout)`))
    })
    return await body({ ...packages, client })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    await client.end().catch(() => {})
  }
}

interface ServerError extends Error {
  readonly code?: string
  readonly where?: string
  readonly column?: string
}

/** What happened to a value of a row: its message would repeat the value. PostgreSQL, appendix A: class 22 and its kin. */
const ABOUT_VALUES: Readonly<Record<string, string>> = {
  22001: 'is longer than its column allows',
  22003: 'is out of the range of its column',
  22007: 'is not a date or time',
  22008: 'is out of the range of dates',
  '22P02': 'does not have the form of its column',
  '22P03': 'does not have the form of its column',
  22021: 'has characters that the encoding of the database lacks',
  '22P05': 'has characters that the encoding of the database lacks',
}

/** An error of the server or the way to it in words, without values of rows. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  const { code = '', message, where = '' } = error as ServerError
  const about = ABOUT_VALUES[code]
  if (about !== undefined) {
    const [, row, column] = /line (\d+), column "?([^":]+)/.exec(where) ?? []
    // The first line of the copy is the header.
    return row === undefined
      ? `a value ${about} (${code})`
      : `row ${Number(row) - 1}, column ${JSON.stringify(column)}: the value ${about} (${code})`
  }
  if (/^22/.test(code)) return `a value does not fit (${code})`
  return /^[0-9A-Z]{5}$/.test(code) ? `${message} (${code})` : message
}

/** Errors after which the same statements may succeed: a broken connection, a server that starts or stops, two transactions that met. */
export const isPassing = (error: unknown): boolean => {
  const { code = '', message = '' } = error as ServerError
  return (
    /^(?:08|40|57P0)/.test(code) ||
    /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code) ||
    /Connection terminated|timeout expired|timeout exceeded/i.test(message)
  )
}
