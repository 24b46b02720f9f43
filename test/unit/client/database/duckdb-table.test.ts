/**
 * Tables of a DuckDB file: replaced, extended and merged in one transaction. Whatever ends at any statement, the old table or the new one
 * is there, and a run that is repeated writes its rows once.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TableMode, TablePlace } from '../../../../src/client/database/database.ts'
import { checkTable, writeTable } from '../../../../src/client/database/write-table.ts'
import { atFileEnd } from '../../../support/file-end.ts'
import { runs } from '../../../support/runs.ts'
import { queryFile } from './duckdb.ts'
import { COLUMNS, expectOnce, fileWith, NEW, textOf, WRITTEN } from './rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'fettle-duckdb-'))
atFileEnd(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'lists.duckdb')
const HOW = { isNear: () => true, attempts: 1 }
const SHOWN = 'duckdb:lists.duckdb'

beforeEach(() => {
  for (const end of ['', '.wal']) rmSync(`${file}${end}`, { force: true })
})

const placeOf = (mode: TableMode, { table = 'suppliers', path = file } = {}): TablePlace => ({
  ...{ shown: SHOWN, url: `duckdb:${path}`, table, mode },
  key: mode === 'upsert' ? ['id'] : [],
})
const write = (
  mode: TableMode,
  { rows = NEW, runId = 'run-1', columns = COLUMNS, text = textOf(rows), table = 'suppliers', path = file } = {},
) =>
  writeTable(
    placeOf(mode, { table, path }),
    { runId, columns, sha256: createHash('sha256').update(text).digest('hex'), path: fileWith(text) },
    HOW,
  )
const query = (...statements: readonly string[]) => queryFile(file, ...statements)
const content = () => query('from suppliers order by id, note')
const ledger = () => query('select run_id, table_name, mode, rows::int as rows from fettle_runs order by 1')
const OLD = [
  `create table suppliers (id int primary key, "match.score" double, active bool, note varchar, since date default '2026-01-01')`,
  `insert into suppliers values (2, 0.5, true, 'old', default), (9, 0.25, false, 'old', default)`,
]

test('a table that does not exist is created with the types of the columns, also its file and folder', async () => {
  await write('replace', { path: join(folder, 'new/folder/made.duckdb') })
  expect(existsSync(join(folder, 'new/folder/made.duckdb'))).toBe(true)
  await write('replace')
  expect(await content()).toEqual(WRITTEN)
  expect(await query(`select data_type as t from duckdb_columns() where table_name = 'suppliers'`)).toEqual(
    ['INTEGER', 'DOUBLE', 'BOOLEAN', 'VARCHAR'].map(t => ({ t })),
  )
  expect(await ledger()).toEqual([{ run_id: 'run-1', table_name: 'suppliers', mode: 'replace', rows: 3 }])
})

test('columns of every type take the cells of that type', async () => {
  const cells: Record<string, readonly [string, string, string?]> = {
    uuid: ['UUID', '00112233-4455-6677-8899-aabbccddeeff'],
    float: ['FLOAT', '0.5'],
    float16: ['FLOAT', '0.5'],
    date: ['DATE', '2026-01-31'],
    int8: ['TINYINT', '-128'],
    uint16: ['USMALLINT', '65535'],
    uint32: ['UINTEGER', '4294967295'],
    uint64: ['UBIGINT', '18446744073709551615'],
    'decimal(12,2)': ['DECIMAL(12,2)', '12.50'],
    'decimal(40,2)': ['VARCHAR', '12.50'],
    decimal: ['VARCHAR', '0.001'],
    'timestamp(us)': ['TIMESTAMP', '2026-01-31T08:15:00.250', '2026-01-31 08:15:00.25'],
    'timestamp(ns)': ['TIMESTAMP_NS', '2026-01-31T08:15:00.000000001', '2026-01-31 08:15:00.000000001'],
    'timestamp(ms,utc)': ['TIMESTAMP WITH TIME ZONE', '2026-01-31T08:15:00Z', '2026-01-31 08:15:00+00'],
    'time(us)': ['TIME', '23:59:59.000001'],
  }
  const columns = Object.keys(cells).map((type, at) => ({ name: `c${at}`, type }))
  const all = Object.values(cells)
  await write('replace', {
    columns,
    text: `${columns.map(({ name }) => name).join('\t')}\n${all.map(([, cell]) => cell).join('\t')}`,
  })
  const types = await query(`select data_type as t from duckdb_columns() where table_name = 'suppliers' order by column_index`)
  expect(types.map(one => one.t)).toEqual(all.map(([type]) => type))
  const [row] = await query(`select ${columns.map(({ name }) => `${name}::varchar as ${name}`).join(', ')} from suppliers`)
  expect(Object.values(row!)).toEqual(all.map(([, cell, text = cell]) => text))
})

test('a table keeps its views, defaults and other columns when it is replaced, extended and merged', async () => {
  await query(...OLD, 'create view seen as select id from suppliers')
  await write('append', { rows: [['5', '', '', 'new']] })
  expect((await content()).map(row => row.id)).toEqual([2, 5, 9])
  await write('upsert', { runId: 'run-2' })
  expect((await content()).map(({ id, note }) => [id, note])).toEqual([
    [1, 'one\ttab'],
    [2, '"quoted"\nline'],
    [3, null],
    [5, 'new'],
    [9, 'old'],
  ])
  await write('replace', { runId: 'run-3' })
  expect(await content()).toEqual(WRITTEN.map(row => ({ ...row, since: new Date('2026-01-01') })))
  expect(await query('from seen order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
})

test('a table gets the rows of a run once; after a decision, replaced and merged ones again, and appended ones never', async () => {
  await expectOnce({ drop: () => query('drop table if exists suppliers'), write, content })
})

test('a table is in a schema, and names differ by more than case', async () => {
  await query('create schema enriched')
  await write('replace', { table: 'Enriched.Suppliers' })
  await write('append', { table: 'enriched.suppliers', runId: 'run-2', rows: [['7', '', '', '']] })
  expect(await query('select count(*)::int as n from enriched.suppliers')).toEqual([{ n: 4 }])
  expect(await query('select count(*)::int as n from enriched.fettle_runs')).toEqual([{ n: 2 }])
  const columns = [...COLUMNS.slice(0, 3), { name: 'ID', type: 'string' }]
  await expect(write('append', { columns })).rejects.toThrow('columns of one name: "ID"')
})

describe('keeps its rows, or has the new ones, when the process ends', () => {
  const real = { run: DuckDBConnection.prototype.run, runAndReadAll: DuckDBConnection.prototype.runAndReadAll }
  const restore = () => Object.assign(DuckDBConnection.prototype, real)
  afterEach(restore)
  /** Fails a statement, before it is run or after it; the connection is closed without a commit. */
  function endAt(statement: number, when: 'before' | 'after'): () => number {
    let count = 0
    const ending = (ask: (...args: never[]) => Promise<unknown>) =>
      async function (this: DuckDBConnection, ...args: never[]) {
        const isAsked = ++count === statement
        if (isAsked && when === 'before') throw new Error('the process ended')
        const answer = await ask.apply(this, args)
        if (isAsked) throw new Error('the process ended')
        return answer
      }
    Object.assign(DuckDBConnection.prototype, {
      run: ending(real.run as never),
      runAndReadAll: ending(real.runAndReadAll as never),
    })
    return () => count
  }

  test.each(['replace', 'append', 'upsert'] as const)('at any statement: %s', { timeout: 60_000 }, async mode => {
    let cases = 0
    for (const when of ['before', 'after'] as const)
      for (let at = 1; ; at += runs(8, 1)) {
        rmSync(file, { force: true })
        await query(...OLD)
        const before = await content()
        const asked = endAt(at, when)
        const rows = mode === 'append' ? NEW.map(([id, ...row]) => [`1${id}`, ...row]) : NEW
        await write(mode, { rows }).catch(() => {})
        const statements = asked()
        restore()
        if (statements < at) break
        cases++
        const found = await content()
        const wanted = { replace: 3, append: 5, upsert: 4 }[mode]
        const isOld = JSON.stringify(found) === JSON.stringify(before)
        expect(isOld || found.length === wanted, `${when} ${at}`).toBe(true)
        await write(mode, { rows })
        expect(await content(), `${when} ${at}`).toHaveLength(wanted)
        expect(await ledger()).toHaveLength(1)
      }
    expect(cases).toBeGreaterThan(runs(3, 20))
  })
})

