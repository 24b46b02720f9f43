/** `fettle costs`, `fettle runs prune`, `retention` and `budget.month`: what was spent stays, what was in the lists goes. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { resealed } from '../../../src/journal/checksum.ts'
import { fettle, folderOf, importRegister, lastLine, pipelineOf } from './fettle.ts'
import { CREDENTIALS, realService } from './servers.ts'

beforeAll(importRegister)

const ROWS = `Company Name,Reg No,Country
Acme Ltd,1,GB
Bolt Ltd,2,GB
Nobody,9,DE
`
const OUTPUT = 'output: {path: out/p.csv, columns: ["*", general.connectId]}'
const runIds = (cwd: string): string[] =>
  readdirSync(join(cwd, 'fettle-runs'))
    .filter(name => /^2\d{7}T/.test(name))
    .sort()

/** Writes the lines of a journal again, with checksums. */
function reseal(path: string, edit: (lines: readonly string[]) => readonly string[]): void {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  writeFileSync(path, `${resealed(edit(lines)).join('\n')}\n`)
}

/** Gives a run the id of one that started a year ago, or so many months. */
function aged(cwd: string, runId: string, months = 12): string {
  const start = new Date()
  start.setUTCMonth(start.getUTCMonth() - months - 1)
  const id = `${start.toISOString().slice(0, 19).replace(/[-:]/g, '')}${runId.slice(15)}`
  reseal(join(cwd, 'fettle-runs', runId, 'journal.jsonl'), lines => lines.map(line => line.replaceAll(runId, id)))
  renameSync(join(cwd, 'fettle-runs', runId), join(cwd, 'fettle-runs', id))
  return id
}

test('prune removes old runs with their lists, keeps what they spent, and dry-run removes nothing', async () => {
  const service = await realService()
  const env = CREDENTIALS
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', `service: {url: "${service.url}"}\n${OUTPUT}`) })
  const first = lastLine(await fettle(['run', 'p.yml', '-q', '--json'], { cwd, env }))
  expect(first.exitCode).toBe(0)
  const old = aged(cwd, String(first.runId))
  const { jobs } = JSON.parse(readFileSync(join(cwd, 'fettle-runs', old, 'report.json'), 'utf8')).results[0]
  expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd, env })).code).toBe(0)
  const [, newest] = runIds(cwd)
  const before = lastLine(await fettle(['costs', '--json'], { cwd }))
  expect(before).toMatchObject({
    schema: 'fettle/costs/v1',
    lines: [{ group: 'p', runs: 2, rows: 6, jobs: 2, credits: 4, unknown: 0 }],
  })

  expect((await fettle(['runs', 'prune', '--dry-run'], { cwd })).stdout).toBe(`would remove ${old}\n`)
  expect(runIds(cwd)).toEqual([old, newest])
  expect((await fettle(['runs', 'prune', '--json'], { cwd })).stdout).toContain(`"removed":["${old}"]`)
  expect(runIds(cwd)).toEqual([newest])
  expect(lastLine(await fettle(['costs', '--json'], { cwd }))).toEqual(before)
  const kept = readFileSync(join(cwd, 'fettle-runs/pruned.jsonl'), 'utf8')
  expect(kept).toContain(jobs[0].id)
  for (const { correlationId } of jobs[0].correlations) expect(kept).toContain(correlationId)
  expect(kept).not.toMatch(/Acme|Bolt|Nobody|rows\.csv/i)
  const byRun = await fettle(['costs', '--by', 'run', '--csv'], { cwd })
  expect(byRun.stdout.split('\n').slice(0, 2)).toEqual([
    'run,runs,rows,sent,jobs,requests,credits,unknown',
    expect.stringContaining(old),
  ])
  expect((await fettle(['runs', 'prune', '--older-than', 'x'], { cwd })).code).toBe(2)
  expect((await fettle(['costs', '--month', '2026-13'], { cwd })).code).toBe(2)
})

test('an unfinished run is never removed, and a run of the pipeline with retention removes the old ones', async () => {
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', OUTPUT) })
  const ids: string[] = []
  for (const months of [4, 3]) {
    const { runId } = lastLine(await fettle(['run', 'p.yml', '-q', '--json', '--new'], { cwd }))
    ids.push(aged(cwd, String(runId), months))
  }
  const journal = join(cwd, 'fettle-runs', ids[0]!, 'journal.jsonl')
  reseal(journal, lines => lines.slice(0, -1))
  writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', `${OUTPUT}\nretention: 90d`))
  const last = lastLine(await fettle(['run', 'p.yml', '-q', '--json', '--new'], { cwd }))
  expect(last.exitCode).toBe(0)
  expect(runIds(cwd)).toEqual([ids[0], last.runId])
  expect(lastLine(await fettle(['runs', 'prune', '--json', '--all', '--older-than', '1d'], { cwd }))).toMatchObject({
    removed: [],
    kept: [{ runId: ids[0], why: 'is not finished' }],
  })
})

test('budget.month refuses a run before anything is sent, and counts removed and unfinished runs', async () => {
  const service = await realService()
  const env = CREDENTIALS
  const cwd = folderOf({
    'rows.csv': ROWS,
    'p.yml': pipelineOf('p', `service: {url: "${service.url}"}\n${OUTPUT}\nbudget: {month: 5}`),
  })
  expect((await fettle(['run', 'p.yml', '-q'], { cwd, env })).code).toBe(0)
  // 2 are spent, and 3 rows may cost 3 more.
  expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd, env })).code).toBe(0)
  const plan = await fettle(['plan', 'p.yml'], { cwd, env })
  expect(plan.stdout).toMatch(/month {5}4 of 5 spent or reserved in \d{4}-\d\d, 3 more at most: the run would be refused/)
  const refused = await fettle(['run', 'p.yml', '-q', '--new'], { cwd, env })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('FETTLE_BUDGET_MONTH')
  expect(refused.stderr).toContain('p could cost 3 credits, and 4 of the 5 of budget.month are spent or reserved')
  expect(runIds(cwd)).toHaveLength(2)
  writeFileSync(join(cwd, 'p.yml'), readFileSync(join(cwd, 'p.yml'), 'utf8').replace('month: 5', 'month: 5, credits: 1'))
  const limited = await fettle(['run', 'p.yml', '-q', '--new', '--json'], { cwd, env })
  expect(lastLine(limited).totals, limited.stderr).not.toBeNull()
  expect(existsSync(join(cwd, 'fettle-runs', String(lastLine(limited).runId)))).toBe(true)
  renameSync(join(cwd, 'fettle-runs', runIds(cwd)[0]!, 'journal.jsonl'), join(cwd, 'away'))
  expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd, env })).stderr).toContain(
    'cannot be read, so budget.month cannot be kept',
  )
})
