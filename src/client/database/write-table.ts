/**
 * Writes rows into a table of PostgreSQL in one transaction: COPY into a temporary table, then the table is filled, extended or merged, and
 * the run is entered in `fettle_runs`. A crash anywhere leaves the old table or the new one, and a run that is entered writes nothing again.
 */
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { FettleError } from '../../errors.ts'
import { type ColumnType, columnTypeOf } from '../../model/column-types.ts'
import { type Connection, type DatabasePlace, type IsNear, isPassing, quoted, reasonOf, withConnection } from './connect.ts'

export type TableMode = 'replace' | 'append' | 'upsert'

export interface TablePlace extends DatabasePlace {
  /** `schema.name`, or `name` in the first schema of the search path. */
  readonly table: string
  readonly mode: TableMode
  /** Columns that identify a row, for `upsert`. */
  readonly key: readonly string[]
}

/** `type` is a name of `model/column-types.ts`. */
export interface TableColumn {
  readonly name: string
  readonly type: string
}

/** Rows in a file on their way: text between tabs as CSV quotes it, with a header. */
export interface TableRows {
  readonly runId: string
  readonly columns: readonly TableColumn[]
  readonly sha256: string
  readonly open: () => NodeJS.ReadableStream
}

interface Asking {
  readonly isNear: IsNear
  readonly attempts: number
  readonly signal?: AbortSignal | undefined
}

/** NAMEDATALEN - 1: PostgreSQL cuts longer names without an error. */
const MAX_NAME_BYTES = 63