test('a file that another process has open is left alone, and the process is named', async () => {
  await query(...OLD)
  const code = `import { DuckDBInstance } from '@duckdb/node-api'
    const instance = await DuckDBInstance.create(${JSON.stringify(file)})
    process.stdout.write('open')
    process.stdin.on('end', () => process.exit()).resume()`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  const refused = {
    code: 'FETTLE_OUTPUT_WRITE',
    message: expect.stringContaining(`: another process has the file open: ${process.execPath} (PID ${holder.pid})`),
  }
  await expect(write('replace')).rejects.toMatchObject(refused)
  await expect(checkTable(placeOf('replace'), COLUMNS, HOW)).rejects.toMatchObject(refused)
  holder.stdin.end()
  await once(holder, 'exit')
  await write('replace')
  expect(await content()).toHaveLength(3)
})

test.each<[string, TableMode, string, string]>([
  [
    'a column is missing',
    'replace',
    'create table suppliers (id int, note varchar)',
    'the table has no column "match.score", "active"; it has "id", "note"',
  ],
  [
    'there is no unique index',
    'upsert',
    'create table suppliers (id int, "match.score" double, active bool, note varchar)',
    'the table has no unique index on "id"',
  ],
  ['it is a view', 'append', 'create view suppliers as select 1 as id', 'it is not a table'],
  [
    'a column is generated',
    'append',
    'create table suppliers (id int generated always as (1), "match.score" double, active bool, note varchar)',
    'the database generates "id"',
  ],
])('is refused before anything is sent when %s', async (_, mode, sql, why) => {
  await query(sql)
  await expect(checkTable(placeOf(mode), COLUMNS, HOW)).rejects.toMatchObject({
    code: 'FETTLE_OUTPUT_WRITE',
    message: `cannot write the table suppliers at ${SHOWN}: ${why}`,
  })
})

