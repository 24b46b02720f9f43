/** H7 to H10, H14, H19: bodies that are not what they should be. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { DATA_CLEANING, OPERATIONS } from '../../../../src/contract/index.ts'
import { malformed } from '../malformed.ts'
import { sendRaw } from '../raw.ts'
import { type Case, expectRefusal, jobs, one, rawRequest, rawStatuses, type World } from './world.ts'

const json = { 'Content-Type': 'application/json' }

/** Method and path of every operation that takes a JSON body, on a job of this id. */
const jsonRoutes = (id: string): { method: string; path: string }[] =>
  [OPERATIONS.authenticate, ...Object.values(DATA_CLEANING)]
    .filter(({ request }) => request !== null && request !== 'multipart')
    .map(({ method, path }) => ({ method, path: path.replace('{id}', id) }))

const GOOD = [
  '{"name":"a job","more":[1,2.5e3,null,true]}',
  '{"username":"ann","password":"b"}',
  '{"mappings":[{"mapping":"name","value":"0"}]}',
  '{"enrichments":[{"enrichment":"general.siren"}]}',
  '[{"mapping":"name","value":"0"},{"mapping":"town","value":"1"}]',
]

/** Sends each body to every JSON route: 400 with the position; gives how many were sent. */
async function refuseAll(
  { service, ann }: World,
  bodies: readonly (readonly [string, Uint8Array<ArrayBuffer>])[],
): Promise<number> {
  const id = await ann.create()
  let sent = 0
  for (const { method, path } of jsonRoutes(id)) {
    for (const [name, body] of bodies) {
      // An empty body is no malformed one: it is none.
      if (body.length === 0) continue
      const reply = await fetch(service.url + path, { method, body, headers: { ...json, Authorization: ann.token } })
      const answer = (await reply.json()) as { details?: string }
      expect([reply.status, answer.details], `${name} to ${path}`).toEqual([400, expect.stringMatching(/position \d+/)])
      sent += 1
    }
  }
  expect((await ann.call('GET', `${jobs}/${id}`)).body.status).toBe('created')
  return sent
}

const CORPUS = process.env.CORPORA

export const bodies: Case[] = [
  one('H7', 'malformed JSON of our own making, on every JSON route', async world => {
    const made = malformed(GOOD, 45)
    expect(made).toHaveLength(45)
    return await refuseAll(
      world,
      made.map(body => [JSON.stringify(body), new TextEncoder().encode(body)] as const),
    )
  }),
  one(
    'H7',
    `the must-reject files of JSONTestSuite, on every JSON route${CORPUS === undefined ? ': not run, CORPORA names no folder' : ''}`,
    async world => {
      if (CORPUS === undefined) return 0
      const folder = join(CORPUS, 'json')
      const names = readdirSync(folder).filter(name => /^n_.*\.json$/.test(name))
      expect(names.length).toBeGreaterThanOrEqual(188)
      return await refuseAll(
        world,
        names.map(name => [name, Uint8Array.from(readFileSync(join(folder, name)))] as const),
      )
    },
  ),
  one('H7', 'the answer repeats nothing of the body', async ({ ann }) => {
    const reply = await ann.call('POST', jobs, '{"name":"secret', json)
    expectRefusal(reply, 400, /position 15/)
    expect(JSON.stringify(reply.body)).not.toContain('secret')
  }),
  one('H8', '100,000 levels deep, as arrays and as objects', async ({ ann }) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const body = open.repeat(66_000) + (open === '[' ? '' : '1') + close.repeat(66_000)
      expectRefusal(await ann.call('POST', jobs, body, json), 400, /nested deeper than 32 levels at position \d+/)
    }
    expectRefusal(await ann.call('POST', jobs, '['.repeat(100_000), json), 400, /nested deeper/)
    expectRefusal(await ann.call('POST', jobs, '['.repeat(100_000) + ']'.repeat(100_000), json), 400, /nested deeper/)
    return 4
  }),
  one('H8', '__proto__ and its kin pollute nothing', async ({ ann }) => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const made = await ann.call('POST', jobs, `{"name":"a","${key}":{"polluted":1}}`, json)
      expect([made.status, made.headers.get('x-ignored-keys'), made.body.polluted]).toEqual([200, key, undefined])
    }
    const id = await ann.create()
    await ann.upload(id, 'name\nAcme\n')
    expectRefusal(
      await ann.call('PUT', `${jobs}/${id}/mappings`, '{"mappings":[{"__proto__":{"mapping":"name","value":"0"}}]}', json),
      400,
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    return 4
  }),
  one('H9', 'another content type, or none', async ({ service, ann }) => {
    const types = [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/json5',
      'application/x-www-form-urlencoded',
    ]
    for (const type of types) expectRefusal(await ann.call('POST', jobs, '{"name":"a"}', { 'Content-Type': type }), 415)
    expect(
      await rawStatuses(service.url, rawRequest(ann, 'POST', jobs, ['Content-Length: 2', 'Connection: close'], '{}')),
    ).toEqual([415])
    expect((await ann.call('POST', jobs, '{"name":"a"}', { 'Content-Type': 'Application/JSON; charset=utf-8' })).status).toBe(200)
    return types.length + 1
  }),
  one('H10', 'a body over the limit, declared or chunked, ends its connection', async ({ service, ann }) => {
    const type = 'Content-Type: application/json'
    const declared = rawRequest(ann, 'POST', jobs, [type, 'Content-Length: 2000000'], '{"name":"')
    const chunk = `${(200_000).toString(16)}\r\n${'x'.repeat(200_000)}\r\n`
    const chunked = rawRequest(ann, 'POST', jobs, [type, 'Transfer-Encoding: chunked'], chunk + chunk + chunk)
    for (const bytes of [declared, chunked]) {
      const answer = await sendRaw(service.url, bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i)
    }
    return 2
  }),
  one('H14', 'a job without a name that will do', async ({ ann }) => {
    const bad = [
      {},
      { name: '' },
      { name: 'x'.repeat(201) },
      { name: 5 },
      { name: null },
      { name: ['a'] },
      { name: 'a\nb' },
      { name: 'a\u0000' },
      [],
      'a',
      5,
    ]
    for (const body of bad) expectRefusal(await ann.call('POST', jobs, JSON.stringify(body), json), 400, /^(name|body): /)
    for (const name of ['x'.repeat(200), '🜁 名 ë', '<b>&"\''])
      expect((await ann.call('POST', jobs, { name })).body.name).toBe(name)
    return bad.length
  }),
  one('H19', 'a compressed body is never inflated', async ({ service, ann }) => {
    const bomb = Uint8Array.from(gzipSync(Buffer.alloc(50_000_000, ' ')))
    for (const encoding of ['gzip', 'deflate', 'br', 'GZIP', 'gzip, identity', 'x']) {
      const headers = { ...json, Authorization: ann.token, 'Content-Encoding': encoding }
      const reply = await fetch(service.url + jobs, { method: 'POST', body: bomb, headers })
      expect(reply.status, encoding).toBe(415)
      await reply.text()
    }
    expect((await ann.call('POST', jobs, { name: 'a' }, { 'Content-Encoding': 'identity' })).status).toBe(200)
    return 6
  }),
]
