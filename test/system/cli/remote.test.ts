/** `fettle run` and `fettle resume` against services over HTTP: refusals, outages, verdicts, stops, and going on afterwards. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reportSchema } from '../../../src/report/schema.ts'
import { freePort } from '../../support/free-port.ts'
import { type Ended, fettle, fettleBinary, folderOf, lastLine, pipelineOf, STACK, start } from './fettle.ts'
import { CREDENTIALS, counting, LOGIN, realService, scripted } from './servers.ts'

const ROWS = 'Company Name,Reg No,Country\nAcme Ltd,1,GB\nBolt Ltd,2,GB\nCork SA,3,FR\nAcme Ltd,1,GB\nNobody,9,DE\n'
const place = (more?: string): string => folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', more) })

/** The line and the result file agree with each other and with the code; the report says the same. */
function isWhole(ended: Ended, cwd: string, code: number): Record<string, unknown> {
  expect(ended.stderr).not.toMatch(STACK)
  expect(ended.code, ended.stderr).toBe(code)
  expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(ended.stdout)
  const line = lastLine(ended)
  expect(line).toMatchObject({ schema: 'fettle/result/v1', exitCode: code })
  if (typeof line.report === 'string') {
    const report = reportSchema.parse(JSON.parse(readFileSync(join(cwd, line.report), 'utf8')))
    expect({ status: report.status, exitCode: report.exitCode }).toEqual({ status: line.status, exitCode: code })
  }
  expect(ended.stdout + ended.stderr).not.toContain(LOGIN.password)
  return line
}

const RUN = ['run', 'p.yml', '--json', '--result-file', 'r.json']
const RESUME = ['resume', '--json', '--result-file', 'r.json']

/** The command that a paused run tells its user to type. */
function toldToResume({ stderr }: Ended): string[] {
  const [, id] = /fettle resume (\d{8}T\d{6}Z-p-[0-9a-f]{6})/.exec(stderr) ?? []
  expect(id, stderr).toBeDefined()
  return ['resume', id as string]
}

// First, since it waits longest.
test.concurrent('a service that is silent for long leaves a sign of life every 30 seconds', async () => {
  const service = await scripted('matching')
  const cwd = place()
  const under = start(['run', 'p.yml'], { cwd, env: { ...CREDENTIALS, FETTLE_URL: service.url } })
  const began = performance.now()
  await under.seen(/matching, waiting for/)
  expect(performance.now() - began).toBeGreaterThan(25_000)
  expect(performance.now() - began).toBeLessThan(60_000)
  under.child.kill('SIGINT')
  expect((await under.ended).code).toBe(130)
}, 90_000)

describe.concurrent('a verdict of the service', () => {
  test('a wrong password is sent once, and the answer is 77', async () => {
    const service = await realService()
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_PASSWORD: 'not it' }
    isWhole(await fettle([...RUN, '--service', service.url], { cwd, env }), cwd, 77)
    expect(service.requests).toEqual([expect.objectContaining({ route: '/v1/authenticate', status: 401 })])
  })

  test('a job in an error status is 76, and stays so', async () => {
    const service = await scripted('matchingError')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const ended = await fettle(RUN, { cwd, env })
    const line = isWhole(ended, cwd, 76)
    expect(ended.stderr).toMatch(/FETTLE_JOB_FAILED/)
    expect(ended.stderr).toContain('matchingError')
    expect(line).toMatchObject({ status: 'error', output: null, totals: { rows: 5, failed: 5 } })
    expect(existsSync(join(cwd, 'out/p.csv'))).toBe(false)
    const asked = service.requests.length
    const again = await fettle(RESUME, { cwd, env })
    isWhole(again, cwd, 76)
    expect(again.stdout).toBe(ended.stdout)
    expect(service.requests).toHaveLength(asked)
  })

  test('an address without such a service is 76', async () => {
    const service = await counting(() => ({ status: 404, body: { message: 'nothing here' } }))
    const cwd = place()
    isWhole(await fettle(RUN, { cwd, env: { ...CREDENTIALS, FETTLE_URL: service.url } }), cwd, 76)
    expect(service.requests).toEqual(['POST /authenticate'])
  })
})

