/** A DuckDB file as input and output: the rows of a query as a list, and a table that is written once for a run. */
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { queryFile } from '../../unit/client/database/duckdb.ts'
import { fettle, folderOf } from './fettle.ts'
import { SAMPLE_ROWS } from './sample-rows.ts'

const PIPELINE = `name: list
input: { sql: "select * from suppliers order by id", url: "duckdb:data/lists.duckdb", key: id }
register: sample
mappings: { name: name, country: country }
`
const TABLE = 'output: { table: enriched, url: "duckdb:data/lists.duckdb", names: snake }\n'

async function project(output: string, more = ''): Promise<{ cwd: string; file: string }> {
  const cwd = folderOf({
    'p.yml': PIPELINE + output + more,
    'csv.yml': `${PIPELINE.replace(/input: .*/, 'input: data/rows.csv')}output: out/rows.csv\n`,
    'data/rows.csv': `id,name,country\n${SAMPLE_ROWS.map(row => row.join(',')).join('\n')}\n`,
  })
  const file = join(cwd, 'data/lists.duckdb')
  const values = SAMPLE_ROWS.map(([id, name, country]) => `(${id}, '${name}', '${country}')`).join(', ')
  await queryFile(
    file,
    'create table suppliers (id int primary key, name text, country text)',
    `insert into suppliers values ${values}`,
  )
  return { cwd, file }
}

test('a query gives the bytes of the CSV, whole and in shards', async () => {
  const { cwd } = await project('output: out/rows.csv\n')
  expect(await fettle(['run', 'csv.yml', '-q'], { cwd })).toMatchObject({ code: 0 })
  const wanted = readFileSync(join(cwd, 'out/rows.csv'), 'utf8')
  const { code, stderr } = await fettle(['run', 'p.yml', '--new', '-q'], { cwd })
  expect(code, stderr).toBe(0)
  expect(readFileSync(join(cwd, 'out/rows.csv'), 'utf8')).toBe(wanted)
  for (const shard of ['1/2', '2/2'])
    expect(await fettle(['run', 'p.yml', '--shard', shard, '-q'], { cwd })).toMatchObject({ code: 0 })
  const merged = await fettle(['merge', 'list', '-q'], { cwd })
  expect(merged.code, merged.stderr).toBe(0)
  expect(readFileSync(join(cwd, 'out/rows.csv'), 'utf8')).toBe(wanted)
  expect((await fettle(['verify'], { cwd })).code).toBe(0)
})

test('a table in the file of the input has its rows with the types of both, once for a run', async () => {
  const { cwd, file } = await project(TABLE)
  const { code, stdout, stderr } = await fettle(['run', 'p.yml', '--json'], { cwd })
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('duckdb:data/lists.duckdb#enriched')
  const found = await queryFile(file, 'from enriched order by id')
  expect(found).toHaveLength(40)
  expect(found[1]).toMatchObject({
    id: 2,
    name: 'Unlisted Works 1 Ltd',
    match_outcome: 'unmatched',
    match_score: expect.any(Number),
  })
  const { runId } = JSON.parse(stdout.trim().split('\n').at(-1)!)
  expect(await queryFile(file, 'select run_id, mode, rows::int as n from fettle_runs')).toEqual([
    { run_id: runId, mode: 'replace', n: 40 },
  ])
  expect((await fettle(['verify'], { cwd })).code).toBe(0)
})

test('a run is resumed from its copy when the file is gone', async () => {
  const { cwd, file } = await project('output: out/rows.csv\nretry: { attempts: 1 }\n')
  const { PIPELINE: _, ...account } = {
    PIPELINE,
    FETTLE_URL: 'http://127.0.0.1:1/v1',
    FETTLE_USERNAME: 'u',
    FETTLE_PASSWORD: 'p',
  }
  const text = readFileSync(join(cwd, 'p.yml'), 'utf8').replace('register: sample\n', '')
  writeFileSync(join(cwd, 'p.yml'), text)
  const first = await fettle(['run', 'p.yml', '--timeout', '1s', '-q'], { cwd, env: account })
  expect(first.code, first.stderr).toBe(75)
  rmSync(file)
  const again = await fettle(['resume', '--timeout', '1s', '-q'], { cwd, env: account })
  expect(again.code, again.stderr).toBe(75)
  expect(readdirSync(join(cwd, 'fettle-runs/inputs'))).toHaveLength(1)
})

test('a table keeps its rows when a check fails, and a missing column is refused before anything is sent', async () => {
  const { cwd, file } = await project(TABLE, 'checks: { matched: { fail: "< 99%" } }\n')
  await queryFile(file, 'create table enriched (id int)')
  const refused = await fettle(['run', 'p.yml'], { cwd })
  expect(refused.code).toBe(73)
  expect(refused.stderr).toContain('the table has no column "name", "country"')
  await queryFile(file, 'drop table enriched')
  expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(1)
  expect(await queryFile(file, `select count(*)::int as n from duckdb_tables() where table_name = 'enriched'`)).toEqual([
    { n: 0 },
  ])
})

test.each([
  ['output: { table: a.b.c, url: "duckdb:a.duckdb" }', 'expected the name of a table'],
  ['output: { table: a, url: "duckdb:/etc/a.duckdb" }', 'is outside the project'],
  ['output: { table: a, url: "duckdb:../a.duckdb" }', 'is outside the project'],
  ['output: { table: a, url: "duckdb::memory:" }', 'is not duckdb:folder/file.duckdb'],
  ['output: { table: a, url: "duckdb:///a.duckdb" }', 'is not duckdb:folder/file.duckdb'],
  ['output: { table: a, url: "duckdb:a.duckdb#b" }', 'contains #'],
  ['output: { table: a, url: "duckdb:a.duckdb", mode: upsert }', 'mode: upsert needs the columns'],
  ['output: duckdb:a.duckdb', 'a database is written to by output.table'],
])('%s is refused', async (output, why) => {
  const { cwd } = await project(`${output}\n`)
  const { code, stderr } = await fettle(['check', 'p.yml'], { cwd })
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
})

test('a file of an output that is really outside the project, or among the runs, is refused', async () => {
  const { cwd } = await project(TABLE.replace('data/lists', 'link/lists'))
  symlinkSync(folderOf({}), join(cwd, 'link'))
  const { code, stderr } = await fettle(['run', 'p.yml'], { cwd })
  expect(code).not.toBe(0)
  expect(stderr).toContain('outside the project')
  const runs = await project(TABLE.replace('data/lists', 'fettle-runs/lists'))
  expect((await fettle(['run', 'p.yml'], { cwd: runs.cwd })).stderr).toContain('among the runs')
  expect(existsSync(join(runs.cwd, 'fettle-runs/lists.duckdb'))).toBe(false)
})
