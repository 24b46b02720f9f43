/**
 * Files of DuckDB as databases of fettle, by an optional package. Nothing but this file is read or written, and no extension is loaded.
 * The database writes each row of a query as a line of CSV, and reads the rows of a table from their file.
 */

import { constants } from 'node:fs'
import { access, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api'
import { FettleError } from '../../errors.ts'
import type { ColumnType } from '../../model/columns.ts'
import { installCommand } from '../../package-file.ts'
import {
  type Asking,
  type ColumnRead,
  type Database,
  type DatabasePlace,
  placeIn,
  type QueryPlace,
  type QueryRows,
  quoted,
  Refusal,
  type Session,
  type TableFacts,
  type TablePlace,
  type TableRows,
  withoutEnd,
} from './database.ts'

const parsePath = (url: string): string => url.replace(/^duckdb:/i, '')

/** What a query may hold: sorts spill to a folder beside the file. The index of a table with a key has to fit, so a writing may hold more. */
const MEMORY = { query: '128MiB', table: '1GiB' }

const SETTINGS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // A second thread doubles the buffers, and saves little beside the work of this process.
  threads: '1',
}

/** Throws FETTLE_SETTINGS with the command that installs it. */
async function loadDuckdb(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api')
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', 'files of DuckDB need a package that is not installed', {
      hint: installCommand('@duckdb/node-api'),
      cause,
    })
  }
}

/** Whether the file is there. Throws Refusal when it is not a DuckDB file, and what opening it throws. */
async function isThere(path: string): Promise<boolean> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return false
  try {
    // DuckDB opens files of other kinds as tables.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0)
    if (bytesRead < 12 || buffer.toString('latin1', 8) !== 'DUCK') throw new Refusal('it is not a file of DuckDB')
    return true
  } finally {
    await handle.close()
  }
}

