/** Faults that are valid HTTP: replaced and rewritten answers, duplicated requests, rejected tokens, killed clients. */
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { expect, test } from 'vitest'
import type { FaultEffectInput, FaultInput } from '../../../src/testing/index.ts'
import { logIn } from '../service/kit.ts'
import { ask, bodyOf, create, faulty, JOBS, statusOf } from './kit.ts'

const onCreate = (effect: FaultEffectInput, more: Partial<FaultInput> = {}): FaultInput => ({
  operation: 'createJob',
  effect,
  ...more,
})

test('body: another text, with the request executed unless carriedOut is false', async () => {
  const { server, token } = await faulty()
  server.arm([
    onCreate({ kind: 'body', text: '<p>{self}</p>', type: 'text/html', status: 203 }),
    onCreate({ kind: 'body', text: '', carriedOut: false }, { nth: 2 }),
  ])
  const first = await ask(server, { ...create('a'), token })
  expect([statusOf(first), bodyOf(first)]).toEqual([203, `<p>${server.origin}</p>`])
  expect(bodyOf(await ask(server, { ...create('b'), token }))).toBe('')
  expect([server.effects('a').creates, server.effects().creates]).toEqual([1, 1])
})

test('rewrite: keys set, removed and inserted verbatim; a rewrite without a change is not counted', async () => {
  const { server, token } = await faulty()
  const armed = server.arm([
    onCreate({ kind: 'rewrite', set: { name: 7, link: '{self}/x' }, remove: ['status'], raw: '"__proto__":1,"id":"twice",' }),
    onCreate({ kind: 'rewrite', remove: ['never there'] }, { nth: 2 }),
    { operation: 'listJobs', effect: { kind: 'rewrite', set: { status: 'novel' } } },
  ])
  const text = bodyOf(await ask(server, { ...create(), token }))
  expect(text.startsWith('{"__proto__":1,"id":"twice",')).toBe(true)
  expect(JSON.parse(text)).toMatchObject({ name: 7, link: `${server.origin}/x` })
  expect(text).not.toContain('"status"')
  await ask(server, { ...create(), token })
  const list: { status: string }[] = JSON.parse(bodyOf(await ask(server, { path: JOBS, token })))
  expect([list.length > 1, [...new Set(list.map(job => job.status))]]).toEqual([true, ['novel']])
  expect(armed.report().map(({ consumed }) => consumed)).toEqual([1, 0, 1])
  expect(armed.unconsumed()).toHaveLength(1)
})

test('jobStatus: one a reply, then the real status, or the last one forever; an error reply uses none', async () => {
  const { server, token } = await faulty()
  const { id } = JSON.parse(bodyOf(await ask(server, { ...create(), token })))
  const read = async (of = id): Promise<string> => {
    const heard = await ask(server, { path: `${JOBS}/${of}`, token })
    return statusOf(heard) === 200 ? JSON.parse(bodyOf(heard)).status : String(statusOf(heard))
  }
  const armed = server.arm([{ operation: 'readJob', nth: 2, effect: { kind: 'jobStatus', sequence: ['matching', 'novel'] } }])
  expect([await read(), await read(), await read('nobody')]).toEqual(['created', 'matching', '404'])
  expect(armed.unconsumed()).toHaveLength(1)
  expect([await read(), await read()]).toEqual(['novel', 'created'])
  expect(armed.unconsumed()).toEqual([])
  server.arm([{ operation: 'readJob', effect: { kind: 'jobStatus', sequence: ['ready', 'matching'], forever: true } }])
  expect([await read(), await read(), await read()]).toEqual(['ready', 'matching', 'matching'])
  server.arm([{ operation: 'listJobs', effect: { kind: 'jobStatus', sequence: ['matched'] } }])
  expect(JSON.parse(bodyOf(await ask(server, { path: JOBS, token })))[0].status).toBe('matched')
})

test('redirect: to the given address, without the service', async () => {
  const { server, token } = await faulty()
  server.arm([{ operation: 'listJobs', effect: { kind: 'redirect', to: '{self}{path}&again', status: 307 } }])
  const heard = await ask(server, { path: `${JOBS}?page=1`, token })
  expect([statusOf(heard), /location: (.*)\r/i.exec(heard.text)?.[1]]).toEqual([307, `${server.url}${JOBS}?page=1&again`])
  expect(server.requests[0]?.status).toBe(null)
})