describe.concurrent('an outage', () => {
  test('no answer: 75 and the command that resumes, which works', async () => {
    const port = await freePort()
    const cwd = place('output: out/p.csv\nretry: {attempts: 1}')
    const env = { ...CREDENTIALS, FETTLE_URL: `http://127.0.0.1:${port}/v1` }
    // A process that could not log in does not try again for a while.
    const ended = await fettleBinary(RUN, { cwd, env })
    expect(isWhole(ended, cwd, 75)).toMatchObject({ status: 'error', output: null })
    expect((await fettle(['status', '-h'], { cwd })).code).toBe(0)
    expect(await fettle(['status'], { cwd })).toMatchObject({ code: 75 })
    const service = await realService({ port })
    const resumed = await fettle([...toldToResume(ended), '--json', '--result-file', 'r.json'], { cwd, env })
    expect(isWhole(resumed, cwd, 0)).toMatchObject({ totals: { matched: 3, duplicates: 1, unmatched: 1 }, output: 'out/p.csv' })
    expect(service.requests.filter(one => one.method === 'POST' && one.route === '/v1/dataCleaning/jobs')).toHaveLength(1)
  })

  test('a run is not resumed for another user', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    isWhole(await fettle([...RUN, '--timeout', '2s'], { cwd, env }), cwd, 75)
    const asked = service.requests.length
    const other = await fettle(RESUME, { cwd, env: { ...env, FETTLE_USERNAME: 'somebody else' } })
    expect(other.stderr).toContain('FETTLE_FINGERPRINT')
    isWhole(other, cwd, 2)
    expect(service.requests).toHaveLength(asked)
  })

  test('--timeout ends the waiting, not the job: 75', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const ended = await fettle([...RUN, '--timeout', '3s'], { cwd, env })
    isWhole(ended, cwd, 75)
    expect(ended.stderr).toContain('FETTLE_DEADLINE')
    expect(toldToResume(ended)).toHaveLength(2)
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(1)
    // The same command again goes on with the job that is there.
    const again = await fettle([...RUN, '--timeout', '2s'], { cwd, env })
    isWhole(again, cwd, 75)
    expect(again.stderr).toContain('continuing the unfinished run')
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(1)
    // --new leaves it alone.
    const fresh = await fettle([...RUN, '--timeout', '2s', '--new'], { cwd, env })
    isWhole(fresh, cwd, 75)
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(2)
    expect(lastLine(fresh).runId).not.toBe(lastLine(ended).runId)
    const runs = await fettle(['runs'], { cwd })
    expect(runs.stdout.split('\n')).toHaveLength(4)
  })
})

