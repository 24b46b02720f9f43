/** `reuse` with a queue: workers without earlier answers send what is not known, and the merge writes what one full run writes. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fettle, folderOf, lastLine, pipelineOf, start } from '../../system/cli/fettle.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'
import { HAS_REDIS, startRedis } from './redis.ts'

const HEADER = 'Company Name,Reg No,Country'
const ROWS = ['Acme Ltd,1,GB', 'Bolt Ltd,2,GB', 'Nobody,9,DE', 'Acme Ltd,1,GB', 'Cork SA,3,FR']
const REUSE = 'reuse: {matched: 30d, unmatched: 30d, review: 30d}'
const output = (name: string): string => `output: {path: ${name}.csv, columns: ['*', general.connectId, match.outcome]}`
const textOf = (rows: readonly string[]): string => [HEADER, ...rows, ''].join('\n')

describe.skipIf(!HAS_REDIS)('nights in a queue', { timeout: 540_000 }, () => {
  test('workers send what the submitter does not know, within the budget of the month, and the merge keeps the answers', async () => {
    const service = await realService({ rates: { all: { requests: 1000, perMs: 1000 } } })
    const redis = await startRedis()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const budget = (month: number): string => `${REUSE}\nbudget: {month: ${month}, credits: 4}\n${output('p')}`
    const cwd = folderOf({
      'rows.csv': textOf(ROWS),
      'p.yml': pipelineOf('p', budget(4)),
      'full.yml': pipelineOf('full', output('full')),
    })
    const far = folderOf({ 'rows.csv': textOf(ROWS) })
    const queue = ['--queue', redis.url]
    const worker = start(['worker', ...queue], { cwd: far, env })
    const night = () => fettle(['run', 'p.yml', ...queue, '--shards', '2', '--json'], { cwd, env })
    const reuseOf = (ended: Awaited<ReturnType<typeof night>>): unknown => {
      expect(ended.code, ended.stderr).toBe(0)
      return JSON.parse(readFileSync(join(cwd, String(lastLine(ended).report)), 'utf8')).results[0].reuse
    }
    const uploads = (): number =>
      service.requests.filter(({ method, route }) => method === 'POST' && route.endsWith('/jobs')).length

    // Four questions, of which the fourth row repeats the first.
    expect(reuseOf(await night())).toMatchObject({ asked: 5, known: 0, sent: 4, repeated: 1 })
    const before = uploads()
    expect(reuseOf(await night())).toMatchObject({ asked: 5, known: 5, sent: 0 })
    expect(uploads()).toBe(before)
    const more = [...ROWS, 'Dune AG,4,CH', 'Elk Oy,5,FI', 'Fern BV,6,NL']
    for (const place of [cwd, far]) writeFileSync(join(place, 'rows.csv'), textOf(more))
    // What was found is spent, and three more could be found: the list is refused before anything is in the queue.
    const refused = await night()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('FETTLE_BUDGET_MONTH')])
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', budget(6)))
    const third = await night()
    expect(reuseOf(third)).toMatchObject({ asked: 8, known: 5, sent: 3, fresh: 3 })
    expect(uploads()).toBe(before + 1)
    const full = await fettle(['run', 'full.yml', '-q'], { cwd, env })
    expect(full.code, full.stderr).toBe(0)
    expect(readFileSync(join(cwd, 'p.csv'), 'utf8')).toBe(readFileSync(join(cwd, 'full.csv'), 'utf8'))
    expect((await fettle(['verify', String(lastLine(third).runId)], { cwd, env })).code).toBe(0)
    expect(existsSync(join(far, 'fettle-runs', 'answers'))).toBe(false)
    const left = readdirSync(join(cwd, 'fettle-runs', String(lastLine(third).runId)))
    expect(left.filter(name => name.startsWith('shard-'))).toEqual([])
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('shards in the queue keep the rows that were chosen first, and are collected where these are', async () => {
    const service = await realService({ rates: { all: { requests: 1000, perMs: 1000 } } })
    const redis = await startRedis()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const place = (): string => folderOf({ 'rows.csv': textOf(ROWS), 'p.yml': pipelineOf('p', `${REUSE}\n${output('p')}`) })
    const [cwd, other] = [place(), place()]
    expect((await fettle(['run', 'p.yml', '-q'], { cwd, env })).code).toBe(0)
    const submit = ['run', 'p.yml', '--queue', redis.url, '--shards', '2', '--detach', '--json']
    const first = await fettle(submit, { cwd, env })
    expect(first.code, first.stderr).toBe(0)
    expect(lastLine(await fettle([...submit, '--refresh'], { cwd, env })).runId).toBe(lastLine(first).runId)
    expect((await fettle(submit, { cwd: other, env })).stderr).toContain('all of them there already')
    const worker = start(['worker', '--queue', redis.url], { cwd, env })
    const refused = await fettle(['collect', 'p'], { cwd: other, env })
    expect(refused.stderr).toContain('were chosen by earlier answers of another folder')
    const collected = await fettle(['collect', 'p', '--json'], { cwd, env })
    expect(collected.code, collected.stderr).toBe(0)
    const report = JSON.parse(readFileSync(join(cwd, String(lastLine(collected).report)), 'utf8'))
    expect(report.results[0].reuse).toMatchObject({ asked: 5, known: 5, sent: 0 })
    worker.child.kill('SIGTERM')
    await worker.ended
  })

  test('a run names a list in the queue that asked its questions, and finds its answers once it is collected', async () => {
    const service = await realService({ rates: { all: { requests: 1000, perMs: 1000 } } })
    const redis = await startRedis()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const cwd = folderOf({
      'rows.csv': textOf(ROWS),
      'p.yml': pipelineOf('p', `${REUSE}\n${output('p')}`),
      'other.yml': pipelineOf('other', `${REUSE}\n${output('other')}`),
    })
    const submitted = await fettle(['run', 'p.yml', '--queue', redis.url, '--shards', '2', '--detach', '--json'], { cwd, env })
    expect(submitted.code, submitted.stderr).toBe(0)
    const list = String(lastLine(submitted).runId)
    const named = await fettle(['run', 'other.yml', '--json'], { cwd, env })
    expect(named.code, named.stderr).toBe(0)
    expect(named.stderr.replace(/\s+/g, ' ')).toContain(
      `4 rows may be paid twice: the unfinished run ${list} has asked them before`,
    )
    const worker = start(['worker', '--queue', redis.url], { cwd, env })
    expect((await fettle(['collect', 'p', '--json'], { cwd, env })).code).toBe(0)
    const names = readdirSync(join(cwd, 'fettle-runs/answers'), { recursive: true, encoding: 'utf8' })
    expect(names.filter(name => name.endsWith('.asked'))).toEqual([])
    worker.child.kill('SIGTERM')
    await worker.ended
  })
})
