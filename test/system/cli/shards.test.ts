/** `plan --shards`, `run --shard`, `merge`: several runs of one list, killed and gone on with, joined into the bytes of one run. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { reportSchema } from '../../../src/report/schema.ts'
import { fettle, folderOf, importRegister, lastLine, pipelineOf, project, ROWS, start } from './fettle.ts'
import { CREDENTIALS, realService } from './servers.ts'

beforeAll(importRegister, 120_000)

const OUTPUT = 'output: {path: out/p.csv, unmatched: out/un.csv, review: out/re.csv}\nchecks: {matched: {warn: "< 90%"}}'
const outputs = (cwd: string) => ['p.csv', 'un.csv', 're.csv'].map(name => readFileSync(join(cwd, 'out', name), 'utf8'))
const QUIET = ['--json', '-q']

describe.concurrent('shards', { timeout: 300_000 }, () => {
  test('joined are the bytes, the counts and the verdict of one run', async () => {
    const cwd = project(OUTPUT)
    const one = await fettle(['run', 'p.yml', ...QUIET], { cwd })
    const wanted = outputs(cwd)
    rmSync(join(cwd, 'out'), { recursive: true })
    const { stdout } = await fettle(['plan', 'p.yml', '--shards', '3', '--json'], { cwd })
    expect(JSON.parse(stdout)).toEqual(['1/3', '2/3', '3/3'])
    // All at once, as a cluster does; out of order, as it happens.
    const [second, ...others] = await Promise.all([
      fettle(['run', 'p.yml', '--shard', '2/3', ...QUIET], { cwd }),
      fettle(['run', 'p.yml', '--shard', 'auto/3', ...QUIET], { cwd, env: { JOB_COMPLETION_INDEX: '2' } }),
      fettle(['run', 'p.yml', '--shard', 'auto', ...QUIET], { cwd, env: { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '3' } }),
    ])
    for (const ended of [second, ...others]) expect(ended.code, ended.stderr).toBe(0)
    expect(lastLine(second)).toMatchObject({ status: 'success', output: null, totals: { rows: 2 } })
    expect(existsSync(join(cwd, 'out'))).toBe(false)

    const merged = await fettle(['merge', 'p', '--result-file', 'r.json', ...QUIET], { cwd })
    expect(merged.code, merged.stderr).toBe(0)
    expect(outputs(cwd)).toEqual(wanted)
    const line = lastLine(merged)
    expect(line).toMatchObject({ status: lastLine(one).status, totals: lastLine(one).totals, output: 'out/p.csv' })
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(merged.stdout)
    const report = reportSchema.parse(JSON.parse(readFileSync(join(cwd, String(line.report)), 'utf8')))
    expect(report.ledger).toMatchObject({ adds: true, difference: 0 })
    expect(report.results[0]!.jobs.map(({ part }) => part)).toEqual([0, 1, 2])
    expect(report.results[0]!.checks).toHaveLength(1)
    expect(report.results[0]!.stages.map(({ status }) => status)).toEqual(Array(7).fill('success'))
    // It took as long as all of it, from the first shard on.
    const { stages } = report.results[0]!
    expect(report.metadata.startedAt).toBe(stages[0]?.startedAt)
    const joinedAt = Date.parse(String(stages.at(-1)?.startedAt))
    expect(report.elapsedMs).toBeGreaterThanOrEqual(joinedAt - Date.parse(report.metadata.startedAt))
    expect(lastLine(await fettle(['status', '--json'], { cwd }))).toMatchObject({ runId: line.runId, exitCode: 0 })
  })

  test('that are missing, duplicate, unfinished or of another list are named, with the fix', async () => {
    const cwd = project(OUTPUT)
    const first = lastLine(await fettle(['run', 'p.yml', '--shard', '1/3', ...QUIET], { cwd })).runId as string
    const again = lastLine(await fettle(['run', 'p.yml', '--shard', '1/3', '--new', ...QUIET], { cwd })).runId as string
    const other = lastLine(await fettle(['run', 'p.yml', '--shard', '2/2', ...QUIET], { cwd })).runId as string
    const plain = lastLine(await fettle(['run', 'p.yml', ...QUIET], { cwd })).runId as string
    const twice = await fettle(['merge', first, again], { cwd })
    expect(twice.code).toBe(2)
    expect(twice.stderr).toContain(`the shard 1/3 is there 2 times: ${first}, ${again}`)
    expect(twice.stderr).toContain('the shard 3/3 is missing')
    expect(twice.stderr).toContain('fettle run p.yml --shard 2/3')
    expect((await fettle(['merge', first, other], { cwd })).stderr).toContain('is shard 2/2')
    expect((await fettle(['merge', plain], { cwd })).stderr).toContain('is about all rows')
    const detached = await fettle(['run', 'p.yml', '--shard', '1/1', '--detach', ...QUIET], { cwd })
    const open = await fettle(['merge', String(lastLine(detached).runId), ...QUIET], { cwd })
    expect(open.code).toBe(75)
    expect(open.stderr).toContain(`fettle collect ${lastLine(detached).runId}`)
    expect((await fettle(['collect', ...QUIET], { cwd })).code).toBe(0)
    expect((await fettle(['merge', String(lastLine(detached).runId), ...QUIET], { cwd })).code).toBe(0)
  })

  test('with results that were cut short on the way are refused', async () => {
    const cwd = project(OUTPUT)
    const { runId } = lastLine(await fettle(['run', 'p.yml', '--shard', '1/1', ...QUIET], { cwd }))
    cpSync(join(cwd, 'fettle-runs', String(runId)), join(cwd, 'elsewhere', String(runId)), { recursive: true })
    expect((await fettle(['merge', `elsewhere/${runId}`, ...QUIET], { cwd })).code).toBe(0)
    rmSync(join(cwd, 'elsewhere', String(runId), 'enriched-0.csv.gz'))
    const lost = await fettle(['merge', `elsewhere/${runId}`], { cwd })
    expect(lost.code).toBe(2)
    expect(lost.stderr).toContain('are not there as they came')
  })

  test('killed are resumed, one remote job each', async () => {
    const service = await realService()
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p') })
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const call = ['run', 'p.yml', '--shard', '2/2', '--json']
    const under = start(call, { cwd, env })
    await under.seen(/matching started/)
    under.child.kill('SIGKILL')
    await under.ended
    const [again, first] = await Promise.all([
      fettle(call, { cwd, env }),
      fettle(['run', 'p.yml', '--shard', '1/2', ...QUIET], { cwd, env }),
    ])
    expect([again.code, first.code], again.stderr).toEqual([0, 0])
    expect(readdirSync(join(cwd, 'fettle-runs')).filter(name => name.includes('.2-of-2-'))).toHaveLength(1)
    const creations = service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs')
    expect(creations).toHaveLength(2)
    // Nothing is asked of the service any more, and no credentials are needed.
    const asked = service.requests.length
    const merged = await fettle(['merge', 'p', ...QUIET], { cwd, env: { FETTLE_URL: service.url } })
    expect(merged.code, merged.stderr).toBe(0)
    expect(lastLine(merged)).toMatchObject({ totals: { rows: 5 } })
    expect(service.requests).toHaveLength(asked)
  })

  test('of a list that lacks what is asked for are refused before anything is sent', async () => {
    const cwd = project('enrich: {product: basic, tags: [general.rowNumber]}\noutput: out/p.csv')
    const { code, stderr } = await fettle(['run', 'p.yml', '--shard', '1/2'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('general.rowNumber counts the rows of one remote job')
    expect(stderr).toContain('Add general.connectId to enrich.tags')
    for (const wrong of ['3/2', '0/2', 'x', 'auto'])
      expect((await fettle(['run', 'p.yml', '--shard', wrong], { cwd })).code, wrong).toBe(2)
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
  })

  test('of empty or repeated rows, or without rows, have no job and are still joined', async () => {
    const rows = 'Company Name,Reg No,Country\n,,\nAcme Forgings Ltd,01234567,GB\nAcme Forgings Ltd,01234567,GB\n'
    const cwd = project('job: {collapse: true}\noutput: out/p.csv', { 'rows.csv': rows })
    expect((await fettle(['run', 'p.yml', ...QUIET], { cwd })).code).toBe(0)
    const wanted = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
    for (const shard of ['1/4', '2/4', '3/4', '4/4'])
      expect((await fettle(['run', 'p.yml', '--shard', shard, ...QUIET], { cwd })).code, shard).toBe(0)
    const merged = await fettle(['merge', 'p', ...QUIET], { cwd })
    expect(merged.code, merged.stderr).toBe(0)
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe(wanted)
  })
})