describe.concurrent('a stop', () => {
  test('SIGINT: 130, a whole report, no second job, and the run goes on where it stopped', async () => {
    const service = await realService({ rowPauseMs: 300 })
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const under = start(RUN, { cwd, env })
    await under.seen(/status matching/)
    under.child.kill('SIGINT')
    const ended = await under.ended
    expect(isWhole(ended, cwd, 130)).toMatchObject({ status: 'cancelled', output: null })
    const id = String(lastLine(ended).runId)
    const journal = readFileSync(join(cwd, 'fettle-runs', id, 'journal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(JSON.parse(journal.at(-1) as string)).toMatchObject({ type: 'run.paused', exitCode: 130 })
    expect(readdirSync(join(cwd, 'fettle-runs/locks'))).toEqual([])
    expect((await fettle(['status', '--json'], { cwd })).code).toBe(130)

    const resumed = await fettle([...toldToResume(ended), '--json', '--result-file', 'r.json'], { cwd, env })
    expect(isWhole(resumed, cwd, 0)).toMatchObject({ runId: id, totals: { rows: 5, matched: 3, duplicates: 1, unmatched: 1 } })
    const created = service.requests.filter(one => one.method === 'POST' && one.route === '/v1/dataCleaning/jobs')
    expect(created).toHaveLength(1)
    expect(await fettle(['status', '--json'], { cwd })).toMatchObject({ code: 0 })
  })

  test('SIGTERM: 143', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const under = start(RUN, { cwd, env: { ...CREDENTIALS, FETTLE_URL: service.url } })
    await under.seen(/status matching/)
    under.child.kill('SIGTERM')
    isWhole(await under.ended, cwd, 143)
  })

  const WINDOWS = `--import=data:text/javascript,${encodeURIComponent("Object.defineProperty(process,'platform',{value:'win32'})")}`
  test.each([
    ['', 'SIGINT'],
    // Windows kills without a signal, and with exit code 1.
    [WINDOWS, null],
  ] as const)('a second SIGINT ends at once, with the same code and the last whole report %s', async (NODE_OPTIONS, signal) => {
    // The first stop hears out the request in flight; this one is never answered.
    const service = await counting((line, _body) =>
      line === 'POST /authenticate' ? { status: 200, body: { token: 't' } } : { status: 200, body: {}, delayMs: 60_000 },
    )
    const cwd = place()
    const under = start(RUN, { cwd, env: { ...CREDENTIALS, NODE_OPTIONS, FETTLE_URL: service.url } })
    await service.asked('POST /dataCleaning/jobs')
    under.child.kill('SIGINT')
    const startedAt = performance.now()
    under.child.kill('SIGINT')
    const again = setInterval(() => under.child.kill('SIGINT'), 50)
    const ended = await under.ended
    clearInterval(again)
    expect([ended.code, under.child.signalCode]).toEqual([130, signal])
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(ended.stderr).not.toMatch(STACK)
    const [id = ''] = readdirSync(join(cwd, 'fettle-runs')).filter(name => name.includes('-p-'))
    reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'fettle-runs', id, 'report.json'), 'utf8')))
    expect((await fettle(['status'], { cwd })).code).toBe(75)
  })

  test('a run that is active is not started twice: 75 and the process', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const first = start(RUN, { cwd, env })
    await first.seen(/status matching/)
    expect((await fettle(['status'], { cwd })).stdout).toContain(`Process ${first.child.pid} on `)
    for (const args of [RUN, RESUME]) {
      const second = await fettle(args.with(-1, 'r2.json'), { cwd, env })
      expect(second.code).toBe(75)
      expect(second.stderr).toContain('FETTLE_LOCKED')
      expect(second.stderr).toContain(`process ${first.child.pid}`)
      expect(readFileSync(join(cwd, 'r2.json'), 'utf8')).toBe(second.stdout)
      expect(lastLine(second)).toMatchObject({ exitCode: 75, pipeline: 'p' })
    }
    first.child.kill('SIGKILL')
    await first.ended
    const status = await fettle(['status'], { cwd })
    expect(status.code).toBe(75)
    expect(status.stdout).toMatch(
      /^■ Stopped {2}p {2}[\s\S]*It stopped in the match stage\.[\s\S]*No process is running it: fettle resume/,
    )
    const report = await fettle(['report'], { cwd })
    expect(report.stdout).toMatch(/^■ Stopped {2}p {2}/)
    // The page of a run that was killed does not exist.
    expect(status.stdout + report.stdout).not.toContain('report.html')
    expect((await fettle(['runs'], { cwd })).stdout).toMatch(/-p-\w+ +stopped +75 /)
    // The lock of a process that is gone is taken over.
    const taken = await fettle([...RUN, '--timeout', '2s'], { cwd, env })
    isWhole(taken, cwd, 75)
    expect(taken.stderr).toContain('took over the lock')
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(1)
  })
})
