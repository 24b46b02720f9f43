/**
 * PostgreSQL as a database of fettle, by optional packages. The server writes the rows of a query and reads the rows of a table (COPY), so
 * that memory is constant. Certificates of servers on other machines are always checked; an error names the database without user,
 * password and parameters.
 */

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Client, ClientConfig } from 'pg'
import { FettleError } from '../../errors.ts'
import type { ColumnType } from '../../model/columns.ts'
import { installCommand } from '../../package-file.ts'
import {
  type Asking,
  type ColumnRead,
  type Database,
  type DatabasePlace,
  type IsNear,
  placeIn,
  type QueryPlace,
  type QueryRows,
  quoted,
  Refusal,
  type Session,
  type TableFacts,
  type TablePlace,
  withoutEnd,
} from './database.ts'

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
async function readConfig(place: Pick<DatabasePlace, 'url'>, isNear: IsNear): Promise<ClientConfig> {
  const { hostname, port, username, password, pathname, searchParams } = splitAddress(place)
  const host = searchParams.get('host') ?? (hostname === '' ? 'localhost' : hostname.replace(/^\[(.*)\]$/, '$1'))
  const file = async (name: string): Promise<string | undefined> => {
    const path = searchParams.get(name)
    return path === null ? undefined : readFile(path, 'utf8')
  }
  const [ca, cert, key] = await Promise.all(['sslrootcert', 'sslcert', 'sslkey'].map(file))
  const mode = searchParams.get('sslmode') ?? (isNear(host) && ca === undefined ? 'disable' : 'verify-full')
  const identity = mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
  const ssl = { rejectUnauthorized: true, ca, cert, key, ...identity }
  return {
    host,
    port: port === '' ? 5432 : Number(port),
    user: decodeURIComponent(username) || 'postgres',
    password: password === '' ? undefined : decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ssl: mode === 'disable' ? false : ssl,
    application_name: searchParams.get('application_name') ?? 'fettle',
    connectionTimeoutMillis: 1000 * Number(searchParams.get('connect_timeout') ?? CONNECT_SECONDS),
    keepAlive: true,
    options: searchParams.get('options') ?? undefined,
  }
}

export interface Connection extends Packages {
  readonly client: Client
}

