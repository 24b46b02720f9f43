/** `worker`, `run --queue`: shards run by processes that are killed, stopped and disconnected give the same bytes as one run. */

import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { sampled } from '../../support/runs.ts'
import { atEnd, fettle, folderOf, follow, lastLine, pipelineOf, ROOT, start } from '../../system/cli/fettle.ts'
import { serveFiles } from '../../system/cli/objects.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'
import { CANARY, canariesBelow, canariesIn, MARK } from '../../system/security/canary.ts'
import { HAS_POSTGRES, startPostgres } from '../client/database/postgres.ts'
import { HAS_REDIS, startRedis } from './redis.ts'

const ROWS = `Company Name,Reg No,Country\n${['Acme Ltd,1,GB', 'Bolt Ltd,2,GB', 'Cork SA,3,FR', 'Nobody,9,DE', 'ACME,1,GB', 'Bolt,2,GB'].join('\n')}\n`
const OUTPUT = 'output: {path: out/p.csv, unmatched: out/un.csv, review: out/re.csv}\njob: {concurrency: 4}'
const place = (): string => folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', OUTPUT) })
const outputs = (cwd: string): string[] => ['p.csv', 'un.csv', 're.csv'].map(name => readFileSync(join(cwd, 'out', name), 'utf8'))
const PASSWORD = `${MARK}-redis`
const STAGES = sampled(['create', 'upload', 'map', 'submit', 'match', 'enrich', 'download'], 4)

type Service = Awaited<ReturnType<typeof realService>>
const creations = ({ requests }: Service): number =>
  requests.filter(({ method, route, status }) => method === 'POST' && route === '/v1/dataCleaning/jobs' && status < 300).length

/** A service, a Redis with a password, and what a command is called with for them. */
async function setUp(rate = '1000/1s') {
  const [requests, per] = rate.split('/')
  const service = await realService({ rates: { all: { requests: Number(requests), perMs: Number(per?.slice(0, -1)) * 1000 } } })
  const redis = await startRedis(['--requirepass', PASSWORD])
  const env = { ...CREDENTIALS, FETTLE_URL: service.url, FETTLE_QUEUE_PASSWORD: PASSWORD }
  return { service, redis, env, queue: ['--queue', redis.url] }
}

let ofOneRun: Promise<string[]> | null = null
/** The bytes of one run over the same list, at a service of its own. */
const wanted = (): Promise<string[]> => (ofOneRun ??= oneRun())

async function oneRun(): Promise<string[]> {
  const cwd = place()
  const { url } = await realService()
  const { code, stderr } = await fettle(['run', 'p.yml', '--json', '-q'], { cwd, env: { ...CREDENTIALS, FETTLE_URL: url } })
  expect(code, stderr).toBe(0)
  return outputs(cwd)
}

/** Two shards come to their end, with a remote job each and the bytes of one run, and the worker to its. */
async function endsWell(
  { submitted, worker }: Record<'submitted' | 'worker', ReturnType<typeof start>>,
  cwd: string,
  service: Service,
): Promise<void> {
  const ended = await submitted.ended
  expect(ended.code, ended.stderr).toBe(0)
  expect(outputs(cwd)).toEqual(await wanted())
  expect(creations(service)).toBe(2)
  worker.child.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
}

