/** A task that its scheduler repeats after fettle has finished: the result is reported again, and no second job is paid for. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../../src/index.ts'
import { fettle, folderOf, lastLine, pipelineOf } from './fettle.ts'
import { CREDENTIALS, realService, scripted } from './servers.ts'

const ROWS = 'Company Name,Reg No,Country\nAcme Ltd,1,GB\nBolt Ltd,2,GB\nNobody,9,DE\n'
const QUIET = ['--json', '-q']

async function setUp(more?: string) {
  const service = await realService()
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', more) })
  const env = { ...CREDENTIALS, FETTLE_URL: service.url }
  const call = (args: readonly string[], extra: Readonly<Record<string, string>> = {}) =>
    fettle([...args, ...QUIET], { cwd, env: { ...env, ...extra } })
  const creations = () =>
    service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs').length
  return { service, cwd, env, call, creations }
}

describe.concurrent('a run key', { timeout: 120_000 }, () => {
  test('a finished run of the same key is reported again with its files, and nothing is sent', async () => {
    const { service, cwd, env, call, creations } = await setUp()
    const first = await call(['run', 'p.yml', '--run-key', 'monday'])
    expect(first.code, first.stderr).toBe(0)
    const output = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
    const sent = service.requests.length

    expect(await call(['run', 'p.yml'], { FETTLE_RUN_KEY: 'monday' })).toEqual(first)
    expect(service.requests.length).toBe(sent)
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe(output)
    const spoken = await fettle(['run', 'p.yml', '--run-key', 'monday', '-v'], { cwd, env })
    expect(spoken.stderr).toContain(`the run ${lastLine(first).runId} of this run key has finished: its result again`)
    const plan = await fettle(['plan', 'p.yml', '--run-key', 'monday'], { cwd, env })
    expect(plan.stdout).toContain('run key   monday (--run-key)')
    expect(plan.stdout).toContain(`${lastLine(first).runId} of this key has finished: it is reported again, nothing is sent`)

    const next = await call(['run', 'p.yml', '--run-key', 'tuesday'])
    expect(lastLine(next).runId).not.toBe(lastLine(first).runId)
    // A retry of Monday's task may come after Tuesday's run.
    expect(await call(['run', 'p.yml', '--run-key', 'monday'])).toEqual(first)
    expect(creations()).toBe(2)
    expect(lastLine(await call(['run', 'p.yml', '--run-key', 'monday', '--new'])).runId).not.toBe(lastLine(first).runId)
    await call(['run', 'p.yml'])
    await call(['run', 'p.yml'])
    expect(creations()).toBe(5)
  })

  test('another list under the same key is another run', async () => {
    const { cwd, call, creations } = await setUp()
    await call(['run', 'p.yml', '--run-key', 'k'])
    writeFileSync(join(cwd, 'rows.csv'), `${ROWS}Cork SA,3,FR\n`)
    expect(lastLine(await call(['run', 'p.yml', '--run-key', 'k']))).toMatchObject({ totals: { rows: 4 } })
    expect(creations()).toBe(2)
  })

  test('a run whose check failed is reported again with its exit code', async () => {
    const { call, creations } = await setUp('output: {path: out/p.csv}\nchecks: {matched: {fail: "< 99%"}}')
    const first = await call(['run', 'p.yml', '--run-key', 'k'])
    expect(first.code).toBe(1)
    expect((await call(['run', 'p.yml', '--run-key', 'k'])).stdout).toBe(first.stdout)
    expect(creations()).toBe(1)
  })

  test.each([
    ['others', 'checks: {matched: {fail: "< 99%"}}', 'checks: {matched: {fail: "< 1%"}}'],
    ['first ones', '', 'checks: {matched: {fail: "< 99%"}}'],
  ])('a run that was judged by other checks is not reported again: %s', async (_, before, after) => {
    const { cwd, call, creations } = await setUp(`output: {path: out/p.csv}\n${before}`)
    await call(['run', 'p.yml', '--run-key', 'k'])
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', `output: {path: out/p.csv}\n${after}`))
    const again = await call(['run', 'p.yml', '--run-key', 'k'])
    expect(again.code).toBe(2)
    expect(lastLine(again)).toMatchObject({ error: { code: 'FETTLE_FINGERPRINT' } })
    expect(creations()).toBe(1)
  })

  test('a run that is continued under another key belongs to both', async () => {
    const { cwd, call, creations } = await setUp()
    await call(['run', 'p.yml', '--run-key', 'a', '--detach'])
    const finished = await call(['run', 'p.yml', '--run-key', 'b'])
    expect(finished.code, finished.stderr).toBe(0)
    const { runId } = lastLine(finished)
    for (const key of ['a', 'b']) expect(lastLine(await call(['run', 'p.yml', '--run-key', key])).runId).toBe(runId)
    expect(creations()).toBe(1)
    expect(readFileSync(join(cwd, 'fettle-runs', String(runId), 'journal.jsonl'), 'utf8')).toContain('"runKey":"b"')
  })

  test('a run that the service ended in an error is started again', async () => {
    const statuses = { now: 'matchingError' }
    const service = await scripted(() => statuses.now)
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', '') })
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const args = ['run', 'p.yml', '--run-key', 'k', ...QUIET]
    expect((await fettle(args, { cwd, env })).code).toBe(76)
    statuses.now = 'jobMatchingComplete'
    expect((await fettle(args, { cwd, env })).code).toBe(0)
    expect((await fettle(args, { cwd, env })).code).toBe(0)
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(2)
  })

  test('a result whose file was changed does not succeed', async () => {
    const { cwd, call } = await setUp()
    const first = await call(['run', 'p.yml', '--run-key', 'k'])
    writeFileSync(join(cwd, 'out/p.csv'), 'of another program')
    const again = await call(['run', 'p.yml', '--run-key', 'k'])
    expect(again.code).toBe(73)
    expect(again.stderr).toContain(`the run ${lastLine(first).runId} of this run key has finished, and its out/p.csv was changed`)
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe('of another program')
  })

  test('a result whose file is missing does not succeed', async () => {
    const { cwd, call, creations } = await setUp()
    const first = await call(['run', 'p.yml', '--run-key', 'k'])
    rmSync(join(cwd, 'out/p.csv'))
    const again = await call(['run', 'p.yml', '--run-key', 'k'])
    expect(again.code).toBe(73)
    expect(again.stderr).toContain('FETTLE_OUTPUT_GONE')
    expect(again.stderr).toContain(`the run ${lastLine(first).runId} of this run key has finished, and its out/p.csv is missing`)
    expect(again.stderr).toContain('fettle run --new p.yml')
    expect(creations()).toBe(1)
  })

  test('shards and their merge are reported again', async () => {
    const { cwd, call, creations } = await setUp()
    const commands = [
      ['run', 'p.yml', '--shard', '1/2'],
      ['run', 'p.yml', '--shard', '2/2'],
      ['merge', 'p'],
    ]
    const github = { GITHUB_RUN_ID: '1', GITHUB_JOB: 'nightly' }
    const first = []
    for (const args of commands) first.push(await call(args, github))
    for (const ended of first) expect(ended.code, ended.stderr).toBe(0)
    const { mtimeMs, ino } = statSync(join(cwd, 'out/p.csv'))
    for (const [at, args] of commands.entries()) expect(await call(args, github)).toEqual(first[at])
    expect(statSync(join(cwd, 'out/p.csv'))).toMatchObject({ mtimeMs, ino })
    expect(creations()).toBe(2)
    expect(lastLine(await call(['merge', 'p'], { ...github, GITHUB_RUN_ID: '2' })).runId).not.toBe(lastLine(first[2]!).runId)
  })

  test('a merge needs neither the address of the service nor credentials', async () => {
    const { cwd, call } = await setUp()
    for (const shard of ['1/2', '2/2']) expect((await call(['run', 'p.yml', '--shard', shard])).code).toBe(0)
    const merged = await fettle(['merge', 'p', ...QUIET], { cwd })
    expect(merged.code, merged.stderr).toBe(0)
    expect(lastLine(merged)).toMatchObject({ output: 'out/p.csv', totals: { rows: 3 } })
  })

  test('credentials without an address are refused: their service was meant', async () => {
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', '') })
    const refused = await fettle(['run', 'p.yml'], { cwd, env: CREDENTIALS })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('FETTLE_USERNAME is set, and no address of a service')
    expect((await fettle(['run', 'p.yml', '--service', 'embedded', '-q'], { cwd, env: CREDENTIALS })).code).toBe(0)
  })

  test.each([
    ['service: required', {}, 'service: of the pipeline has no address, and FETTLE_URL is not set'],
    ['', { FETTLE_EMBEDDED: 'never' }, 'the embedded service is ruled out by FETTLE_EMBEDDED=never'],
    ['service: embedded', { FETTLE_EMBEDDED: 'never' }, 'the embedded service is ruled out by FETTLE_EMBEDDED=never'],
    ['', { FETTLE_EMBEDDED: 'no' }, 'FETTLE_EMBEDDED is no: expected never, or nothing'],
  ])('the embedded service is refused where another was meant: %s %o', async (line, env, message) => {
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', line) })
    const refused = await fettle(['run', 'p.yml'], { cwd, env })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
  })

  test('service: required asks the service of FETTLE_URL', async () => {
    const { cwd, call, creations } = await setUp()
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', 'service: required'))
    const ended = await call(['run', 'p.yml'], { FETTLE_EMBEDDED: 'never' })
    expect(ended.code, ended.stderr).toBe(0)
    expect(lastLine(ended)).toMatchObject({ service: expect.stringMatching(/^http:/), registers: null })
    expect(creations()).toBe(1)
  })

  test('an empty key is refused before anything is sent', async () => {
    const { service, call } = await setUp()
    expect((await call(['run', 'p.yml', '--run-key', ''])).code).toBe(2)
    expect(await call(['run', 'p.yml'], { FETTLE_RUN_KEY: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is empty'),
    })
    expect(service.requests).toEqual([])
  })
})

test('the library has the key as an option', async () => {
  const { cwd, env, creations } = await setUp()
  process.chdir(cwd)
  const options = { env: { ...env, PREFECT__FLOW_RUN_ID: 'f' } }
  const ids = []
  for (const runKey of [undefined, 'f', 'g', null, null])
    ids.push((await run('p.yml', { ...options, ...(runKey === undefined ? {} : { runKey }) })).metadata.runId)
  expect(ids[1]).toBe(ids[0])
  expect(new Set(ids).size).toBe(4)
  expect(creations()).toBe(4)
})