function typeIn(type: ColumnType): string {
  switch (type.is) {
    case 'string':
    case 'mixed':
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

/** Whether the table can take rows of these columns. Throws FETTLE_OUTPUT_WRITE with all that prevents it. */
export const checkTable = (place: TablePlace, columns: readonly TableColumn[], how: Asking): Promise<void> =>
  attempt(place, how, async ({ client }) => {
    await prove(await factsOf(client, place), place, columns)
  })

/** Writes the rows, or returns when this run has written the same rows before. Throws FETTLE_OUTPUT_WRITE. */
export const writeTable = (place: TablePlace, rows: TableRows, how: Asking): Promise<void> =>
  attempt(place, how, async connection => {
    const { client } = connection
    const facts = await factsOf(client, place)
    prove(facts, place, rows.columns)
    await createLedger(client, facts)
    await client.query('begin')
    // A lock that is never released must not hold the run for ever; the address may set another limit by `options`.
    await client.query(`select set_config('lock_timeout', '60s', true) where current_setting('lock_timeout') = '0'`)
    if (await isWritten(client, facts, place, rows)) {
      await client.query('rollback')
      return
    }
    const names = rows.columns.map(({ name }) => quoted(name)).join(', ')
    const target = facts.columns === null ? await createTable(client, facts, place, rows.columns) : facts.name
    await client.query(`create temporary table fettle_rows on commit drop as select ${names} from ${target} with no data`)
    await copy(connection, names, rows)
    await merge(client, target, names, place, rows.columns)
    await enter(client, facts, place, rows)
    await client.query('commit')
  })

interface Facts {
  /** Quoted, with its schema. */
  readonly name: string
  readonly schema: string
  /** Null when there is no such table. */
  readonly columns: ReadonlyMap<string, { readonly isGenerated: boolean }> | null
  /** Columns of each unique index without a condition. */
  readonly unique: readonly (readonly string[])[]
  readonly hasLedger: boolean
}

async function factsOf(client: Client, { table }: TablePlace): Promise<Facts> {
  const [schemaName, name = null] = table.includes('.') ? table.split('.', 2) : [null, table]
  const { rows } = await client.query(
    `select coalesce($1::text, current_schema()) as schema, exists (select from pg_namespace where nspname = coalesce($1::text, current_schema())) as there`,
    [schemaName],
  )
  const { schema, there } = rows[0]
  if (!there) throw new Refusal(`there is no schema ${JSON.stringify(schema)}`)
  const found = await client.query(
    `select c.oid, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`,
    [schema, name],
  )
  const [relation] = found.rows
  if (relation !== undefined && !['r', 'p'].includes(relation.relkind)) throw new Refusal('it is not a table')
  const columns =
    relation === undefined
      ? []
      : (
          await client.query(
            `select attname, attgenerated <> '' or attidentity = 'a' as generated from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
            [relation.oid],
          )
        ).rows
  const unique =
    relation === undefined
      ? []
      : (
          await client.query(
            `select array(select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) k join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k) as columns
     from pg_index i where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null`,
            [relation.oid],
          )
        ).rows
  const ledger = await client.query('select to_regclass($1) is not null as there', [`${quoted(schema)}.fettle_runs`])
  return {
    name: `${quoted(schema)}.${quoted(name ?? '')}`,
    schema,
    columns: relation === undefined ? null : new Map(columns.map(one => [one.attname, { isGenerated: one.generated }])),
    unique: unique.map(one => one.columns),
    hasLedger: ledger.rows[0].there,
  }
}

/** What prevents the writing, in words for the end of a sentence. */
class Refusal extends Error {}

const listed = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')

function prove({ columns, unique }: Facts, { mode, key }: TablePlace, wanted: readonly TableColumn[]): void {
  const names = wanted.map(({ name }) => name)
  const problems: string[] = []
  const long = names.filter(name => Buffer.byteLength(name) > MAX_NAME_BYTES)
  if (long.length > 0) problems.push(`names of more than ${MAX_NAME_BYTES} bytes: ${listed(long)}`)
  const double = names.filter((name, at) => names.indexOf(name) !== at)
  if (double.length > 0) problems.push(`columns of one name: ${listed([...new Set(double)])}`)
  const lost = key.filter(name => !names.includes(name))
  if (lost.length > 0) problems.push(`output.key names no column of the output: ${listed(lost)}`)
  if (columns !== null) {
    const missing = names.filter(name => !columns.has(name))
    if (missing.length > 0) problems.push(`the table has no column ${listed(missing)}; it has ${listed([...columns.keys()])}`)
    const generated = names.filter(name => columns.get(name)?.isGenerated === true)
    if (generated.length > 0) problems.push(`the database generates ${listed(generated)}`)
    const hasKey = unique.some(one => one.length === key.length && key.every(name => one.includes(name)))
    if (mode === 'upsert' && lost.length === 0 && !hasKey) problems.push(`the table has no unique index on ${listed(key)}`)
  }
  if (problems.length > 0) throw new Refusal(problems.join('; '))
}

/** In its own transaction, since two runs may create it at once. */
async function createLedger(client: Client, { schema, hasLedger }: Facts): Promise<void> {
  if (hasLedger) return
  const sql = `create table ${quoted(schema)}.fettle_runs (
    run_id text, table_name text, mode text not null, rows bigint not null, sha256 text not null,
    written_at timestamptz not null, primary key (run_id, table_name))`
  await client.query(sql).catch((error: { code?: string }) => {
    // Another run was faster: duplicate_table, unique_violation.
    if (error.code !== '42P07' && error.code !== '23505') throw error
  })
}

async function isWritten(
  client: Client,
  { schema }: Facts,
  { table, mode }: TablePlace,
  { runId, sha256 }: TableRows,
): Promise<boolean> {
  const { rows } = await client.query(`select sha256 from ${quoted(schema)}.fettle_runs where run_id = $1 and table_name = $2`, [
    runId,
    table,
  ])
  if (rows.length === 0) return false
  if (rows[0].sha256 === sha256) return true
  // Other rows of the same run, after a decision: they take the place of the first ones where that is possible.
  if (mode === 'append') throw new Refusal(`the run ${runId} has appended its rows, and they are others now`)
  return false
}

async function createTable(
  client: Client,
  { name }: Facts,
  { mode, key }: TablePlace,
  columns: readonly TableColumn[],
): Promise<string> {
  const primary = mode === 'upsert' ? [`primary key (${key.map(quoted).join(', ')})`] : []
  const all = [...columns.map(one => `${quoted(one.name)} ${typeIn(columnTypeOf(one.type))}`), ...primary]
  await client.query(`create table ${name} (${all.join(', ')})`)
  return name
}

async function copy({ client, copyFrom }: Connection, names: string, { open }: TableRows): Promise<void> {
  const sql = `copy fettle_rows (${names}) from stdin (format csv, delimiter E'\\t', header true, force_null (${names}), encoding 'UTF8')`
  await pipeline(open(), client.query(copyFrom(sql)))
}

async function merge(
  client: Client,
  target: string,
  names: string,
  { mode, key }: TablePlace,
  columns: readonly TableColumn[],
): Promise<void> {
  if (mode === 'replace') await client.query(`truncate ${target}`)
  const insert = `insert into ${target} (${names}) select ${names} from fettle_rows`
  if (mode !== 'upsert') return void (await client.query(insert))
  const keys = key.map(quoted).join(', ')
  const empty = key.map(name => `${quoted(name)} is null`).join(' or ')
  const { rows } = await client.query(
    `select count(*) filter (where ${empty})::int as empty, (select count(*)::int from (select from fettle_rows group by ${keys} having count(*) > 1) as found) as repeated from fettle_rows`,
  )
  const [{ empty: without, repeated }] = rows as [{ empty: number; repeated: number }]
  if (without > 0 || repeated > 0)
    throw new Refusal(`output.key ${listed(key)} is empty in ${without} rows, and ${repeated} of its values are in several rows`)
  const others = columns.filter(({ name }) => !key.includes(name)).map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`)
  const action = others.length === 0 ? 'nothing' : `update set ${others.join(', ')}`
  await client.query(`${insert} on conflict (${keys}) do ${action}`)
}

async function enter(
  client: Client,
  { schema }: Facts,
  { table, mode }: TablePlace,
  { runId, sha256 }: TableRows,
): Promise<void> {
  await client.query(
    `insert into ${quoted(schema)}.fettle_runs select $1, $2, $3, count(*), $4, now() from fettle_rows
     on conflict (run_id, table_name) do update set mode = excluded.mode, rows = excluded.rows, sha256 = excluded.sha256, written_at = excluded.written_at`,
    [runId, table, mode, sha256],
  )
}

/** Repeats what a broken connection undid: an answer to `commit` that was lost is found in `fettle_runs`. */
async function attempt(place: TablePlace, how: Asking, step: (connection: Connection) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await withConnection(place, how, step)
    } catch (error) {
      how.signal?.throwIfAborted()
      if (FettleError.is(error)) throw error
      if (isPassing(error) && tries < how.attempts) continue
      const why = error instanceof Refusal ? error.message : reasonOf(error)
      throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write the table ${place.table} at ${place.shown}: ${why}`, {
        hint: 'The table is as it was. Correct the cause, then run the same command again: an unfinished run is resumed.',
      })
    }
  }
}
