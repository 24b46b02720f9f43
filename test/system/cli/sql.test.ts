/** The rows of a query as a list: matched as the same rows in a CSV are, without the database from then on, and without its secrets anywhere. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { HAS_POSTGRES, type Postgres, startPostgres } from '../../unit/client/database/postgres.ts'
import { CANARY } from '../security/canary.ts'
import { fettle, folderOf } from './fettle.ts'

const ROWS = Array.from(
  { length: 40 },
  (_, at) => [at + 1, at % 3 === 0 ? 'Varnix Steel Ltd' : `Unlisted Works ${at} Ltd`, 'GB'] as const,
)

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
    for (const row of ROWS) await server.query('insert into lists.suppliers values ($1, $2, $3)', row)
  }, 60_000)

  const project = (): string =>
    folderOf({
      'p.yml': PIPELINE,
      'csv.yml': pipelineFor('rows.csv'),
      'rows.csv': `id,name,country\n${ROWS.map(row => row.join(',')).join('\n')}\n`,
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

test.each([
  ['{ sql: select 1 }', 'input.path is missing'],
  ['{ url: "postgresql://host/name" }', 'a database is read by input.sql'],
  ['{ sql: select 1, path: rows.csv }', 'it needs input.url'],
  ['{ sql: select 1, path: rows.csv, url: "postgresql://host/name" }', 'input.url: expected a path, or url of a database'],
  ['{ sql: select 1, url: "postgresql://me:s3cret@host/name" }', 'input.url: a password must not stand in the file'],
  ['{ sql: select 1, url: "postgresql://host/name?sslmode=disable" }', 'would show the rows to the network'],
  ['{ sql: select 1, url: "postgresql://host/name?sslmode=no-verify" }', 'has an sslmode other than'],
  ['{ sql: select 1, url: "postgresql://host/" }', 'names no database'],
  ['{ sql: select 1, url: "mysql://host/name" }', 'it needs input.url'],
])('input %s is refused', async (input, why) => {
  const { code, stderr } = await fettle(['check', 'p.yml'], { cwd: folderOf({ 'p.yml': pipelineFor(input) }) })
  expect(code).not.toBe(0)
  expect(stderr).toContain(why)
  expect(stderr).not.toContain('s3cret')
})
