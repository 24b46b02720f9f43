/** A session of a DuckDB file that fills a table: the database reads the rows from their file. */
import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ColumnType } from '../../model/columns.ts'
import {
  type Asking,
  type DatabasePlace,
  quoted,
  Refusal,
  type Session,
  type TableFacts,
  type TablePlace,
  type TableRows,
} from './database.ts'
import { fileOf, isThere, withConnection } from './duckdb-connect.ts'

const MAX_DECIMAL = 38

function typeIn(type: ColumnType): string {
  switch (type.is) {
    case 'string':
    case 'mixed':
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

async function factsOf(connection: DuckDBConnection, { table, key }: TablePlace): Promise<TableFacts> {
  const [schema, name] = table.includes('.') ? (table.split('.', 2) as [string, string]) : ['main', table]
  const here = 'database_name = current_database() and lower(schema_name) = lower($1)'
  const relation = `${here} and lower(table_name) = lower($2)`
  const found = await ask(connection, `select 1 from duckdb_schemas() where ${here}`, [schema])
  if (found.length === 0) throw new Refusal(`there is no schema ${JSON.stringify(schema)}`)
  const view = `select 1 from duckdb_views() where ${here} and lower(view_name) = lower($2)`
  if ((await ask(connection, view, [schema, name])).length > 0) throw new Refusal('it is not a table')
  const full = `${quoted(schema)}.${quoted(name)}`
  const columns: { name: string; isGenerated: boolean }[] = []
  for (const { column, from } of await ask(
    connection,
    `select column_name as column, column_default as "from" from duckdb_columns() where ${relation} order by column_index`,
    [schema, name],
  )) {
    const one = quoted(String(column))
    const isGenerated = from !== null && !(await isAccepted(connection, `insert into ${full} (${one}) select null`))
    columns.push({ name: String(column), isGenerated })
  }
  const keys = key.map(quoted).join(', ')
  const ledger = `select 1 from duckdb_tables() where ${relation}`
  return {
    name: full,
    schema,
    columns: columns.length === 0 ? null : columns,
    hasKey:
      key.length > 0 &&
      columns.length > 0 &&
      (await isAccepted(
        connection,
        `insert into ${full} (${keys}) select ${key.map(() => 'null').join(', ')} on conflict (${keys}) do nothing`,
      )),
    hasLedger: (await ask(connection, ledger, [schema, 'fettle_runs'])).length > 0,
  }
}

/** Longer lines are refused: a buffer holds one. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const sourceOf = ({ path, columns }: TableRows): string =>
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
  const [found = {}] = await ask(
    connection,
    `select ${firsts.join(', ')} from (select *, row_number() over () as row from ${sourceOf(rows)})`,
  )
  const at = types.findIndex((_, column) => found[`m${column}`] !== null)
  if (at < 0) return null
  const { name } = rows.columns[at]!
  return `row ${found[`m${at}`]}, column ${JSON.stringify(name)}: the value does not have the form of its column (${types[at]})`
}

function sessionOf(connection: DuckDBConnection): Session & { explained(error: unknown): Promise<unknown> } {
  let loaded: { rows: TableRows; types: readonly string[] } | null = null
  return {
    typeIn,
    // DuckDB has no limit; this one keeps messages readable.
    maxNameBytes: 1024,
    ignoresCase: true,
    query: (sql, values) => ask(connection, sql, values),
    facts: place => factsOf(connection, place),
    begin: async () => void (await connection.run('begin')),
    async load(target, rows) {
      const names = rows.columns.map(({ name }) => quoted(name))
      const described = await connection.prepare(`select ${names.join(', ')} from ${target}`)
      const types = names.map((_, at) => String(described.columnType(at)))
      described.destroySync()
      loaded = { rows, types }
      const cells = types.map((type, at) => `cast(${fitting(`c${at}`, type)} as ${type}) as ${names[at]}`)
      await connection.run(`create temporary view fettle_rows as select ${cells.join(', ')} from ${sourceOf(rows)}`)
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

export async function withSession<T>(
  { url }: DatabasePlace,
  { signal, isTrial = false }: Asking,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  const path = fileOf(url)
  const isNew = !(await isThere(path))
  if (isNew && isTrial) await access(await existing(dirname(path)), constants.W_OK)
  else if (isNew) await mkdir(dirname(path), { recursive: true })
  return withConnection(isNew && isTrial ? ':memory:' : path, { isReadOnly: false, signal }, async connection => {
    const session = sessionOf(connection)
    try {
      return await body(session)
    } catch (error) {
      throw await session.explained(error)
    }
  })
}