test('the check makes no file, and finds a missing schema and a file of another kind', async () => {
  await checkTable(placeOf('replace'), COLUMNS, HOW)
  expect(existsSync(file)).toBe(false)
  await expect(checkTable(placeOf('replace', { table: 'a.b' }), COLUMNS, HOW)).rejects.toThrow('there is no schema "a"')
  writeFileSync(file, 'id,name\n1,a\n')
  await expect(checkTable(placeOf('replace'), COLUMNS, HOW)).rejects.toThrow('it is not a file of DuckDB')
})

test('a value that does not fit its column is named by row and column, not repeated or rounded, and nothing changes', async () => {
  await query(...OLD)
  const refused = (id: string, score: string) =>
    write('replace', {
      rows: [
        ['1', '0.5', 'Y', 'two\nlines'],
        [id, score, 'Y', 'x'],
      ],
    }).catch(one => one)
  const error = await refused('2', 'secret')
  expect(error.message).toContain('row 2, column "match.score": the value does not have the form of its column (DOUBLE)')
  expect(error.message).not.toContain('secret')
  for (const id of ['2.5', '1e3', '3000000000', 'x'])
    expect((await refused(id, '')).message).toContain(
      'row 2, column "id": the value does not have the form of its column (INTEGER)',
    )
  expect((await content()).map(row => row.note)).toEqual(['old', 'old'])
  expect(await ledger()).toEqual([])
})

test('keys that are empty, repeated or taken are reported without their values', async () => {
  await query(...OLD)
  const rows = [
    ['', '', '', 'a'],
    ['1', '', '', 'b'],
    ['1', '', '', 'c'],
  ]
  await expect(write('upsert', { rows })).rejects.toThrow(
    'output.key "id" is empty in 1 rows, and 1 of its values are in several rows',
  )
  const error = await write('append').catch(one => one)
  expect(error.message).toContain('Constraint Error: Duplicate key of a row violates primary key constraint')
})

test('a full disk changes nothing', async context => {
  const small = join(folder, 'small')
  mkdirSync(small)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small]).status !== 0)
    return context.skip('a small disk needs root')
  try {
    const path = join(small, 'lists.duckdb')
    await write('replace', { path })
    const rows = Array.from({ length: 60_000 }, (_, at) => [String(at), String(Math.sin(at)), 'Y', `note ${at * 7919}`])
    await expect(write('replace', { path, rows, runId: 'run-2' })).rejects.toThrow(/No space left on device/)
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    expect((await connection.runAndReadAll('from suppliers')).currentRowCount).toBe(3)
    connection.closeSync()
    instance.closeSync()
  } finally {
    spawnSync('umount', ['-l', small])
  }
})
