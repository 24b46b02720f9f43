/** `fettle costs`, `fettle runs prune`, `retention` and `budget.month`: what was spent stays, what was in the lists goes. */
import fs, { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { resealed } from '../../../src/journal/checksum.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { fettle, fettleBinary, folderOf, importRegister, lastLine, pipelineOf } from './fettle.ts'
import { loginAt, realService } from './servers.ts'

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
  const spending = join(cwd, 'fettle-runs/spending.jsonl')
  writeFileSync(spending, readFileSync(spending, 'utf8').replaceAll(runId, id))
  return id
}

test('prune removes old runs with their lists, keeps what they spent, and dry-run removes nothing', async () => {
  const service = await realService()
  const env = loginAt(service)
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
  expect((await fettle(['costs', '--runs-dir', 'none'], { cwd })).stderr).toBe('there is no folder none\n')

  writeFileSync(join(cwd, 'fettle-runs/pruned.jsonl'), `${kept}{"runId":`)
  const damaged = await fettle(['costs'], { cwd })
  expect(damaged.code).toBe(73)
  expect(damaged.stderr).toContain('error FETTLE_JOURNAL_DAMAGED fettle-runs/pruned.jsonl:2\n')
})

test('prune ends with 1 and names what could not be removed, and the next prune removes it', async () => {
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', OUTPUT) })
  const { runId } = lastLine(await fettle(['run', 'p.yml', '-q', '--json'], { cwd }))
  const old = aged(cwd, String(runId))
  const { rmSync } = fs
  const restore = replaceBuiltin(fs, {
    rmSync: (...args: Parameters<typeof rmSync>) => {
      if (String(args[0]).endsWith(old)) throw new Error('EBUSY: resource busy')
      return rmSync(...args)
    },
  })
  try {
    const prune = ['runs', 'prune', '--all']
    expect(await fettle(prune, { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`could not remove ${old}: EBUSY: resource busy`),
    })
    expect(lastLine(await fettle([...prune, '--json'], { cwd }))).toMatchObject({ removed: [], failed: [{ runId: old }] })
    expect((await fettle([...prune, '--dry-run'], { cwd })).code).toBe(0)
  } finally {
    restore()
  }
  expect(await fettle(['runs', 'prune', '--all'], { cwd })).toMatchObject({ code: 0, stdout: expect.stringContaining(old) })
  expect(runIds(cwd)).toEqual([])
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
  const env = loginAt(service)
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
  const spending = join(cwd, 'fettle-runs/spending.jsonl')
  const lines = readFileSync(spending, 'utf8')
  expect((await fettle(['plan', 'p.yml'], { cwd, env })).stdout).toMatch(/month {5}\d of 5 spent or reserved/)
  writeFileSync(spending, lines.replace('{', '['))
  expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd, env })).stderr).toContain(
    'error FETTLE_JOURNAL_DAMAGED fettle-runs/spending.jsonl:1',
  )
  writeFileSync(spending, '')
  expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd, env })).stderr).toContain(
    'cannot be read, so budget.month cannot be kept',
  )
})

const KEYED = `Supplier No,${ROWS.split('\n')[0]}
1,Acme Ltd,1,GB
2,Bolt Ltd,2,GB
3,Nobody,9,DE
`
const keyed = (name: string, url: string, more: string): string => `name: ${name}
input: { path: rows.csv, key: Supplier No }
mappings: {name: Company Name, orgNumber: Reg No, country: Country}
poll: {every: 500ms, max: 500ms}
service: {url: "${url}"}
output: {path: out/${name}.csv, columns: ["*", general.connectId]}
${more}
`

test('two runs at once cannot both use what is left of the month', { timeout: 60_000 }, async () => {
  const service = await realService()
  const pipelines = Object.fromEntries(
    ['a', 'b', 'c'].map(name => [`${name}.yml`, keyed(name, service.url, 'budget: {month: 4}')]),
  )
  const cwd = folderOf({ 'rows.csv': KEYED, ...pipelines })
  const ended = await Promise.all(
    ['a', 'b', 'c'].map(name => fettleBinary(['run', `${name}.yml`, '-q'], { cwd, env: loginAt(service) })),
  )
  // Each may cost 3 of the 4 credits, and costs 2.
  expect(ended.map(({ code }) => code).sort()).toEqual([0, 1, 1])
  for (const { code, stderr } of ended) if (code === 1) expect(stderr).toContain('FETTLE_BUDGET_MONTH')
  expect(runIds(cwd)).toHaveLength(1)
})