/** Runs `body` with a connection, which is closed after it. An abort of `signal` ends the connection, and with it what the server does. */
async function withConnection<T>(
  place: DatabasePlace,
  { isNear, signal }: Asking,
  body: (connection: Connection) => Promise<T>,
): Promise<T> {
  const packages = await loadPostgres()
  signal?.throwIfAborted()
  const client = new packages.Client(await readConfig(place, isNear))
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
function describeError(error: unknown): string {
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
const isPassing = (error: unknown): boolean => {
  const { code = '', message = '' } = error as ServerError
  return (
    /^(?:08|40|57P0)/.test(code) ||
    /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code) ||
    /Connection terminated|timeout expired|timeout exceeded/i.test(message)
  )
}

const plain = (type: string): ColumnRead => ({ type, text: column => `${column}::text` })
const DAY = `'YYYY-MM-DD'`
const CLOCK = `'HH24:MI:SS'`
/** Three or six places, none if they are zero. */
const places = (column: string): string => `regexp_replace(to_char(${column}, '.US'), '\\.?(000){1,2}$', '')`
/** Years that the calendar of other programs has; others, and infinity, stay as the server writes them. */
const common = (column: string, text: string): string =>
  `case when ${column} >= '0001-01-01' and ${column} < '10000-01-01' then ${text} else ${column}::text end`
const moment = (column: string): string =>
  `to_char(${column}, ${DAY}) || 'T' || to_char(${column}, ${CLOCK}) || ${places(column)}`

/** By the number of the type in pg_type, which never changes. */
const TYPES: Readonly<Record<number, ColumnRead>> = {
  16: { type: 'boolean', text: column => `case ${column} when true then 'true' when false then 'false' end` },
  20: plain('int64'),
  21: plain('int16'),
  23: plain('int32'),
  700: plain('float'),
  701: plain('double'),
  1082: { type: 'date', text: column => common(column, `to_char(${column}, ${DAY})`) },
  1083: {
    type: 'time(us)',
    text: column => {
      const day = `('2000-01-01'::date + ${column})`
      return `case when ${column} < '24:00' then to_char(${day}, ${CLOCK}) || ${places(day)} else ${column}::text end`
    },
  },
  1114: { type: 'timestamp(us)', text: column => common(column, moment(column)) },
  1184: {
    type: 'timestamp(us,utc)',
    text: column => common(column, `${moment(`(${column} at time zone 'UTC')`)} || 'Z'`),
  },
  1700: plain('decimal'),
  2950: plain('uuid'),
}
const NUMERIC = 1700

/** The scale of `numeric(12,2)` is in eleven bits behind a header of four bytes (numeric.c). */
function formatType({ dataTypeID, dataTypeModifier }: { dataTypeID: number; dataTypeModifier: number }): string {
  const type = TYPES[dataTypeID]?.type ?? 'string'
  if (dataTypeID !== NUMERIC || dataTypeModifier < 4) return type
  const packed = dataTypeModifier - 4
  const scale = ((packed & 0x7ff) ^ 1024) - 1024
  return `decimal(${packed >> 16},${scale})`
}

const READ_BYTES = 1024 * 1024

/** As the server sees the query before it is read. */
const BEFORE = 'select * from ('

/** The error with its place in the query. */
function located(error: unknown, sql: string): unknown {
  const { position } = error as { readonly position?: string }
  const at = Number(position) - 1 - BEFORE.length
  if (position !== undefined && at >= 0 && at <= sql.length) (error as Error).message += ` at ${placeIn(sql, at)}`
  return error
}

/** The transaction is read-only, and of one snapshot. */
const readQuery = <T>(place: QueryPlace, how: Asking, body: (rows: QueryRows) => Promise<T>): Promise<T> =>
  withConnection(place, how, async ({ client, copyTo }) => {
    await client.query('begin transaction isolation level repeatable read, read only')
    // The line end is for a query that ends in a comment.
    const source = withoutEnd(place.sql)
    // By the extended protocol, in which one text is one statement: nothing in the query can end the transaction.
    const described = { text: `${BEFORE}${source}\n) as query limit 0`, queryMode: 'extended' }
    const { fields } = await client.query<never>(described).catch(error => {
      throw located(error, source)
    })
    if (fields.length === 0) throw new Refusal('it has no columns')
    const columns = fields.map((_, at) => `c${at + 1}`)
    const texts = fields.map(({ dataTypeID }, at) => (TYPES[dataTypeID] ?? plain('string')).text(columns[at]!))
    // The only cell of a row is never an empty line.
    const shown = texts.length === 1 ? [`coalesce(${texts[0]}, '')`] : texts
    const select = `select ${shown.join(', ')} from (${source}\n) as query(${columns.join(', ')})`
    const force = texts.length === 1 ? ', force_quote *' : ''
    const stream = client.query(
      copyTo(`copy (${select}) to stdout (format csv, encoding 'UTF8'${force})`, { highWaterMark: READ_BYTES }),
    )
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${fields.map(({ name }) => quoted(name)).join(',')}\n`)
      yield* stream as AsyncIterable<Buffer>
    }
    const result = await body({ types: fields.map(formatType), bytes: bytes() })
    await client.query('commit')
    return result
  })

/** NAMEDATALEN - 1: PostgreSQL cuts longer names without an error. */
const MAX_NAME_BYTES = 63

const WRITE_BYTES = 256 * 1024

function typeIn(type: ColumnType): string {
  switch (type.is) {
    case 'string':
      return type.name === 'decimal' ? 'numeric' : 'text'
    case 'float16':
    case 'float':
      return 'real'
    case 'double':
      return 'double precision'
    case 'integer': {
      const bits = type.bits + (type.isSigned ? 0 : 1)
      return bits <= 16 ? 'smallint' : bits <= 32 ? 'integer' : bits <= 64 ? 'bigint' : 'numeric(20)'
    }
    case 'decimal':
      return type.name.replace('decimal', 'numeric')
    case 'timestamp':
      return type.isUtc ? 'timestamptz' : 'timestamp'
    case 'time':
      return 'time'
    default:
      return type.is
  }
}

async function readFacts(client: Client, { table, key }: TablePlace): Promise<TableFacts> {
  const ask = async (sql: string, values: unknown[]) => (await client.query(sql, values)).rows
  const [schemaName, name = ''] = table.includes('.') ? table.split('.', 2) : [null, table]
  const [{ schema, there }] = await ask(
    `select coalesce($1::text, current_schema()) as schema, exists (select from pg_namespace where nspname = coalesce($1::text, current_schema())) as there`,
    [schemaName],
  )
  if (!there) throw new Refusal(`there is no schema ${JSON.stringify(schema)}`)
  const [relation] = await ask(
    'select c.oid, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2',
    [schema, name],
  )
  if (relation !== undefined && !['r', 'p'].includes(relation.relkind)) throw new Refusal('it is not a table')
  const columns = await ask(
    `select attname as name, attgenerated <> '' or attidentity = 'a' as "isGenerated" from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
    [relation?.oid],
  )
  const unique = await ask(
    `select array(select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k) as columns
     from pg_index i where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null`,
    [relation?.oid],
  )
  const [ledger] = await ask('select to_regclass($1) is not null as there', [`${quoted(schema)}.fettle_runs`])
  return {
    name: `${quoted(schema)}.${quoted(name)}`,
    schema,
    columns: relation === undefined ? null : columns,
    hasKey: unique.some(index => index.columns.length === key.length && key.every(column => index.columns.includes(column))),
    hasLedger: ledger.there,
  }
}

const withSession = <T>(place: DatabasePlace, how: Asking, body: (session: Session) => Promise<T>): Promise<T> =>
  withConnection(place, how, ({ client, copyFrom }) =>
    body({
      typeIn,
      maxNameBytes: MAX_NAME_BYTES,
      ignoresCase: false,
      query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
      facts: table => readFacts(client, table),
      async begin() {
        await client.query('begin')
        // A lock that is never released must not hold the run for ever; the address may set another limit by `options`.
        await client.query(`select set_config('lock_timeout', '60s', true) where current_setting('lock_timeout') = '0'`)
      },
      async load(target, { columns, path }) {
        const names = columns.map(({ name }) => quoted(name)).join(', ')
        await client.query(`create temporary table fettle_rows on commit drop as select ${names} from ${target} with no data`)
        const sql = `copy fettle_rows (${names}) from stdin (format csv, delimiter E'\\t', header true, force_null (${names}), encoding 'UTF8')`
        await pipeline(createReadStream(path, { highWaterMark: WRITE_BYTES }), client.query(copyFrom(sql)))
      },
    }),
  )

export const POSTGRES: Database = {
  readQuery,
  withSession,
  describeError,
  isPassing,
  // duplicate_table, unique_violation.
  isDouble: error => ['42P07', '23505'].includes((error as { readonly code?: string }).code ?? ''),
  queryHint: 'Check input.sql and input.url with psql; the query is read in a read-only transaction.',
}
