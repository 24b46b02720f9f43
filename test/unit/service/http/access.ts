/** H1 to H6, H29: who asks, for what, by which name. */

import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { DATA_CLEANING } from '../../../../src/contract/index.ts'
import { HandClock, send } from '../kit.ts'
import { sendRaw } from '../raw.ts'
import { type Case, expectRefusal, jobs, one, rawRequest, rawStatuses, type World } from './world.ts'

const bearerLess = [undefined, '', 'Bearer', 'Bearer ', 'Basic dTpw', 'Digest x', 'Bearer x', 'Bearer a.b.c']

/** Twelve tokens nobody here has issued, made from a real one. */
async function forged({ ann, fresh }: World): Promise<string[]> {
  const [header = '', payload = '', signature = ''] = ann.token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (head: string, body: string, key: string): string =>
    `${head}.${body}.${createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')}`
  const alg = (name: string): string => encode({ alg: name, typ: 'JWT' })
  return [
    `${alg('none')}.${payload}.`,
    `${alg('None')}.${payload}.${signature}`,
    `${alg('HS512')}.${payload}.${signature}`,
    `${alg('RS256')}.${payload}.${signature}`,
    signed(header, payload, ''),
    signed(header, payload, 'secret'),
    `${header}.${encode({ ...claims, exp: claims.exp + 3600 })}.${signature}`,
    `${header}.${encode({ ...claims, sub: 'bob' })}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}.${'A'.repeat(43)}`,
    `${ann.token}.x`,
    (await fresh()).caller.token,
  ]
}

/** Every operation on a job, as a call on this id. */
const onJob = (id: string): [string, string, unknown?][] =>
  Object.values(DATA_CLEANING)
    .filter(({ path }) => path.includes('{id}'))
    .map(({ method, path, request }) => {
      const form = new FormData()
      form.append('hasHeader', 'true')
      form.append('jobFile', new Blob(['name\nAcme\n']), 'a.csv')
      const bodies: Record<string, unknown> = { mappings: { mappings: [] }, enrichments: { enrichments: [] }, upload: form }
      const body = request === null ? undefined : (bodies[path.split('/').at(-1) ?? ''] ?? {})
      return [method, path.replace('{id}', id), body]
    })

