/**
 * A million rows out of PostgreSQL, DuckDB and Parquet and into them: MB of text in a second and the peak memory of each process, beside
 * `psql \copy` and DuckDB's own COPY. `npm run bench -- data`, after `npm run build`; BENCH_ROWS names another number.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { number } from './lib/csv-figures.mjs'
import { writeTable as writeList } from './lib/csv-tables.mjs'
import { peakMb } from './lib/peak.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { timed } from './lib/timed.mjs'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const self = fileURLToPath(import.meta.url)
const HOW = { isNear: () => true, attempts: 1 }
const NAMES = ['id', 'Company Name', 'Reg No', 'Address', 'Town', 'Postcode', 'Country', 'Phone', 'Mail', 'Status', 'match.score']
const COLUMNS = NAMES.map((name, at) => ({ name, type: at === 0 ? 'int32' : at === 10 ? 'double' : 'string' }))
const SQL_COLUMNS = COLUMNS.map(
  ({ name, type }) => `"${name}" ${{ int32: 'integer', double: 'float8', string: 'text' }[type]}`,
).join(', ')

/** What each process does alone; `at` is a database or a file, `path` the rows as text between tabs. */
const TASKS = {
  async query(url, path) {
    const [{ withQuery }, { writeContentAddressed }] = await Promise.all([
      import('../build/client/database/databases.js'),
      import('../build/files/atomic-file.js'),
    ])
    const place = { shown: '', url, sql: 'select * from lists order by id' }
    await withQuery(place, HOW, ({ bytes }) => writeContentAddressed(bytes, path))
  },
  async table(url, path, mode) {
    const { writeTable } = await import('../build/client/database/write-table.js')
    const place = { shown: '', url, table: 'enriched', mode, key: mode === 'upsert' ? ['id'] : [] }
    await writeTable(place, { runId: mode, columns: COLUMNS, sha256: '', path }, HOW)
  },
  async readParquet(path) {
    const { parquetText } = await import('../build/input/parquet/read-parquet.js')
    const hash = createHash('sha256')
    for await (const piece of parquetText(path, path)) hash.update(piece)
  },
  async writeParquet(path, text) {
    const [{ openFormat }, { columnTypeOf }, { parse }, { createReadStream }] = await Promise.all([
      import('../build/formats/writers.js'),
      import('../build/model/columns.js'),
      import('csv-parse'),
      import('node:fs'),
    ])
    const types = COLUMNS.map(({ type }) => columnTypeOf(type))
    const { head, render, end } = await openFormat('parquet', { names: NAMES, delimiter: ',', title: '', types }, path)
    const file = await open(path, 'w')
    await file.write(head)
    const batch = []
    const flush = async () => file.write(render(batch.splice(0)))
    for await (const row of createReadStream(text).pipe(parse({ delimiter: '\t', from: 2 })))
      if (batch.push(row) === 500) await flush()
    await flush()
    await file.write(end?.() ?? '')
    await file.close()
  },
  /** DuckDB alone, by the same package. */
  async duckdb(path, sql) {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    await connection.run(sql)
    connection.closeSync()
    instance.closeSync()
  },
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-data-'))
  // The server runs as another user.
  chmodSync(folder, 0o755)
  const at = name => join(folder, name)
  const server = await startPostgres(at('server'))
  try {
    console.log(`${new Date().toISOString()}  Node ${process.versions.node}  ${cpus()[0].model}  load ${loadavg()[0].toFixed(1)}`)
    await writeList(at('list.csv'), { rows: ROWS })
    const task = async (...args) => {
      const { stdout } = await promisify(execFile)(process.execPath, [self, ...args])
      return JSON.parse(stdout)
    }
    const duckdb = sql => task('duckdb', at('lists.duckdb'), sql)
    // One score more, and tabs: as fettle has rows on their way into a table.
    const source = `select *, (id % 1000) / 1000 as "match.score" from read_csv('${at('list.csv')}', all_varchar = false)`
    await duckdb(`copy (${source}) to '${at('rows.tsv')}' (delimiter '\t', header)`)
    await duckdb(`create table lists as ${source}`)
    await duckdb(`copy lists to '${at('list.parquet')}' (row_group_size 100000, compression snappy)`)
    await duckdb(`copy lists to '${at('large.parquet')}' (row_group_size ${ROWS}, compression snappy)`)
    const bytes = statSync(at('rows.tsv')).size
    console.log(`${number(ROWS)} rows, ${number(bytes / 1e6)} MB of text${server === null ? '' : `, ${server.version}`}`)
    const figures = []
    const measured = async (what, doing, beside = null) => {
      const { seconds, peakMb } = await doing()
      const peer = beside === null ? null : (await beside()).seconds
      const one = { what, mbPerSecond: bytes / 1e6 / seconds, peer: peer === null ? null : bytes / 1e6 / peer, peakMb }
      figures.push(one)
      const words = one.peer === null ? '' : `beside ${number(one.peer)} (ratio ${number(one.mbPerSecond / one.peer, 2)})`
      console.log(
        `${what.padEnd(40)} ${number(one.mbPerSecond).padStart(5)} MB/s ${words.padEnd(24)} ${number(peakMb).padStart(5)} MB`,
      )
    }
    if (server !== null) {
      const psql = (...commands) => timed(folder, [...server.psql, ...commands.flatMap(command => ['-c', command])])
      await psql(`create table lists (${SQL_COLUMNS})`, `\\copy lists from rows.tsv (format csv, header, delimiter E'\\t')`)
      const copyOut = () => psql(`\\copy (select * from lists order by id) to copy.csv (format csv, header)`)
      await measured('PostgreSQL: query to file', () => task('query', server.url, folder), copyOut)
      const copyIn = () =>
        psql(
          'drop table if exists copied',
          `create table copied (${SQL_COLUMNS})`,
          `\\copy copied from rows.tsv (format csv, header, delimiter E'\\t')`,
        )
      for (const mode of ['replace', 'append'])
        await measured(`PostgreSQL: file to table, ${mode}`, () => task('table', server.url, at('rows.tsv'), mode), copyIn)
      await psql('drop table enriched')
      for (const what of ['upsert, new', 'upsert, all there'])
        await measured(`PostgreSQL: file to table, ${what}`, async () => {
          await psql(`delete from fettle_runs`).catch(() => {})
          return task('table', server.url, at('rows.tsv'), 'upsert')
        })
    }
    const url = `duckdb:${at('lists.duckdb')}`
    await measured(
      'DuckDB: query to file',
      () => task('query', url, folder),
      () => duckdb(`copy (from lists order by id) to '${at('copy.csv')}' (header)`),
    )
    const copyIn = () => duckdb(`create or replace table copied as from read_csv('${at('rows.tsv')}')`)
    for (const mode of ['replace', 'append'])
      await measured(`DuckDB: file to table, ${mode}`, () => task('table', url, at('rows.tsv'), mode), copyIn)
    await duckdb('drop table enriched')
    await measured('DuckDB: file to table, upsert, new', () => task('table', url, at('rows.tsv'), 'upsert'))
    await duckdb('delete from fettle_runs')
    await measured('DuckDB: file to table, upsert, all there', () => task('table', url, at('rows.tsv'), 'upsert'))
    await measured('Parquet: read, row groups of 100,000', () => task('readParquet', at('list.parquet')))
    await measured(`Parquet: read, one row group`, () => task('readParquet', at('large.parquet')))
    await measured('Parquet: written', () => task('writeParquet', at('written.parquet'), at('rows.tsv')))
    return figures
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const [, , role, ...args] = process.argv
if (role === undefined) console.log(JSON.stringify({ rows: ROWS, figures: await main() }))
else {
  const startedAt = performance.now()
  await TASKS[role](...args)
  console.log(JSON.stringify({ seconds: (performance.now() - startedAt) / 1000, peakMb: peakMb() }))
}
