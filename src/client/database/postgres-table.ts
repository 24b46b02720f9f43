/** A session of PostgreSQL that fills a table: rows arrive by COPY. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import type { ColumnType } from '../../model/columns.ts'
import { type Asking, type DatabasePlace, quoted, Refusal, type Session, type TableFacts, type TablePlace } from './database.ts'
import { withConnection } from './postgres-connect.ts'

/** NAMEDATALEN - 1: PostgreSQL cuts longer names without an error. */
const MAX_NAME_BYTES = 63

const HIGH_WATER_MARK = 256 * 1024

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

async function factsOf(client: Client, { table, key }: TablePlace): Promise<TableFacts> {
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
    hasKey: unique.some(one => one.columns.length === key.length && key.every(column => one.columns.includes(column))),
    hasLedger: ledger.there,
  }
}

export const withSession = <T>(place: DatabasePlace, how: Asking, body: (session: Session) => Promise<T>): Promise<T> =>
  withConnection(place, how, ({ client, copyFrom }) =>
    body({
      typeIn,
      maxNameBytes: MAX_NAME_BYTES,
      ignoresCase: false,
      query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
      facts: table => factsOf(client, table),
      async begin() {
        await client.query('begin')
        // A lock that is never released must not hold the run for ever; the address may set another limit by `options`.
        await client.query(`select set_config('lock_timeout', '60s', true) where current_setting('lock_timeout') = '0'`)
      },
      async load(target, { columns, path }) {
        const names = columns.map(({ name }) => quoted(name)).join(', ')
        await client.query(`create temporary table fettle_rows on commit drop as select ${names} from ${target} with no data`)
        const sql = `copy fettle_rows (${names}) from stdin (format csv, delimiter E'\\t', header true, force_null (${names}), encoding 'UTF8')`
        await pipeline(createReadStream(path, { highWaterMark: HIGH_WATER_MARK }), client.query(copyFrom(sql)))
      },
    }),
  )
