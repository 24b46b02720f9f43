/**
 * Writes rows into a table of a database in one transaction: they are loaded beside it, then the table is filled, extended or merged, and the
 * run is entered in `fettle_runs`. A crash anywhere leaves the old table or the new one, and a run that is entered writes nothing again.
 */
import { FettleError } from '../../errors.ts'
import { columnTypeOf } from '../../model/columns.ts'
import {
  type Asking,
  quoted,
  Refusal,
  type Session,
  type TableColumn,
  type TableFacts,
  type TablePlace,
  type TableRows,
} from './database.ts'
import { attempt, databaseOfUrl } from './databases.ts'

/** Whether the table can take rows of these columns. Throws FETTLE_OUTPUT_WRITE with all that prevents it. */
export const checkTable = (place: TablePlace, columns: readonly TableColumn[], how: Asking): Promise<void> =>
  inSession(place, { ...how, isTrial: true }, async session =>
    prove({ session, facts: await session.facts(place), place, columns }),
  )

/** Writes the rows, or returns when this run has written the same rows before. Throws FETTLE_OUTPUT_WRITE. */
export const writeTable = (place: TablePlace, rows: TableRows, how: Asking): Promise<void> =>
  inSession(place, how, async session => {
    const facts = await session.facts(place)
    const target = { session, facts, place, columns: rows.columns }
    prove(target)
    await createLedger(target)
    await session.begin()
    if (await isWritten(target, rows)) {
      await session.query('rollback')
      return
    }
    if (facts.columns === null) await createTable(target)
    await session.load(facts.name, rows)
    await merge(target)
    await enter(target, rows)
    await session.query('commit')
  })

/** A table, and the columns of the rows for it. */
interface Target {
  readonly session: Session
  readonly facts: TableFacts
  readonly place: TablePlace
  readonly columns: readonly TableColumn[]
}

const listed = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')

function prove({ session, facts: { columns, hasKey }, place: { mode, key }, columns: wanted }: Target): void {
  const { maxNameBytes, ignoresCase } = session
  const as = (name: string): string => (ignoresCase ? name.toLowerCase() : name)
  const names = wanted.map(({ name }) => name)
  const problems: string[] = []
  const long = names.filter(name => Buffer.byteLength(name) > maxNameBytes)
  if (long.length > 0) problems.push(`names of more than ${maxNameBytes} bytes: ${listed(long)}`)
  const double = names.filter((name, at) => names.findIndex(other => as(other) === as(name)) !== at)
  if (double.length > 0) problems.push(`columns of one name: ${listed([...new Set(double)])}`)
  const lost = key.filter(name => !names.includes(name))
  if (lost.length > 0) problems.push(`output.key names no column of the output: ${listed(lost)}`)
  if (columns !== null) {
    const missing = names.filter(name => !columns.some(column => as(column.name) === as(name)))
    if (missing.length > 0)
      problems.push(`the table has no column ${listed(missing)}; it has ${listed(columns.map(column => column.name))}`)
    const generated = names.filter(name => columns.some(column => as(column.name) === as(name) && column.isGenerated))
    if (generated.length > 0) problems.push(`the database generates ${listed(generated)}`)
    if (mode === 'upsert' && lost.length === 0 && !hasKey) problems.push(`the table has no unique index on ${listed(key)}`)
  }
  if (problems.length > 0) throw new Refusal(problems.join('; '))
}

const formatLedger = ({ schema }: TableFacts): string => `${quoted(schema)}.fettle_runs`

/** In its own transaction, since two runs may create it at once. */
async function createLedger({ session, facts, place: { url } }: Target): Promise<void> {
  if (facts.hasLedger) return
  const sql = `create table ${formatLedger(facts)} (
    run_id text, table_name text, mode text not null, rows bigint not null, sha256 text not null,
    written_at timestamptz not null, primary key (run_id, table_name))`
  await session.query(sql).catch(error => {
    // Another run was faster.
    if (!databaseOfUrl(url).isDouble(error)) throw error
  })
}

async function isWritten({ session, facts, place }: Target, { runId, sha256 }: TableRows): Promise<boolean> {
  const sql = `select sha256 from ${formatLedger(facts)} where run_id = $1 and table_name = $2`
  const [entry] = await session.query(sql, [runId, place.table])
  if (entry === undefined) return false
  if (entry.sha256 === sha256) return true
  // Other rows of the same run, after a decision: they take the place of the first ones where that is possible.
  if (place.mode === 'append') throw new Refusal(`the run ${runId} has appended its rows, and they are others now`)
  return false
}

async function createTable({ session, facts: { name }, place: { mode, key }, columns }: Target): Promise<void> {
  const primary = mode === 'upsert' ? [`primary key (${key.map(quoted).join(', ')})`] : []
  const all = [...columns.map(column => `${quoted(column.name)} ${session.typeIn(columnTypeOf(column.type))}`), ...primary]
  await session.query(`create table ${name} (${all.join(', ')})`)
}

async function merge({ session, facts, place: { mode, key }, columns }: Target): Promise<void> {
  if (mode === 'replace') await session.query(`truncate ${facts.name}`)
  const names = columns.map(({ name }) => quoted(name)).join(', ')
  const insert = `insert into ${facts.name} (${names}) select ${names} from fettle_rows`
  if (mode !== 'upsert') return void (await session.query(insert))
  const keys = key.map(quoted).join(', ')
  const empty = key.map(name => `${quoted(name)} is null`).join(' or ')
  const [counts] = await session.query(
    `select (count(*) filter (where ${empty}))::int as empty, (select count(*)::int from (select 1 from fettle_rows group by ${keys} having count(*) > 1) as found) as repeated from fettle_rows`,
  )
  const { empty: without, repeated } = counts as { empty: number; repeated: number }
  if (without > 0 || repeated > 0)
    throw new Refusal(`output.key ${listed(key)} is empty in ${without} rows, and ${repeated} of its values are in several rows`)
  const others = columns.filter(({ name }) => !key.includes(name)).map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`)
  const action = others.length === 0 ? 'nothing' : `update set ${others.join(', ')}`
  await session.query(`${insert} on conflict (${keys}) do ${action}`)
}

async function enter({ session, facts, place }: Target, { runId, sha256 }: TableRows): Promise<void> {
  await session.query(
    `insert into ${formatLedger(facts)} select $1, $2, $3, count(*), $4, now() from fettle_rows
     on conflict (run_id, table_name) do update set mode = excluded.mode, rows = excluded.rows, sha256 = excluded.sha256, written_at = excluded.written_at`,
    [runId, place.table, place.mode, sha256],
  )
}

/** What a broken connection undid is repeated: an answer to `commit` that was lost is found in `fettle_runs`. */
const inSession = (place: TablePlace, how: Asking, step: (session: Session) => Promise<void>): Promise<void> =>
  attempt(
    place,
    how,
    database => database.withSession(place, how, step),
    why =>
      new FettleError('FETTLE_OUTPUT_WRITE', `cannot write the table ${place.table} at ${place.shown}: ${why}`, {
        hint: 'The table is as it was. Correct the cause, then run the same command again: an unfinished run is resumed.',
      }),
  )