/** Runs `body` with a connection, which is closed after it. An abort of `signal` interrupts what the database does. */
async function withConnection<T>(
  path: string,
  { isReadOnly, signal }: { readonly isReadOnly: boolean; readonly signal?: AbortSignal },
  body: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { DuckDBInstance } = await loadDuckdb()
  signal?.throwIfAborted()
  const mode: Record<string, string> = isReadOnly
    ? { access_mode: 'READ_ONLY', enable_external_access: 'false', memory_limit: MEMORY.query }
    : { access_mode: 'READ_WRITE', memory_limit: MEMORY.table }
  const instance = await DuckDBInstance.create(path, { ...SETTINGS, ...mode })
  try {
    const connection = await instance.connect()
    const stop = (): void => connection.interrupt()
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await connection.run(`set timezone = 'UTC'`)
      return await body(connection)
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

/** Errors whose text may repeat a value of a row, and what they mean. */
const ABOUT_VALUES: Readonly<Record<string, string>> = {
  'Conversion Error': 'a value does not have the form of its type',
  'Out of Range Error': 'a value is out of range',
  'Invalid Input Error': 'a value does not fit',
}

/** An error of the database in words, without values of rows. */
function describeError(error: unknown): string {
  const { message } = error as Error
  const [, holder] = /Conflicting lock is held in (.+? \(PID \d+\))/.exec(message) ?? []
  if (holder !== undefined) return `another process has the file open: ${holder}`
  // The rest repeats the query, or is advice.
  const [first = ''] = message.split('\n\n', 1)
  const [, kind = ''] = /^([A-Z][A-Za-z ]* Error): /.exec(first) ?? []
  const about = ABOUT_VALUES[kind]
  if (about !== undefined && !/^Invalid Input Error: Cannot /.test(first)) return `${about} (${kind})`
  // A key as `"id: 5"`.
  return kind === 'Constraint Error' ? first.replace(/"[^"]*: .*"/, 'of a row') : first
}

const quotedText = (column: string): string => `'"' || replace(${column}, '"', '""') || '"'`
/** Quoted where a reader of CSV needs it. */
const csvText = (column: string): string => {
  const text = `${column}::varchar`
  const needsQuotes = [`','`, `'"'`, 'chr(10)', 'chr(13)'].map(mark => `contains(${text}, ${mark})`).join(' or ')
  return `if(${text} = '' or ${needsQuotes}, ${quotedText(text)}, ${text})`
}
const STRING: ColumnRead = { type: 'string', text: csvText }
const plain = (type: string): ColumnRead => ({ type, text: column => `${column}::varchar` })
/** DuckDB writes `1.0`, `nan` and `inf`. */
const float = (type: string): ColumnRead => ({
  type,
  text: column =>
    `case when isnan(${column}) then 'NaN' when isinf(${column}) then if(${column} > 0, 'Infinity', '-Infinity') else regexp_replace(${column}::varchar, '\\.0$', '') end`,
})
/** Three, six or nine places, none if they are zero. */
const places = (column: string, digits: string): string =>
  `regexp_replace(strftime(${column}, '.${digits}'), '\\.?(000){1,3}$', '')`
/** Years that the calendar of other programs has; others, and infinity, stay as the database writes them. */
const moment = (type: string, of: (column: string) => string, end = '', digits = '%f'): ColumnRead => ({
  type,
  text: column =>
    `case when year(${of(column)}) between 1 and 9999 then strftime(${of(column)}, '%Y-%m-%dT%H:%M:%S') || ${places(of(column), digits)} || '${end}' else ${column}::varchar end`,
})

const TYPES: Readonly<Record<string, ColumnRead>> = {
  BOOLEAN: plain('boolean'),
  TINYINT: plain('int8'),
  SMALLINT: plain('int16'),
  INTEGER: plain('int32'),
  BIGINT: plain('int64'),
  UTINYINT: plain('uint8'),
  USMALLINT: plain('uint16'),
  UINTEGER: plain('uint32'),
  UBIGINT: plain('uint64'),
  HUGEINT: plain('decimal'),
  UHUGEINT: plain('decimal'),
  FLOAT: float('float'),
  DOUBLE: float('double'),
  DATE: plain('date'),
  TIME: {
    type: 'time(us)',
    text: column => {
      const day = `(date '2000-01-01' + ${column})`
      return `case when ${column} < '24:00:00' then strftime(${day}, '%H:%M:%S') || ${places(day, '%f')} else ${column}::varchar end`
    },
  },
  TIMESTAMP_S: moment('timestamp(ms)', column => column),
  TIMESTAMP_MS: moment('timestamp(ms)', column => column),
  TIMESTAMP: moment('timestamp(us)', column => column),
  TIMESTAMP_NS: moment('timestamp(ns)', column => column, '', '%n'),
  'TIMESTAMP WITH TIME ZONE': moment('timestamp(us,utc)', column => `(${column} at time zone 'UTC')`, 'Z'),
  UUID: plain('uuid'),
}

function findRead(type: DuckDBType): ColumnRead {
  const name = String(type)
  const [, args] = /^DECIMAL(\(\d+,\d+\))$/.exec(name) ?? []
  return args === undefined ? (TYPES[name] ?? STRING) : plain(`decimal${args}`)
}

/** The statement, or an error with the place where the query is wrong. */
async function prepared(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  try {
    return await connection.prepare(sql)
  } catch (error) {
    const { message } = error as Error
    const [, line, text = '', blanks = ''] = /\n\nLINE (\d+): (.*)\n( *)\^/.exec(message) ?? []
    // A long line is shown in part, behind three dots.
    if (line !== undefined && !text.startsWith('...')) {
      const above = sql.split('\n').slice(0, Number(line) - 1)
      const before = above.join('\n').length + (line === '1' ? 0 : 1)
      const column = blanks.length - `LINE ${line}: `.length
      ;(error as Error).message = message.replace('\n\nLINE ', ` at ${placeIn(sql, before + column)}\n\nLINE `)
    }
    throw error
  }
}

const BATCH = 256 * 1024

async function* readLines(connection: DuckDBConnection, sql: string): AsyncGenerator<Uint8Array> {
  const result = await connection.stream(sql)
  let lines = ''
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    lines += chunk.getColumnValues(0).join('')
    if (lines.length < BATCH) continue
    yield Buffer.from(lines)
    lines = ''
  }
  if (lines !== '') yield Buffer.from(lines)
}

async function readQuery<T>({ url, sql }: QueryPlace, { signal }: Asking, body: (rows: QueryRows) => Promise<T>): Promise<T> {
  if (!(await isThere(parsePath(url)))) throw new Refusal('there is no such file')
  return withConnection(parsePath(url), { isReadOnly: true, signal }, async connection => {
    const source = withoutEnd(sql)
    const statement = await prepared(connection, source)
    const fields = Array.from({ length: statement.columnCount }, (_, at) => ({
      name: statement.columnName(at),
      read: findRead(statement.columnType(at)),
    }))
    statement.destroySync()
    const columns = fields.map((_, at) => `c${at + 1}`)
    // The only cell of a row is never an empty line.
    const only = `coalesce(${quotedText(fields[0]?.read === STRING ? 'c1::varchar' : `(${fields[0]?.read.text('c1')})`)}, '""')`
    const cells = fields.map(({ read }, at) => `coalesce(${read.text(columns[at]!)}, '')`)
    // The line end is for a query that ends in a comment.
    const lines = `select ${fields.length === 1 ? only : cells.join(` || ',' || `)} || chr(10) from (${source}\n) as query(${columns.join(', ')})`
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${fields.map(({ name }) => quoted(name)).join(',')}\n`)
      yield* readLines(connection, lines)
    }
    return body({ types: fields.map(({ read }) => read.type), bytes: bytes() })
  })
}

const MAX_DECIMAL = 38

function typeIn(type: ColumnType): string {
  switch (type.is) {
    case 'string':
      return 'varchar'
    case 'float16':
      return 'float'
    case 'integer':
      return `${type.isSigned ? '' : 'u'}${{ 8: 'tinyint', 16: 'smallint', 32: 'integer' }[type.bits] ?? 'bigint'}`
    case 'decimal':
      return type.precision <= MAX_DECIMAL ? type.name : 'varchar'
    case 'timestamp':
      return type.isUtc ? 'timestamptz' : type.unit === 'ns' ? 'timestamp_ns' : 'timestamp'
    default:
      return type.is
  }
}

const ask = async (connection: DuckDBConnection, sql: string, values: readonly string[] = []) =>
  (await connection.runAndReadAll(sql, [...values])).getRowObjectsJS()

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Whether the database takes this statement: it is prepared, and not run. */
const isAccepted = (connection: DuckDBConnection, sql: string): Promise<boolean> =>
  connection.prepare(sql).then(
    statement => {
      statement.destroySync()
      return true
    },
    () => false,
  )

async function readFacts(connection: DuckDBConnection, { table, key }: TablePlace): Promise<TableFacts> {
  const [schema, name] = table.includes('.') ? (table.split('.', 2) as [string, string]) : ['main', table]
  const here = 'database_name = current_database() and lower(schema_name) = lower($1)'
  const relation = `${here} and lower(table_name) = lower($2)`
  const found = await ask(connection, `select 1 from duckdb_schemas() where ${here}`, [schema])
  if (found.length === 0) throw new Refusal(`there is no schema ${JSON.stringify(schema)}`)
  const view = `select 1 from duckdb_views() where ${here} and lower(view_name) = lower($2)`
  if ((await ask(connection, view, [schema, name])).length > 0) throw new Refusal('it is not a table')
  const full = `${quoted(schema)}.${quoted(name)}`
  const columns: { name: string; isGenerated: boolean }[] = []
  const listed = `select column_name as column, column_default as "from" from duckdb_columns() where ${relation} order by column_index`
  for (const { column, from } of await ask(connection, listed, [schema, name])) {
    const insert = `insert into ${full} (${quoted(String(column))}) select null`
    columns.push({ name: String(column), isGenerated: from !== null && !(await isAccepted(connection, insert)) })
  }
  const keys = key.map(quoted).join(', ')
  const upsert = `insert into ${full} (${keys}) select ${key.map(() => 'null').join(', ')} on conflict (${keys}) do nothing`
  const ledger = `select 1 from duckdb_tables() where ${relation}`
  return {
    name: full,
    schema,
    columns: columns.length === 0 ? null : columns,
    hasKey: key.length > 0 && columns.length > 0 && (await isAccepted(connection, upsert)),
    hasLedger: (await ask(connection, ledger, [schema, 'fettle_runs'])).length > 0,
  }
}

/** Longer lines are refused: a buffer holds one. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const formatSource = ({ path, columns }: TableRows): string =>
  `read_csv(${literal(path)}, auto_detect = false, header = true, delim = '\t', quote = '"', escape = '"', nullstr = '',
    parallel = false, max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${MAX_LINE_BYTES}, columns = {${columns.map((_, at) => `c${at}: 'varchar'`).join(', ')}})`

/** A number with a fraction would be rounded. */
const fitting = (column: string, type: string): string =>
  /INT(EGER)?$/.test(type) ? `case when regexp_matches(${column}, '[.eE]') then 'fraction' else ${column} end` : column

/** The row and column of a value that its column cannot hold, null when all fit. */
async function misfit(connection: DuckDBConnection, rows: TableRows, types: readonly string[]): Promise<string | null> {
  const firsts = types.map(
    (type, at) =>
      `min(row) filter (where c${at} is not null and try_cast(${fitting(`c${at}`, type)} as ${type}) is null)::int as m${at}`,
  )
  const numbered = `select *, row_number() over () as row from ${formatSource(rows)}`
  const [found = {}] = await ask(connection, `select ${firsts.join(', ')} from (${numbered})`)
  const at = types.findIndex((_, column) => found[`m${column}`] !== null)
  if (at < 0) return null
  const { name } = rows.columns[at]!
  return `row ${found[`m${at}`]}, column ${JSON.stringify(name)}: the value does not have the form of its column (${types[at]})`
}

function openSession(connection: DuckDBConnection): Session & { explained(error: unknown): Promise<unknown> } {
  let loaded: { rows: TableRows; types: readonly string[] } | null = null
  return {
    typeIn,
    // DuckDB has no limit; this one keeps messages readable.
    maxNameBytes: 1024,
    ignoresCase: true,
    query: (sql, values) => ask(connection, sql, values),
    facts: place => readFacts(connection, place),
    begin: async () => void (await connection.run('begin')),
    async load(target, rows) {
      const names = rows.columns.map(({ name }) => quoted(name))
      const described = await connection.prepare(`select ${names.join(', ')} from ${target}`)
      const types = names.map((_, at) => String(described.columnType(at)))
      described.destroySync()
      loaded = { rows, types }
      const cells = types.map((type, at) => `cast(${fitting(`c${at}`, type)} as ${type}) as ${names[at]}`)
      await connection.run(`create temporary view fettle_rows as select ${cells.join(', ')} from ${formatSource(rows)}`)
    },
    async explained(error) {
      if (loaded === null || !/^(?:Conversion|Out of Range|Invalid Input) Error/.test((error as Error).message)) return error
      await connection.run('rollback')
      const reason = await misfit(connection, loaded.rows, loaded.types)
      return reason === null ? error : new Refusal(reason)
    },
  }
}

/** The folder, or the nearest one above it that is there. */
const existing = async (folder: string): Promise<string> =>
  access(folder).then(
    () => folder,
    () => (dirname(folder) === folder ? folder : existing(dirname(folder))),
  )

async function withSession<T>(
  { url }: DatabasePlace,
  { signal, isTrial = false }: Asking,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  const path = parsePath(url)
  const isNew = !(await isThere(path))
  if (isNew && isTrial) await access(await existing(dirname(path)), constants.W_OK)
  else if (isNew) await mkdir(dirname(path), { recursive: true })
  return withConnection(isNew && isTrial ? ':memory:' : path, { isReadOnly: false, signal }, async connection => {
    const session = openSession(connection)
    try {
      return await body(session)
    } catch (error) {
      throw await session.explained(error)
    }
  })
}

export const DUCKDB: Database = {
  readQuery,
  withSession,
  describeError,
  // A process that has the file open may have it for hours.
  isPassing: () => false,
  // One process writes at a time.
  isDouble: () => false,
  queryHint: 'Check input.sql with duckdb; the query reads this file and nothing else.',
}