test('with reuse only the rows that are sent count for the month, and a refused night sends nothing', async () => {
  const service = await realService()
  const env = loginAt(service)
  const more = (month: number): string => `reuse: {matched: 30d, unmatched: 30d, review: 30d}\nbudget: {month: ${month}}`
  const cwd = folderOf({ 'rows.csv': KEYED, 'p.yml': keyed('p', service.url, more(3)) })
  expect((await fettle(['run', 'p.yml', '-q'], { cwd, env })).code).toBe(0)
  // 2 credits are spent; all 3 rows could not be sent again, and none has to be.
  const again = await fettle(['run', 'p.yml', '-q', '--new', '--json'], { cwd, env })
  expect([again.code, lastLine(again).status], again.stderr).toEqual([0, 'success'])
  writeFileSync(join(cwd, 'rows.csv'), `${KEYED}4,Cold Ltd,4,GB\n5,Dry Ltd,5,GB\n`)
  expect((await fettle(['plan', 'p.yml'], { cwd, env })).stdout).toMatch(
    /month {5}2 of 3 .* 2 more at most: the run would be refused/,
  )
  const refused = await fettle(['run', 'p.yml', '-q', '--json'], { cwd, env })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('FETTLE_BUDGET_MONTH')
  const { jobs } = JSON.parse(readFileSync(join(cwd, 'fettle-runs', String(lastLine(refused).runId), 'report.json'), 'utf8'))
    .results[0]
  expect(jobs.every(({ id }: { id: string | null }) => id === null)).toBe(true)
  expect((await fettle(['verify'], { cwd })).code).toBe(0)
  writeFileSync(join(cwd, 'p.yml'), keyed('p', service.url, more(4)))
  expect((await fettle(['run', 'p.yml', '-q'], { cwd, env })).code).toBe(0)
  expect(lastLine(await fettle(['costs', '--json'], { cwd }))).toMatchObject({ total: { runs: 4, sent: 5 } })
})

test('a merge and its shards count once', async () => {
  const service = await realService()
  const env = loginAt(service)
  const cwd = folderOf({ 'rows.csv': KEYED, 'p.yml': keyed('p', service.url, '') })
  for (const shard of ['1/2', '2/2']) expect((await fettle(['run', 'p.yml', '-q', '--shard', shard], { cwd, env })).code).toBe(0)
  const shards = lastLine(await fettle(['costs', '--json'], { cwd })).total
  expect(shards).toMatchObject({ rows: 3, credits: 2, jobs: 2 })
  expect((await fettle(['merge', 'p', '-q'], { cwd, env })).code).toBe(0)
  expect(lastLine(await fettle(['costs', '--json'], { cwd })).total).toEqual(shards)
})

test('plan and doctor show what the account has left, and budget.account refuses a run that could need more', async () => {
  const service = await realService({ limits: { reports: 1 } })
  const env = loginAt(service)
  const cwd = folderOf({
    'rows.csv': KEYED,
    'p.yml': keyed('p', service.url, 'budget: {account: refuse}'),
    'q.yml': keyed('q', service.url, 'budget: {account: refuse, credits: 1}'),
    'free.yml': keyed('free', service.url, ''),
  })
  const planOf = async (...args: string[]) => (await fettle(['plan', ...args], { cwd, env })).stdout
  expect(await planOf('p.yml')).toMatch(
    /account {3}\d+ of \d+ company reports left: the run may need 3, the run would be refused/,
  )
  expect(await planOf('free.yml')).toMatch(
    /account {3}\d+ of \d+ company reports left: the run may need 3, the run may end early/,
  )
  expect(await planOf('p.yml', '--offline')).not.toContain('account')
  expect(lastLine(await fettle(['plan', 'p.yml', '--json'], { cwd, env })).plan).toMatchObject({ account: { used: 0 }, most: 3 })
  const doctor = await fettle(['doctor', 'p.yml'], { cwd, env })
  expect(doctor.stdout).toMatch(/account.*company reports left/)
  const refused = await fettle(['run', 'p.yml', '-q'], { cwd, env })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/FETTLE_BUDGET_ACCOUNT[\s\S]*p could need 3 credits: \d of \d company reports left/)
  expect(existsSync(join(cwd, 'fettle-runs')) ? runIds(cwd) : []).toEqual([])
  expect((await fettle(['run', 'q.yml', '-q'], { cwd, env })).code).not.toBe(2)
  expect(runIds(cwd)).toHaveLength(1)
})