test('expireToken: 401 for this token from now on, not for others', async () => {
  const { server, service, token } = await faulty()
  const armed = server.arm([{ operation: 'readJob', effect: { kind: 'expireToken' } }, onCreate({ kind: 'expireToken' })])
  expect(statusOf(await ask(server, { path: JOBS, token }))).toBe(200)
  expect(statusOf(await ask(server, { path: `${JOBS}/x`, token }))).toBe(401)
  expect(statusOf(await ask(server, { path: JOBS, token }))).toBe(401)
  const { token: other } = await logIn(service)
  expect(statusOf(await ask(server, { path: JOBS, token: other }))).toBe(200)
  // Nothing to expire: the request passes, and the fault has not happened.
  expect(statusOf(await ask(server, create()))).toBe(401)
  expect(armed.unconsumed()).toMatchObject([{ operation: 'createJob' }])
  expect(JSON.stringify(server.requests)).not.toContain(token)
  server.arm([])
  expect(statusOf(await ask(server, { path: JOBS, token }))).toBe(200)
})

test('bombs: an endless body, and a gigabyte in a megabyte', async () => {
  const { server, token } = await faulty()
  const armed = server.arm([
    { operation: 'listJobs', effect: { kind: 'bomb', how: 'endless' } },
    { operation: 'listJobs', nth: 2, effect: { kind: 'bomb', how: 'gzip' } },
  ])
  const headers = { authorization: `Bearer ${token}` }
  const endless = await request(server.url + JOBS, { headers })
  let bytes = 0
  for await (const chunk of endless.body) {
    bytes += chunk.length
    if (bytes > 20_000_000) break
  }
  expect(bytes).toBeGreaterThan(20_000_000)
  await expect.poll(() => server.pending()).toBe(0)
  const gzip = await request(server.url + JOBS, { headers })
  expect(gzip.headers['content-encoding']).toBe('gzip')
  const packed = Buffer.from(await gzip.body.arrayBuffer())
  expect(packed.length).toBeLessThan(2_000_000)
  // One member of the sixty-four tells of all.
  expect(gunzipSync(packed.subarray(0, packed.length / 64))).toHaveLength(16 * 1024 * 1024)
  expect(armed.unconsumed()).toEqual([])
})

test('duplicate: the service receives it twice, and its key decides whether it counts twice', async () => {
  const { server, token } = await faulty()
  const keyed = await faulty({ without: ['Idempotency-Key'] })
  for (const one of [{ server, token }, keyed]) {
    const armed = one.server.arm([onCreate({ kind: 'duplicate' })])
    const heard = await ask(one.server, { ...create('twin'), token: one.token, headers: { 'idempotency-key': 'k1' } })
    expect(JSON.parse(bodyOf(heard)).name).toBe('twin')
    expect(armed.unconsumed()).toEqual([])
    expect(one.server.requests).toHaveLength(1)
  }
  expect(server.effects('twin').creates).toBe(1)
  expect(keyed.server.effects('twin').creates).toBe(2)
})

test.each([
  ['arrival', 0, null],
  ['carriedOut', 1, null],
  ['answered', 1, 200],
] as const)('killClient at %s', async (at, creates, given) => {
  const killed: number[] = []
  const { server, token } = await faulty({ onKill: () => killed.push(server.effects().creates) })
  const armed = server.arm([onCreate({ kind: 'killClient', at })])
  const heard = await ask(server, { ...create(), token })
  expect(heard.ending).toBe(given === null ? 'ECONNRESET' : 'open')
  await expect.poll(() => [killed, server.requests[0]?.given]).toEqual([[creates], given])
  expect(armed.unconsumed()).toEqual([])
})

test('points are called in addition to a fault, and the request waits for them', async () => {
  const order: string[] = []
  const onPoint = async (name: string): Promise<void> => {
    order.push(`${name}…`)
    // Others are answered meanwhile.
    expect(statusOf(await ask(server, { path: JOBS, token }))).toBe(200)
    order.push(`${name}, ${server.effects().creates} created`)
  }
  const { server, token } = await faulty({ onPoint })
  const armed = server.arm([
    onCreate({ kind: 'point', name: 'before' }),
    onCreate({ kind: 'status', status: 500, carriedOut: true }),
    onCreate({ kind: 'point', name: 'after', at: 'answered' }),
  ])
  expect(statusOf(await ask(server, { ...create(), token }))).toBe(500)
  await expect.poll(() => armed.unconsumed()).toEqual([])
  await expect.poll(() => order).toEqual(['before…', 'before, 0 created', 'after…', 'after, 1 created'])
})