export const access: Case[] = [
  one('H1', 'no, empty or another authorization', async ({ service }) => {
    for (const value of bearerLess) {
      const reply = await send(service.url + jobs, 'GET', undefined, value === undefined ? {} : { Authorization: value })
      expectRefusal(reply, 401)
      expect([reply.body, reply.headers.get('www-authenticate')]).toEqual([{ error: 'Invalid token.' }, 'Bearer'])
    }
    return bearerLess.length
  }),
  one('H1', 'a token in the query is ignored, a bare one is taken', async ({ service, ann }) => {
    expectRefusal(await send(`${service.url}${jobs}?token=${ann.token}&access_token=${ann.token}`), 401)
    expect((await send(service.url + jobs, 'GET', undefined, { Authorization: ann.token })).status).toBe(200)
  }),
  one('H1', 'another host or origin: the refusal has the id of its answer', async ({ service }) => {
    for (const header of ['Host: example.org', 'Host: localhost\r\nOrigin: https://example.org']) {
      const answer = await sendRaw(service.url, `GET /v1${jobs} HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`)
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      const id = /^x-correlation-id: (.+)$/im.exec(head)?.[1]
      expect(head).toMatch(/^HTTP\/1\.1 403 /)
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(JSON.parse(body)).toEqual({
        correlationId: id,
        message: expect.stringMatching(/^Access forbidden: unknown (host|origin)$/),
      })
    }
    return 2
  }),
  one('H1', 'two Authorization headers', async ({ service, ann }) => {
    const twice = rawRequest(ann, 'GET', jobs, [`Authorization: Bearer ${ann.token}`, 'Connection: close'])
    expect(await rawStatuses(service.url, twice)).toEqual([400])
  }),
  one('H2', 'twelve forged tokens: one answer', async world => {
    for (const token of await forged(world)) {
      const reply = await send(world.service.url + jobs, 'GET', undefined, { Authorization: `Bearer ${token}` })
      expectRefusal(reply, 401)
      expect(reply.body).toEqual({ error: 'Invalid token.' })
    }
    return 12
  }),
  one('H2', 'an expired token', async ({ fresh }) => {
    const clock = new HandClock()
    const { caller } = await fresh({ clock })
    clock.move(3_599_000)
    expect((await caller.call('GET', jobs)).status).toBe(200)
    clock.move(1_000)
    expectRefusal(await caller.call('GET', jobs), 401)
  }),
  one('H3', "another user's job is unknown to every operation, the list and the file", async ({ ann, bob }) => {
    const id = await ann.submitted('name\nAcme Ltd\n')
    await ann.reach(id, 'jobMatchingComplete')
    await ann.call('POST', `${jobs}/${id}/enrich`, {})
    await ann.reach(id, 'enrichmentComplete')
    const before = (await ann.call('GET', `${jobs}/${id}`)).body
    const nobody = '00000000-0000-4000-8000-000000000000'
    const theirs = onJob(id)
    const none = onJob(nobody)
    for (const [index, [method, path, body]] of theirs.entries()) {
      const [, other = '', otherBody] = none[index] ?? []
      const foreign = await bob.call(method, path, body)
      const unknown = await bob.call(method, other, otherBody)
      expectRefusal(foreign, 404)
      expect({ ...foreign.body, correlationId: '' }, path).toEqual({ ...unknown.body, correlationId: '' })
    }
    expect(JSON.stringify((await bob.call('GET', `${jobs}?pageSize=1000`)).body)).not.toContain(id)
    expect((await bob.call('GET', `${jobs}?userId=${before.owningUserId}`)).body).toEqual([])
    const { correlationId: _, ...rest } = before
    expect((await ann.call('GET', `${jobs}/${id}`)).body).toMatchObject(rest)
    return theirs.length + 2
  }),
  one('H4', 'the sixth identical bad login in two minutes, until they are over', async ({ fresh }) => {
    const clock = new HandClock()
    const { service } = await fresh({ clock })
    const login = () => send(`${service.url}/authenticate`, 'POST', { username: 'ann', password: 'wrong' })
    for (let n = 0; n < 5; n++) expect((await login()).status).toBe(401)
    clock.move(30_000)
    const reply = await login()
    expectRefusal(reply, 429)
    expect(reply.headers.get('retry-after')).toBe('90')
    clock.move(90_000)
    expect((await login()).status).toBe(401)
  }),
  one(
    'H4',
    'refused under many names: one try a name is left, and the right password of another user is right',
    async ({ fresh }) => {
      const clock = new HandClock()
      const { service } = await fresh({ clock, limits: { clientLogins: 3 } })
      const login = (username: string, password: string) => send(`${service.url}/authenticate`, 'POST', { username, password })
      for (const name of ['a', 'b', 'c', 'd']) expect((await login(name, 'wrong')).status).toBe(401)
      clock.move(30_000)
      const reply = await login('d', 'other')
      expectRefusal(reply, 429)
      expect(reply.headers.get('retry-after')).toBe('90')
      expect((await login('bob', 'the password of bob')).status).toBe(200)
      clock.move(90_000)
      expect((await login('d', 'other')).status).toBe(401)
    },
  ),
  one('H5', 'a login that is no login', async ({ service }) => {
    const bodies = [[], 5, 'x', null, '', {}, { username: 'a' }, { username: '', password: '' }, { username: 'a', password: 1 }]
    const nested = [
      { username: { $ne: 1 }, password: { $ne: 1 } },
      { username: ['ann'], password: 'x' },
    ]
    for (const body of [...bodies, ...nested]) {
      expectRefusal(await send(`${service.url}/authenticate`, 'POST', JSON.stringify(body)), 400)
    }
    return bodies.length + nested.length
  }),
  one('H5', 'a login of 2 MB, declared', async ({ service }) => {
    const head = 'POST /v1/authenticate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    expect(await rawStatuses(service.url, `${head}Content-Length: 2000000\r\n\r\n{"username":"`)).toEqual([413])
  }),
  one('H5', 'unknown user and wrong password get the same words', async ({ service }) => {
    const wrong = await send(`${service.url}/authenticate`, 'POST', { username: 'ann', password: 'no' })
    const unknown = await send(`${service.url}/authenticate`, 'POST', { username: 'nobody', password: 'no' })
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([401, ['message']])
    expect(unknown.body).toEqual(wrong.body)
  }),
  one('H6', 'an unknown path', async ({ service }) => {
    const paths = [
      '/',
      '/nothing',
      '/v1',
      '/v1/',
      '/v2/authenticate',
      '/v1/dataCleaning',
      '/v1/Authenticate',
      '/v1/compliance/',
      '/favicon.ico',
      '/.env',
    ]
    for (const path of paths) expectRefusal(await send(new URL(service.url).origin + path), 404)
    return paths.length
  }),
  one('H6', 'a wrong method names the right ones', async ({ ann }) => {
    const cases = [
      ['DELETE', jobs],
      ['PATCH', `${jobs}/x`],
      ['GET', '/authenticate'],
      ['PUT', `${jobs}/x/submit`],
      ['POST', `${jobs}/x/mappings`],
    ] as const
    for (const [method, path] of cases) {
      const reply = await ann.call(method, path)
      expectRefusal(reply, 405)
      expect(reply.headers.get('allow')).toMatch(/GET|POST|PUT/)
    }
    return cases.length
  }),
  one('H6', 'TRACE, PROPFIND, CONNECT', async ({ service }) => {
    const close = 'Host: localhost\r\nConnection: close\r\n\r\n'
    for (const line of [`TRACE /v1${jobs}`, `PROPFIND /v1${jobs}`, 'CONNECT localhost:1']) {
      expect(await rawStatuses(service.url, `${line} HTTP/1.1\r\n${close}`), line).toEqual([405])
    }
    return 3
  }),
  one('H29', 'a foreign Host or Origin, a Host twice, a foreign target', async ({ service }) => {
    const heads: [string, number][] = [
      ['Host: evil.example', 403],
      ['Host: 127.0.0.1.evil.example:80', 403],
      ['Host: localhost.', 403],
      ['Host: localhost@evil.example', 403],
      ['Host: localhost\r\nOrigin: http://evil.example', 403],
      ['Host: localhost\r\nOrigin: null', 403],
      ['Host: localhost\r\nOrigin: http://localhost:80@evil.example', 403],
      ['Host: localhost\r\nHost: evil.example', 400],
    ]
    for (const [head, status] of heads) {
      expect(await rawStatuses(service.url, `GET /health HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`), head).toEqual([
        status,
      ])
    }
    const target = 'GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    expect(await rawStatuses(service.url, target)).toEqual([403])
    const own = 'Host: LOCALHOST:1\r\nOrigin: http://localhost:8080\r\nConnection: close\r\n\r\n'
    expect(await rawStatuses(service.url, `GET /health HTTP/1.1\r\n${own}`)).toEqual([200])
    return heads.length + 2
  }),
  one('H29', 'a name the operator has given is answered for', async ({ fresh }) => {
    const { service } = await fresh({ hosts: ['fettle.example'] })
    const get = (host: string) => rawStatuses(service.url, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect([await get('Fettle.example:8080'), await get('a.fettle.example')]).toEqual([[200], [403]])
    return 2
  }),
  one(
    'H29',
    'behind a proxy: its public name is answered for, and a forwarded one only where it is allowed',
    async ({ fresh }) => {
      const { service } = await fresh({
        publicUrl: 'https://fettle.example:8443',
        hosts: ['other.example'],
        trustedProxies: ['127.0.0.1'],
      })
      const ask = (...lines: string[]) =>
        sendRaw(service.url, `GET /v1/openapi.json HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
      expect(await ask('Host: fettle.example:8443')).toContain('"servers":[{"url":"https://fettle.example:8443/v1"')
      expect(await ask('Host: 127.0.0.1:8080', 'X-Forwarded-Host: other.example')).toMatch(/^HTTP\/1\.1 200 /)
      for (const line of ['X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example'])
        expect(await ask('Host: 127.0.0.1:8080', line)).toMatch(/^HTTP\/1\.1 403 /)
      return 4
    },
  ),
]