// They wait for one another's locks to run out: side by side.
describe.skipIf(!HAS_REDIS).concurrent('workers', () => {
  test(`killed in ${STAGES.length} stages are followed by others: one remote job a shard, and the bytes of one run`, async () => {
    const { service, env, queue } = await setUp()
    const cwd = place()
    const worker = ['worker', ...queue, '-v']
    const submitted = start(['run', 'p.yml', ...queue, '--shards', '3', '--run-key', 'k', '--json'], { cwd, env })
    for (const stage of STAGES) {
      const victim = start(worker, { cwd, env })
      await victim.seen(new RegExp(`p \\d/3: ${stage} `))
      victim.child.kill('SIGKILL')
      await victim.ended
    }
    const others = [start(worker, { cwd, env }), start(worker, { cwd: folderOf({ 'rows.csv': ROWS }), env })]
    const ended = await submitted.ended
    expect(ended.code, ended.stderr).toBe(0)
    expect(lastLine(ended)).toMatchObject({ status: 'success', pipeline: 'p', output: 'out/p.csv', totals: { rows: 6 } })
    expect(outputs(cwd)).toEqual(await wanted())
    expect(creations(service)).toBe(3)
    // A stop is a good end for a worker.
    for (const { child } of others) child.kill('SIGTERM')
    for (const one of others) expect((await one.ended).code).toBe(0)
    const retried = await fettle(['run', 'p.yml', ...queue, '--shards', '3', '--run-key', 'k', '--json'], { cwd, env })
    expect(retried).toMatchObject({ code: 0, stdout: ended.stdout })
    // Without the key it is a new run: nothing of the old one is left in the queue.
    expect((await fettle(['status', '--json'], { cwd, env })).code).toBe(0)
    const again = await fettle(['run', 'p.yml', ...queue, '--shards', '3', '--detach', '--json'], { cwd, env })
    expect(again.stderr).not.toContain('already')
    expect(lastLine(again).runId).not.toBe(lastLine(ended).runId)
  })

  test('submitted twice are the same shards; left there they are collected, also without the folder of their worker', async () => {
    const { service, env, queue } = await setUp()
    const [cwd, other, far] = [place(), place(), folderOf({ 'rows.csv': ROWS })]
    const submit = ['run', 'p.yml', ...queue, '--shards', '2', '--detach', '--json']
    const first = await fettle(submit, { cwd, env })
    expect(first.code, first.stderr).toBe(0)
    const { runId } = lastLine(first)
    expect(lastLine(first)).toMatchObject({ status: 'running', exitCode: 0, pipeline: 'p' })
    const second = await fettle(submit, { cwd, env })
    expect(lastLine(second).runId).toBe(runId)
    expect(second.stderr).toContain('all of them there already')
    for (const args of [
      ['status', 'p'],
      ['collect', String(runId)],
    ]) {
      const unknown = await fettle(args, { cwd: other, env })
      expect(unknown.code).toBe(2)
      expect(unknown.stderr).toContain('repeat its command here (fettle run PIPELINE --queue URL …)')
    }
    expect((await fettle(submit, { cwd: other, env })).stderr).toContain('all of them there already')
    const doctor = await fettle(['doctor', '--offline'], { cwd, env })
    expect(doctor.stdout).toContain(`1 unfinished: ${runId}`)
    expect(doctor.stdout).toContain(`fettle collect ${runId}`)
    expect(await fettle(['status', 'p', '--json'], { cwd, env })).toMatchObject({ code: 75 })
    expect((await fettle(['runs'], { cwd, env })).stdout).toContain('queued')
    const hasty = await fettle(['collect', 'p', '--timeout', '1s'], { cwd, env })
    expect(hasty.code).toBe(75)
    expect(hasty.stderr).toContain(`fettle collect ${runId}`)

    const worker = start(['worker', ...queue], { cwd: far, env })
    expect((await fettle(['status', 'p', '--watch'], { cwd, env })).code).toBe(0)
    worker.child.kill('SIGTERM')
    await worker.ended
    rmSync(join(far, 'fettle-runs'), { recursive: true })
    const collected = await fettle(['collect', 'p', '--json'], { cwd, env })
    expect(collected.code, collected.stderr).toBe(0)
    expect(collected.stderr).toContain('fetching the result')
    expect(lastLine(collected)).toMatchObject({ runId, status: 'success' })
    expect(outputs(cwd)).toEqual(await wanted())
    expect(creations(service)).toBe(2)
    // Told again, and the other that had posted the same learns where it went.
    expect(lastLine(await fettle(['collect', 'p', '--json', '-q'], { cwd, env }))).toMatchObject({ runId, status: 'success' })
    const late = await fettle(['collect', 'p'], { cwd: other, env })
    expect(late.code).toBe(75)
    expect(late.stderr).toContain('no longer in the queue')
  })

  test('that are stopped hand on what they hold; the submitting process killed, the same again merges', async () => {
    const { service, env, queue } = await setUp()
    const cwd = place()
    const submit = ['run', 'p.yml', ...queue, '--shards', '1', '--json']
    const submitted = start(submit, { cwd, env })
    const stopped = start(['worker', ...queue, '-v'], { cwd, env })
    await stopped.seen(/: match/)
    stopped.child.kill('SIGTERM')
    submitted.child.kill('SIGKILL')
    expect((await stopped.ended).code).toBe(0)
    await submitted.ended
    const heir = start(['worker', ...queue], { cwd, env })
    const ended = await fettle(submit, { cwd, env })
    expect(ended.code, ended.stderr).toBe(0)
    expect(outputs(cwd)).toEqual(await wanted())
    expect(creations(service)).toBe(1)
    heir.child.kill('SIGTERM')
    const { stderr } = await heir.ended
    if ((await stopped.ended).stderr.includes('handed over')) expect(stderr).toMatch(/taken over after \d+ events/)
  })

  test('together keep to the requests that the account allows', async () => {
    const { service, env, queue } = await setUp('5/1s')
    const cwd = place()
    const workers = [1, 2, 3].map(() => start(['worker', ...queue], { cwd, env }))
    const ended = await fettle(['run', 'p.yml', ...queue, '--shards', '3', '--json', '-q'], { cwd, env })
    expect(ended.code, ended.stderr).toBe(0)
    for (const { child } of workers) child.kill('SIGTERM')
    await Promise.all(workers.map(one => one.ended))
    expect(service.requests.length).toBeGreaterThan(20)
    expect(service.requests.filter(({ status }) => status === 429)).toEqual([])
  })

  test('merged by a process that was killed are merged once by the next, and leave nothing in the queue', async () => {
    const { service, env, queue } = await setUp()
    const cwd = place()
    const call = ['run', 'p.yml', ...queue, '--shards', '2', '--json']
    const worker = start(['worker', ...queue], { cwd, env })
    const runs: string[] = []
    for (const goesOn of [['collect', 'p', '--json'], call]) {
      const runId = String(lastLine(await fettle([...call, '--detach'], { cwd, env })).runId)
      expect((await fettle(['status', 'p', '--watch'], { cwd, env })).code).toBe(0)
      const collector = start(['collect', 'p'], { cwd, env })
      const journal = join(cwd, 'fettle-runs', runId, 'journal.jsonl')
      await vi.waitUntil(() => existsSync(journal) && readFileSync(journal, 'utf8').includes('\n'), {
        timeout: 60_000,
        interval: 1,
      })
      collector.child.kill('SIGKILL')
      await collector.ended
      const ended = await fettle(goesOn, { cwd, env })
      expect(ended.code, ended.stderr).toBe(0)
      expect(lastLine(ended).runId).toBe(runId)
      runs.push(runId)
      expect((await fettle(['runs'], { cwd, env })).stdout).not.toContain('queued')
    }
    // The second was a new run.
    expect(new Set(runs).size).toBe(2)
    expect(creations(service)).toBe(4)
    expect(outputs(cwd)).toEqual(await wanted())
    worker.child.kill('SIGTERM')
    await worker.ended
  })

  test('that cannot run any shard report why and stop, and the shards stay for others', async () => {
    const { service, env, queue } = await setUp()
    const cwd = place()
    const submitted = start(['run', 'p.yml', ...queue, '--shards', '2', '--json'], { cwd, env })
    const others = [
      { FETTLE_USERNAME: 'stranger' },
      { FETTLE_URL: 'http://127.0.0.1:9/v1' },
      { FETTLE_PASSWORD: `not ${CREDENTIALS.FETTLE_PASSWORD}` },
    ]
    for (const other of others) {
      const unusable = await fettle(['worker', ...queue], { cwd, env: { ...env, ...other } })
      expect(unusable.code, unusable.stderr).toBe(2)
      expect(unusable.stderr).toContain('FETTLE_QUEUE_SIGNATURE')
    }
    // Not one login: services lock accounts.
    expect(service.requests).toEqual([])
    expect(creations(service)).toBe(0)
    await submitted.seen(/shard \d\/2: a worker stopped: FETTLE_/)
    const worker = start(['worker', ...queue], { cwd, env })
    await endsWell({ submitted, worker }, cwd, service)
  })

  test('after a change of the password continue with the old one as FETTLE_QUEUE_KEY: nothing is lost, nothing is sent twice', async () => {
    const { service, env, queue } = await setUp()
    const cwd = place()
    // The shards were signed with the password of that time.
    const old = { ...env, FETTLE_QUEUE_KEY: 'the old password' }
    const submitted = start(['run', 'p.yml', ...queue, '--shards', '2', '--json'], { cwd, env: old })
    const victim = start(['worker', ...queue, '-v'], { cwd, env: old })
    await victim.seen(/p \d\/2: match /)
    victim.child.kill('SIGKILL')
    await victim.ended
    const unaware = await fettle(['worker', ...queue], { cwd, env })
    expect(unaware.code, unaware.stderr).toBe(2)
    expect(unaware.stderr).toContain('FETTLE_QUEUE_KEY')
    const worker = start(['worker', ...queue], { cwd, env: old })
    await endsWell({ submitted, worker }, cwd, service)
  })

  test('without the list fail the shards, and the printed command names the same shards', async () => {
    const { service, env, queue } = await setUp()
    const cwd = place()
    const named = [...queue, '--queue-name', 'own']
    const submitted = start(['run', 'p.yml', ...named, '--shards', '2', '--json'], { cwd, env })
    const worker = start(['worker', ...named], { cwd: folderOf(), env })
    const ended = await submitted.ended
    worker.child.kill('SIGTERM')
    await worker.ended
    expect(ended.code).toBe(75)
    expect(ended.stderr).toContain('--queue-name own --shards 2')
    const told = await fettle(['status', 'p'], { cwd, env })
    expect(told).toMatchObject({ code: 76 })
    expect(told.stdout).toContain('--queue-name own --shards 2')
    expect(creations(service)).toBe(0)
  })

  test('give up a shard whose journal in Redis is of another type, and the waiting process prints why; without FETTLE_URL none starts', async () => {
    const { service, redis, env, queue } = await setUp()
    const cwd = place()
    const { FETTLE_URL: _, ...silent } = env
    const homeless = await fettle(['worker', ...queue], { cwd, env: silent })
    expect(homeless).toMatchObject({ code: 2, stderr: expect.stringContaining('FETTLE_URL is not set') })
    const left = await fettle(['run', 'p.yml', ...queue, '--shards', '1', '--detach', '--json'], { cwd, env })
    const { jobs } = JSON.parse(readFileSync(join(cwd, 'fettle-runs', String(lastLine(left).runId), 'queue.json'), 'utf8'))
    const direct = new Redis(redis.url, { password: PASSWORD })
    await direct.set(`fettle:fettle:journal:${jobs[0]}`, 'text')
    direct.disconnect()
    const worker = start(['worker', ...queue], { cwd, env })
    const collected = await fettle(['collect', 'p', '--timeout', '5m'], { cwd, env })
    expect(collected.code, collected.stderr).toBe(75)
    expect(collected.stderr).toMatch(/shard 1\/1 was given up: FETTLE_QUEUE_SETTINGS .*journal.*WRONGTYPE/)
    expect(service.requests).toEqual([])
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('that were stopped in their sleep between record and turn find their shard with another, and send nothing', async () => {
    const { service, env, queue } = await setUp()
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', `${OUTPUT}\nservice: {rate: {requests: 1, per: 2s}}`) })
    const worker = ['worker', ...queue, '-v']
    const submitted = start(['run', 'p.yml', ...queue, '--shards', '1', '--json'], { cwd, env })
    const sleeper = start(worker, { cwd, env })
    const runs = join(cwd, 'fettle-runs', 'workers', hostname())
    const recorded = (): string =>
      (existsSync(runs) ? readdirSync(runs) : [])
        .map(run => join(runs, run, 'journal.jsonl'))
        .map(file => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
        .join('')
    await vi.waitUntil(() => recorded().includes('job.requested'), { timeout: 60_000, interval: 20 })
    sleeper.child.kill('SIGSTOP')
    expect(recorded()).not.toContain('job.created')
    // On another machine: in one folder the lock of the run would do.
    const heir = start(worker, { cwd: folderOf({ 'rows.csv': ROWS }), env })
    await heir.seen(/: upload /)
    heir.child.kill('SIGKILL')
    await heir.ended
    // Nobody waits for a turn: the sleeper gets one as soon as it wakes.
    await sleep(2_500)
    sleeper.child.kill('SIGCONT')
    const ended = await submitted.ended
    expect(ended.code, ended.stderr).toBe(0)
    expect(creations(service)).toBe(1)
    sleeper.child.kill('SIGTERM')
    expect((await sleeper.ended).stderr).toMatch(/FETTLE_LOCKED.*taken over after/s)
  })

  test('go on where they were when Redis was away', async () => {
    const { service, redis, env, queue } = await setUp()
    const cwd = place()
    const worker = start(['worker', ...queue, '-v'], { cwd, env })
    const submitted = start(['run', 'p.yml', ...queue, '--shards', '2', '--json'], { cwd, env })
    await worker.seen(/: submit/)
    await redis.kill()
    await worker.seen(/the queue: /)
    await redis.start()
    await endsWell({ submitted, worker }, cwd, service)
  })

  test('read a folder of files as one list', async () => {
    const { service, env, queue } = await setUp()
    const [header = '', ...rows] = ROWS.trimEnd().split('\n')
    const part = (of: readonly string[]): string => `${[header, ...of].join('\n')}\n`
    const lists = { 'rows/1.csv': part(rows.slice(0, 4)), 'rows/2.csv': part(rows.slice(4)) }
    const cwd = folderOf({ ...lists, 'p.yml': pipelineOf('p', OUTPUT).replace('rows.csv', 'rows') })
    const worker = start(['worker', ...queue], { cwd, env })
    await endsWell(
      { submitted: start(['run', 'p.yml', ...queue, '--shards', '2', '--json'], { cwd, env }), worker },
      cwd,
      service,
    )
  })

  test('fetch a remote list, and reject one with a query, which is never passed on', async () => {
    const { service, env, queue } = await setUp()
    const files = await serveFiles(new Map([['/rows.csv', Buffer.from(ROWS)]]))
    const cwd = folderOf({ 'p.yml': pipelineOf('p', OUTPUT).replace('rows.csv', '"${FROM}"') })
    const call = ['run', 'p.yml', ...queue, '--shards', '2', '--json']
    const worker = start(['worker', ...queue, '--input-from', `${files.origin}/`], { cwd: folderOf(), env })
    const ended = await fettle(call, { cwd, env: { ...env, FROM: `${files.origin}/rows.csv` } })
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(ended.code, ended.stderr).toBe(0)
    expect(outputs(cwd)).toEqual(await wanted())
    expect(creations(service)).toBe(2)
    const signed = await serveFiles(new Map([['/rows.csv', Buffer.from(ROWS)]]), '?sig=1')
    const refused = await fettle(call, { cwd, env: { ...env, FROM: `${signed.origin}/rows.csv?sig=1` } })
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('workers cannot read')
    expect(refused.stderr).not.toContain('sig=1')
  })

  test.skipIf(!HAS_POSTGRES)(
    'read the copy of the rows of a query, and neither the queue nor a process nor a file has its password',
    async () => {
      const { service, redis, env, queue } = await setUp()
      const server = await startPostgres({ password: CANARY.password })
      await server.query('create table rows ("Company Name" text, "Reg No" text, "Country" text)')
      for (const row of ROWS.trim().split('\n').slice(1))
        await server.query('insert into rows values ($1, $2, $3)', row.split(','))
      const query = '{ sql: select * from rows, url: "${PG_URL}" }'
      const cwd = folderOf({ 'p.yml': pipelineOf('p', OUTPUT).replace(/^input: .*$/m, `input: ${query}`) })
      const submitted = start(['run', 'p.yml', ...queue, '--shards', '2', '--json'], { cwd, env: { ...env, PG_URL: server.url } })
      await submitted.seen(/2 shards|shard 1\/2|waiting/)
      const client = new Redis(redis.url, { password: PASSWORD })
      const kept = await Promise.all((await client.keys('*')).map(key => client.dump(key).then(text => String(text))))
      client.disconnect()
      expect(kept.length).toBeGreaterThan(0)
      expect(canariesIn(kept.join('\n').replaceAll(PASSWORD, ''), 'the queue')).toEqual([])
      const worker = start(['worker', ...queue, '-v'], { cwd, env })
      for (const { child } of [submitted, worker])
        expect(canariesIn(readFileSync(`/proc/${child.pid}/cmdline`, 'latin1'), 'the arguments')).toEqual([])
      await endsWell({ submitted, worker }, cwd, service)
      expect(canariesBelow(cwd).hits).toEqual([])
    },
  )

  test('are refused a Redis that is away, that forgets, or whose password is wrong, before anything is sent', async () => {
    const { service, redis, env, queue } = await setUp()
    const cwd = place()
    const call = ['run', 'p.yml', '--shards', '2']
    const wrong = await fettle([...call, ...queue], { cwd, env: { ...env, FETTLE_QUEUE_PASSWORD: 'another' } })
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('FETTLE_QUEUE_SETTINGS')
    const shown = await fettle([...call, '--queue', redis.url.replace('//', `//:${PASSWORD}@`)], { cwd, env })
    expect(shown).toMatchObject({ code: 2 })
    expect(shown.stderr).toContain('FETTLE_QUEUE_PASSWORD')
    const embedded = await fettle([...call, ...queue, '--service', 'embedded'], { cwd, env })
    expect(embedded).toMatchObject({ code: 2 })
    expect(embedded.stderr).toContain('fettle serve')
    const forgetful = await startRedis([], ['--maxmemory-policy', 'allkeys-lru'])
    const evicts = await fettle(['worker', '--queue', forgetful.url], { cwd, env: CREDENTIALS })
    expect(evicts).toMatchObject({ code: 2 })
    expect(evicts.stderr).toContain('maxmemory-policy allkeys-lru')
    const told = await fettle(['doctor', '--queue', forgetful.url, '--json'], { cwd, env: CREDENTIALS })
    expect(told.code).toBe(2)
    expect(told.stdout).toContain('appendonly is off')
    const { FETTLE_QUEUE_PASSWORD: _, ...silent } = env
    // Beside the folders that are searched for the password at the end.
    const secrets = mkdtempSync(join(tmpdir(), 'fettle-secret-'))
    const filed = { ...silent, FETTLE_QUEUE_PASSWORD_FILE: join(secrets, 'password') }
    writeFileSync(filed.FETTLE_QUEUE_PASSWORD_FILE, `${PASSWORD}\n`)
    atEnd(() => rmSync(secrets, { recursive: true }))
    const { stdout } = await fettle(['doctor', ...queue], { cwd, env: filed })
    expect(stdout).toContain('appendonly yes, appendfsync always')
    expect(stdout).toContain('(FETTLE_QUEUE_PASSWORD_FILE) can be read by others')
    const both = await fettle(['doctor', ...queue], { cwd, env: { ...env, ...filed } })
    expect(both.stdout).toContain('FETTLE_QUEUE_PASSWORD and FETTLE_QUEUE_PASSWORD_FILE are both set')
    await redis.kill()
    for (const args of [
      [...call, ...queue],
      ['worker', ...queue],
    ]) {
      const away = await fettle(args, { cwd, env })
      expect(away.code).toBe(75)
      expect(away.stderr).toContain('FETTLE_QUEUE')
      expect(away.stderr).toContain('connection refused')
    }
    // The doctor looks at the service too, and asks for nothing.
    expect(service.requests.filter(({ method, route }) => method !== 'GET' && route !== '/v1/authenticate')).toEqual([])
    expect(readdirSync(cwd)).not.toContain('out')
  })
})

test('without the packages a queue is refused with the command that installs them', { timeout: 120_000 }, async () => {
  const home = folderOf()
  for (const name of ['dist', 'package.json', 'samples', 'schema'])
    cpSync(join(ROOT, name), join(home, name), { recursive: true })
  mkdirSync(join(home, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!/^(?:bullmq|ioredis)$/.test(name)) symlinkSync(join(ROOT, 'node_modules', name), join(home, 'node_modules', name))
  const args = [join(home, 'dist/cli/main.js'), 'worker', '--queue', 'redis://127.0.0.1:1']
  const child = spawn(process.execPath, args, { cwd: home, env: { PATH: process.env.PATH } })
  const { code, stderr } = await follow(child).ended
  expect(code, stderr).toBe(2)
  expect(stderr).toContain('FETTLE_QUEUE_MISSING')
  expect(stderr).toContain('npm install bullmq ioredis')
})
