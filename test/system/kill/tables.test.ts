/**
 * The program killed by SIGKILL while it writes a table, with processes of its own: the old table or the new one is there, a resume
 * completes the run, and its rows are written once. `npm test` takes a few statements, the deep tier all.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { queryFile } from '../../unit/client/database/duckdb.ts'
import { HAS_POSTGRES, startPostgres } from '../../unit/client/database/postgres.ts'
import { BINARY, ENVIRONMENT, fettleBinary, folderOf, follow, ROOT } from '../cli/fettle.ts'

const ROWS = 40
/** One mode in `npm test`: the one whose rows would be there twice. */
const MODES = (['append', 'replace', 'upsert, key: id'] as const).slice(0, runs(1, 3))
type Query = (sql: string) => Promise<Record<string, unknown>[]>

const pipelineOf = (url: string, mode: string): string => `name: list
input: rows.csv
register: sample
mappings: { name: name, country: country }
output: { table: enriched, url: "${url}", mode: ${mode}, columns: ["*", match.outcome], names: snake }
`

/** The old table: a row of the new list, and one more. */
const OLD = `create table enriched (id int, name text, country text, match_outcome text)`
const FILLED = `insert into enriched values (${ROWS}, 'old', 'GB', 'old'), (99, 'old', 'GB', 'old')`
const AFTER = { replace: ROWS, append: ROWS + 2, 'upsert, key: id': ROWS + 1 } as const

async function kill(
  mode: (typeof MODES)[number],
  url: string,
  query: (cwd: string) => Query,
  env: Record<string, string>,
): Promise<number> {
  let killed = 0
  for (const when of ['before', 'after'])
    for (let at = runs(9, 1); ; at += runs(6, 1)) {
      const list = Array.from({ length: ROWS }, (_, row) => `${row + 1},Unlisted Works ${row} Ltd,GB`).join('\n')
      const cwd = folderOf({ 'p.yml': pipelineOf(url, mode), 'rows.csv': `id,name,country\n${list}\n` })
      const ask = query(cwd)
      for (const sql of ['drop table if exists enriched', 'drop table if exists fettle_runs', OLD, FILLED]) await ask(sql)
      if (mode.startsWith('upsert')) await ask('create unique index by_id on enriched (id)')
      const found = async () => Number((await ask('select count(*) as n from enriched'))[0]!.n)
      const preload = join(ROOT, 'test/system/kill/kill-at-statement.mjs')
      const killing = { ...ENVIRONMENT, ...env, KILL_AT: String(at), KILL_WHEN: when }
      const child = spawn(process.execPath, ['--import', preload, BINARY, 'run', 'p.yml', '-q'], { cwd, env: killing })
      const ended = await follow(child).ended
      if (ended.code === 0) break
      expect(ended.code, ended.stderr).toBe(137)
      killed++
      expect([2, AFTER[mode]], `${when} ${at}`).toContain(await found())
      const resumed = await fettleBinary(['run', 'p.yml', '-q'], { cwd, env })
      expect(resumed.code, resumed.stderr).toBe(0)
      expect(await found(), `${when} ${at}`).toBe(AFTER[mode])
      expect((await ask(`select count(*) as n from enriched where name <> 'old'`)).map(row => Number(row.n))).toEqual([ROWS])
      expect((await ask('select run_id from fettle_runs')).length).toBe(1)
    }
  return killed
}

describe.skipIf(!HAS_POSTGRES)('a table of PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)

  test.each(MODES)('is whole and written once after SIGKILL at any statement: %s', async mode => {
    expect(await kill(mode, '${PG_URL}', () => server.query, { PG_URL: server.url })).toBeGreaterThan(runs(2, 20))
  })
})

test.each(MODES)('a table of DuckDB is whole and written once after SIGKILL at any statement: %s', async mode => {
  const query =
    (cwd: string): Query =>
    sql =>
      queryFile(join(cwd, 'lists.duckdb'), sql)
  expect(await kill(mode, 'duckdb:lists.duckdb', query, {})).toBeGreaterThan(runs(2, 15))
})
