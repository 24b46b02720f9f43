/** What only the embedded service promises: Idempotency-Key, throttle, expiry, lists, closing. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { formatWireDate } from '../../../src/contract/index.ts'
import { FettleError } from '../../../src/errors.ts'
import { readRates } from '../../../src/service/auth/throttle.ts'
import { start } from '../../../src/service/server.ts'
import { engine } from './engine.ts'
import { HandClock, logIn, send, startService, temporaryFolder } from './kit.ts'

const jobs = '/dataCleaning/jobs'

test('Idempotency-Key: same request, same answer, one effect; also after a restart', async () => {
  const dataDir = await temporaryFolder()
  const first = await startService({ dataDir })
  const caller = await logIn(first)
  const key = { 'Idempotency-Key': 'run-1/create' }
  const created = await caller.call('POST', jobs, { name: 'one' }, key)
  expect((await caller.call('POST', jobs, { name: 'one' }, key)).body).toEqual(created.body)
  expect((await caller.call('POST', jobs, { name: 'two' }, key)).status).toBe(422)
  const id = created.body.id
  await caller.upload(id, 'name\nAcme Ltd\n')
  // A refusal keeps nothing: the same key works once the job is ready.
  const submit = { 'Idempotency-Key': 'run-1/submit' }
  expect((await caller.call('POST', `${jobs}/${id}/submit`, {}, submit)).status).toBe(400)
  await caller.call('PUT', `${jobs}/${id}/mappings`, [{ mapping: 'name', value: '0' }])
  const submitted = await caller.call('POST', `${jobs}/${id}/submit`, {}, submit)
  expect((await caller.call('POST', `${jobs}/${id}/submit`, undefined, submit)).body).toEqual(submitted.body)
  expect((await caller.call('POST', `${jobs}/${id}/enrich`, {}, submit)).status).toBe(422)
  await first.close()

  const again = await logIn(await startService({ dataDir }))
  expect((await again.call('POST', jobs, { name: 'one' }, key)).body).toEqual(created.body)
  expect((await again.call('GET', jobs)).body).toHaveLength(1)
  await again.reach(id, 'jobMatchingComplete')
  const enrich = { 'Idempotency-Key': 'run-1/enrich' }
  expect((await again.call('POST', `${jobs}/${id}/enrich`, {}, enrich)).status).toBe(200)
  expect((await again.call('POST', `${jobs}/${id}/enrich`, {}, enrich)).body).toEqual([{}])
})

test('a malformed Idempotency-Key is 400, and keys of two users do not meet', async () => {
  const users = [
    { username: 'ann', password: 'a' },
    { username: 'bob', password: 'b' },
  ]
  const service = await startService({ users })
  const ann = await logIn(service)
  const bob = await logIn({ ...service, username: 'bob', password: 'b' })
  for (const key of ['x'.repeat(5_000), 'a\tb', '', 'é']) {
    expect((await ann.call('POST', jobs, { name: 'n' }, { 'Idempotency-Key': key })).status).toBe(400)
  }
  const one = await ann.call('POST', jobs, { name: 'n' }, { 'Idempotency-Key': 'k' })
  const two = await bob.call('POST', jobs, { name: 'other' }, { 'Idempotency-Key': 'k' })
  expect(two.status).toBe(200)
  // And bob cannot see that ann's job exists.
  const foreign = await bob.call('GET', `${jobs}/${one.body.id}`)
  const unknown = await bob.call('GET', `${jobs}/00000000-0000-4000-8000-000000000000`)
  expect(foreign.status).toBe(404)
  expect({ ...foreign.body, correlationId: '' }).toEqual({ ...unknown.body, correlationId: '' })
  expect((await bob.call('POST', `${jobs}/${one.body.id}/archive`)).status).toBe(404)
  expect((await bob.call('GET', jobs)).body.map((job: { id: string }) => job.id)).toEqual([two.body.id])
})

test('a token lives an hour, a link a quarter of one', async () => {
  const clock = new HandClock()
  const service = await startService({ clock })
  const caller = await logIn(service)
  const id = await caller.submitted('name\nAcme Ltd\n')
  await caller.reach(id, 'jobMatchingComplete')
  await caller.call('POST', `${jobs}/${id}/enrich`)
  await caller.reach(id, 'enrichmentComplete')
  const { filePath } = (await caller.call('GET', `${jobs}/${id}/enrichedFile`)).body
  expect((await send(filePath)).status).toBe(200)
  const url = new URL(filePath)
  for (const altered of [
    filePath.replace('.csv', '.json'),
    filePath.replace(/expires=\d/, 'expires=9'),
    `${url.origin}${url.pathname}`,
    filePath.replace(id, '..%2Fjobs'),
    `${filePath.slice(0, -2)}AA`,
  ]) {
    const reply = await send(altered)
    expect([reply.status, Object.keys(reply.body)]).toEqual([403, ['message']])
  }
  const head = await send(filePath, 'HEAD')
  expect([head.status, head.body, Number(head.headers.get('content-length')) > 0]).toEqual([200, '', true])
  clock.move(15 * 60_000)
  expect((await send(filePath)).status).toBe(403)
  clock.move(45 * 60_000 - 1_000)
  expect((await caller.call('GET', jobs)).status).toBe(200)
  clock.move(1_000)
  expect((await caller.call('GET', jobs)).status).toBe(401)
})

test('the list filters, pages and keeps newest first', async () => {
  const clock = new HandClock()
  const caller = await logIn(await startService({ clock }))
  const ids: string[] = []
  for (const name of ['Alpha 1', 'alpha 2', 'beta', 'ÄRGER']) {
    ids.unshift(await caller.create(name))
    clock.move(1_000)
  }
  const list = async (query: string): Promise<string[]> =>
    (await caller.call('GET', `${jobs}?${query}`)).body.map((job: { name: string }) => job.name)
  expect(await list('')).toEqual(['ÄRGER', 'beta', 'alpha 2', 'Alpha 1'])
  expect(await list('pageSize=3&page=1')).toEqual(['ÄRGER', 'beta', 'alpha 2'])
  expect(await list('pageSize=3&page=2')).toEqual(['Alpha 1'])
  expect(await list('pageSize=3&page=3')).toEqual([])
  expect(await list('jobName=ALPHA')).toEqual(['alpha 2', 'Alpha 1'])
  expect(await list(`jobName=${encodeURIComponent('ärg')}`)).toEqual(['ÄRGER'])
  expect(await list('jobName=%25')).toEqual([])
  const began = Date.UTC(2026, 0, 15)
  expect(await list(`fromDate=${began + 1_000}&toDate=${formatWireDate(began + 2_000)}`)).toEqual(['beta', 'alpha 2'])
  expect(await list('toDate=2026-01-15')).toEqual(['Alpha 1'])
  expect(await list('fromDate=2026-01-15T00:00Z')).toHaveLength(4)
  expect(await list('status=pending')).toHaveLength(4)
  expect(await list('status=created&archived=false')).toHaveLength(4)
  expect(await list('status=processing')).toEqual([])
  await caller.call('POST', `${jobs}/${ids[0]}/archive`, {})
  expect(await list('archived=true')).toEqual(['ÄRGER'])
  expect(await list('countries=GB')).toEqual([])
  const own = (await caller.call('GET', jobs)).body[0]
  expect(await list(`userId=${own.owningUserId}&customerId=${own.owningCustomerId}`)).toHaveLength(4)
  expect(await list('userId=1')).toEqual([])
  const id = await caller.submitted('name\nCork SA\n')
  await caller.reach(id, 'jobMatchingComplete')
  await caller.call('POST', `${jobs}/${id}/enrich`)
  await caller.reach(id, 'enrichmentComplete')
  expect(await list('countries=GB,fr')).toEqual(['a job'])
  expect(await list('status=completed')).toEqual(['a job'])
})

test('closing lets a request in flight finish, and the state is private', async () => {
  const dataDir = await temporaryFolder()
  const service = await startService({ dataDir })
  const caller = await logIn(service)
  const slow = caller.upload(await caller.create(), `name\n${'Acme Ltd\n'.repeat(200_000)}`)
  const status = async (): Promise<string> => (await caller.call('GET', jobs)).body[0].status
  while ((await status()) === 'created') await setImmediate()
  const closing = service.close()
  expect((await slow).status).toBe(200)
  await closing
  await expect(send(service.url)).rejects.toThrow()
  for (const name of ['.', 'uploads', 'files']) expect((await stat(join(dataDir, name))).mode & 0o077).toBe(0)
  expect((await stat(join(dataDir, 'jobs.db'))).mode & 0o077).toBe(0)
})

test('a data directory has one owner; a dead one is succeeded', async () => {
  const dataDir = await temporaryFolder()
  const first = await startService({ dataDir })
  const second = start({ dataDir, users: [] }, engine, [])
  await expect(second).rejects.toSatisfy(error => FettleError.is(error) && error.code === 'FETTLE_LOCKED')
  expect(JSON.parse(await readFile(join(dataDir, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
  await first.close()
  await (await startService({ dataDir })).close()
})

test('only this machine is served without users', async () => {
  const dataDir = await temporaryFolder()
  const open = start({ dataDir, users: [], host: '0.0.0.0' }, engine, [])
  await expect(open).rejects.toSatisfy(error => FettleError.is(error) && error.code === 'FETTLE_CREDENTIALS')
})

test('identical bad logins sent at once are counted one by one', async () => {
  const service = await startService({ clock: new HandClock() })
  const login = () => send(`${service.url}/authenticate`, 'POST', { username: 'nobody', password: 'wrong' })
  const statuses = (await Promise.all(Array.from({ length: 9 }, login))).map(reply => reply.status)
  expect(statuses.sort()).toEqual([...Array(5).fill(401), ...Array(4).fill(429)])
})

test('a burst and what may be sustained hold together, as a person writes them', async () => {
  const clock = new HandClock()
  const rates = readRates(['2/1s', 'all=5/1m'])
  const caller = await logIn(await startService({ clock, rates }))
  const ask = async () => (await caller.call('GET', jobs)).status
  const told: number[] = []
  for (let second = 0; second < 3; second++) {
    told.push(await ask(), await ask(), await ask())
    clock.move(1_000)
  }
  // The refused ones of a burst count for nothing else; the minute has five.
  expect(told).toEqual([200, 200, 429, 200, 200, 429, 200, 429, 429])
  expect((await caller.call('GET', jobs)).headers.get('retry-after')).toBe('57')
  for (const bad of ['', '0/1s', '5', '5/1d', 'nothing=1/1s', 'toString=1/1s'])
    expect(() => readRates([bad])).toThrow(expect.objectContaining({ code: 'FETTLE_USAGE' }))
})

test('a rate limit is obeyed per user and operation, and ends with its window', async () => {
  const clock = new HandClock()
  const rates = { all: { requests: 4, perMs: 10_000 }, createJob: { requests: 2, perMs: 60_000 } }
  const caller = await logIn(await startService({ clock, rates }))
  const create = async () => (await caller.call('POST', jobs, { name: 'a' })).status
  expect([await create(), await create(), await create()]).toEqual([200, 200, 429])
  expect((await caller.call('GET', jobs)).status).toBe(200)
  const throttled = await caller.call('GET', jobs)
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '10'])
  clock.move(10_000)
  expect((await caller.call('GET', jobs)).status).toBe(200)
  expect(await create()).toBe(429)
  clock.move(50_000)
  expect(await create()).toBe(200)
})
