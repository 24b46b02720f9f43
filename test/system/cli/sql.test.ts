/** The rows of a query as a list: matched as the same rows in a CSV are, without the database from then on, and without its secrets anywhere. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HAS_POSTGRES, type Postgres, startPostgres } from '../../unit/client/database/postgres.ts'
import { CANARY } from '../security/canary.ts'
import { fettle, folderOf } from './fettle.ts'
import { SAMPLE_ROWS } from './sample-rows.ts'

const PIPELINE = `name: list
input: { sql: "select * from lists.suppliers order by id", url: "\${PG_URL}", key: id }
register: sample
mappings: { name: name, country: country }
output: out/rows.csv
`
const pipelineFor = (input: string): string => PIPELINE.replace(/input: .*/, `input: ${input}`)

describe.skipIf(!HAS_POSTGRES)('a query as the input', () => {
  let server: Postgres
  let env: { PG_URL: string }
  beforeAll(async () => {
    server = await startPostgres({ password: CANARY.password })
    env = { PG_URL: server.url }
    await server.query('create schema lists')
    await server.query('create table lists.suppliers (id int primary key, name text, country char(2))')
    for (const row of SAMPLE_ROWS) await server.query('insert into lists.suppliers values ($1, $2, $3)', row)
  }, 60_000)

  const project = (): string =>
    folderOf({
      'p.yml': PIPELINE,
      'csv.yml': pipelineFor('rows.csv'),
      'rows.csv': `id,name,country\n${SAMPLE_ROWS.map(row => row.join(',')).join('\n')}\n`,
    })

  test('gives the bytes of the CSV, whole and in shards', async () => {
    const cwd = project()
    expect(await fettle(['run', 'csv.yml', '-q'], { cwd })).toMatchObject({ code: 0 })
    const wanted = readFileSync(join(cwd, 'out/rows.csv'), 'utf8')
    const { code, stderr } = await fettle(['run', 'p.yml', '--new', '-q'], { cwd, env })
    expect(code, stderr).toBe(0)
    expect(readFileSync(join(cwd, 'out/rows.csv'), 'utf8')).toBe(wanted)
    const other = project()
    for (const shard of ['1/2', '2/2'])
      expect(await fettle(['run', 'p.yml', '--shard', shard, '-q'], { cwd: other, env })).toMatchObject({ code: 0 })
    const merged = await fettle(['merge', 'list', '-q'], { cwd: other, env })
    expect(merged.code, merged.stderr).toBe(0)
    expect(readFileSync(join(other, 'out/rows.csv'), 'utf8')).toBe(wanted)
    const verified = await fettle(['verify'], { cwd: other, env })
    expect(verified.code, verified.stderr).toBe(0)
  })

  test('is resumed from its copy without the database, and the journal has neither user nor password', async () => {
    const cwd = folderOf({ 'p.yml': `${PIPELINE.replace('register: sample', 'retry: { attempts: 1 }')}` })
    const account = { FETTLE_URL: 'http://127.0.0.1:1/v1', FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' }
    const first = await fettle(['run', 'p.yml', '--timeout', '1s', '-q'], { cwd, env: { ...env, ...account } })
    expect(first.code, first.stderr).toBe(75)
    const [copy] = readdirSync(join(cwd, 'fettle-runs/inputs'))
    expect(readFileSync(join(cwd, 'fettle-runs/inputs', copy!), 'utf8')).toContain('\n2,Unlisted Works 1 Ltd,GB\n')
    // A query with this password would fail.
    const gone = { PG_URL: server.url.replace(/\/\/fettle:[^@]*@/, '//fettle:other@') }
    const again = await fettle(['resume', '--timeout', '1s', '-q'], { cwd, env: { ...gone, ...account } })
    expect(again.code, again.stderr).toBe(75)
    const run = readdirSync(join(cwd, 'fettle-runs')).find(name => name.includes('-list-'))!
    const journal = readFileSync(join(cwd, 'fettle-runs', run, 'journal.jsonl'), 'utf8')
    expect(journal).toContain('"postgresql://***@localhost/test"')
    expect(journal).toContain('"sql":"select * from lists.suppliers order by id","types":["int32","string","string"]')
    expect(journal).not.toContain('fettle:')
  })

  test('an error of the server has the place in the pipeline, and no password', async () => {
    const cwd = folderOf({ 'p.yml': PIPELINE.replace('lists.suppliers', 'lists.nothing') })
    const { code, stderr } = await fettle(['run', 'p.yml'], { cwd, env })
    expect(code).toBe(65)
    expect(stderr).toContain('relation "lists.nothing" does not exist')
  })
})

describe.skipIf(!HAS_POSTGRES)('a table as the output', () => {
  let server: Postgres
  let env: { PG_URL: string }
  beforeAll(async () => {
    server = await startPostgres({ password: CANARY.password })
    env = { PG_URL: server.url }
  }, 60_000)
  beforeEach(async () => {
    await server.query('drop schema if exists enriched cascade')
    await server.query('create schema enriched')
  })
  const TABLE = 'output: { table: enriched.suppliers, url: "${PG_URL}", mode: MODE, names: snake, review: out/review.csv }'
  const project = (mode = 'replace', more = ''): string =>
    folderOf({
      'p.yml': `${pipelineFor('rows.csv').replace(/output: .*/, TABLE.replace('MODE', mode))}${more}`,
      'rows.csv': `id,name,country\n${SAMPLE_ROWS.map(row => row.join(',')).join('\n')}\n`,
    })
  const rows = () => server.query('select * from enriched.suppliers order by id::int')
  const fill = async () => expect(await fettle(['run', 'p.yml', '-q'], { cwd: project(), env })).toMatchObject({ code: 0 })

  test('has the rows of the list with the types of our columns, once for a run', async () => {
    const cwd = project()
    const { code, stdout, stderr } = await fettle(['run', 'p.yml', '--json'], { cwd, env })
    expect(code, stderr).toBe(0)
    const found = await rows()
    expect(found).toHaveLength(40)
    expect(found[1]).toMatchObject({
      id: '2',
      name: 'Unlisted Works 1 Ltd',
      match_outcome: 'unmatched',
      match_score: expect.any(Number),
    })
    expect(stdout).toContain('postgresql://***@localhost/test#enriched.suppliers')
    const [ledger] = await server.query('select run_id, mode, rows::int from enriched.fettle_runs')
    expect(ledger).toEqual({ run_id: JSON.parse(stdout.trim().split('\n').at(-1)!).runId, mode: 'replace', rows: 40 })
    const shown = await fettle(['check', 'p.yml', '--explain'], { cwd, env })
    expect(shown.stdout).toContain('replace, in one transaction')
    expect((await fettle(['verify'], { cwd, env })).code).toBe(0)
  })

  test('is extended by a second run and merged by a third', async () => {
    await fill()
    expect(await fettle(['run', 'p.yml', '-q'], { cwd: project('append'), env })).toMatchObject({ code: 0 })
    expect(await rows()).toHaveLength(80)
    await server.query('truncate enriched.suppliers')
    await server.query('alter table enriched.suppliers add primary key (id)')
    await server.query(`insert into enriched.suppliers (id, name) values ('2', 'old'), ('99', 'kept')`)
    const merged = await fettle(['run', 'p.yml', '-q'], { cwd: project('upsert, key: id'), env })
    expect(merged.code, merged.stderr).toBe(0)
    const found = await rows()
    expect([found.length, found[1]?.name, found.at(-1)?.name]).toEqual([41, 'Unlisted Works 1 Ltd', 'kept'])
  })

  test('keeps its rows when a check fails', async () => {
    await fill()
    const before = await rows()
    const { code } = await fettle(['run', 'p.yml', '-q'], {
      cwd: project('replace', 'checks: { matched: { fail: "< 99%" } }\n'),
      env,
    })
    expect(code).toBe(1)
    expect(await rows()).toEqual(before)
  })

  test('that cannot take the columns is refused before anything is sent', async () => {
    await fill()
    await server.query('alter table enriched.suppliers drop column match_score')
    const { code, stderr } = await fettle(['run', 'p.yml'], { cwd: project(), env })
    expect(code).toBe(73)
    expect(stderr).toContain('the table has no column "match_score"')
  })
})

test.each([
  ['{ table: a.b }', 'output.path is missing'],
  ['{ url: "postgresql://host/name" }', 'it needs output.url'],
  ['{ table: a.b, url: "postgresql://host/name", mode: upsert }', 'mode: upsert needs the columns'],
  ['{ table: a.b, url: "postgresql://host/name", key: id }', 'mode: replace does not compare rows'],
  ['{ table: a.b, url: "postgresql://host/name", format: csv }', 'a table has no format'],
  ['{ table: "a.b; drop", url: "postgresql://host/name" }', 'expected the name of a table'],
  ['{ table: a.b, url: "postgresql://me:s3cret@host/name" }', 'output.url: a password must not stand in the file'],
  ['{ path: rows.csv, mode: append }', 'output.mode: expected a table instead of a path'],
  ['postgresql://host/name', 'a database is written to by output.table'],
])('output %s is refused', async (output, why) => {
  const text = PIPELINE.replace(/input: .*/, 'input: rows.csv').replace(/output: .*/, `output: ${output}`)
  const { code, stderr } = await fettle(['check', 'p.yml'], { cwd: folderOf({ 'p.yml': text }) })
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
  expect(stderr).not.toContain('s3cret')
})

test.each([
  ['{ sql: select 1 }', 'input.path is missing'],
  ['{ url: "postgresql://host/name" }', 'a database is read by input.sql'],
  ['{ sql: select 1, path: rows.csv }', 'it needs input.url'],
  ['{ sql: select 1, path: rows.csv, url: "postgresql://host/name" }', 'input.url: expected a path, or url of a database'],
  ['{ sql: select 1, url: "postgresql://me:s3cret@host/name" }', 'input.url: a password must not stand in the file'],
  ['{ sql: select 1, url: "postgresql://host/name?sslmode=disable" }', 'would show the rows to the network'],
  ['{ sql: select 1, url: "postgresql://host/name?sslmode=no-verify" }', 'has an sslmode other than'],
  ['{ sql: select 1, url: "postgresql://host/name?read_timeout=0" }', 'has a read_timeout that is not a number of seconds'],
  ['{ sql: select 1, url: "postgresql://host/" }', 'names no database'],
  ['{ sql: select 1, url: "mysql://host/name" }', 'it needs input.url'],
])('input %s is refused', async (input, why) => {
  const { code, stderr } = await fettle(['check', 'p.yml'], { cwd: folderOf({ 'p.yml': pipelineFor(input) }) })
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
  expect(stderr).not.toContain('s3cret')
})
