/** `client.request`: operations that the table does not have, with the login, retries, pauses and errors of every other request. */
import { describe, expect, expectTypeOf, test } from 'vitest'
import { OTHER_GROUPS } from '../../../src/contract/index.ts'
import { clientOf, errorOf, fault, LOGIN, page, reset, serveScript } from './kit.ts'

const BANK = '/localSolutions/GB/bankVerification/history'

const FILE = {
  filename: 'a.pdf',
  bytes: 4,
  async *open() {
    yield Buffer.from('%PDF')
  },
}

describe('an operation by method and path', () => {
  test('fills in the path, sends query and body, and returns the JSON with status and headers', async () => {
    const server = await serveScript({
      [`PATCH ${BANK}/a%2Fb/reference`]: [{ json: { reference: 'r', more: 1 }, headers: { 'x-correlation-id': 'c1' } }],
    })
    const answer = clientOf(server).request('PATCH', `${BANK}/{id}/reference`, {
      params: { id: 'a/b' },
      query: { audit: true, skip: undefined },
      body: { reference: 'r' },
    })
    expectTypeOf(answer).resolves.toEqualTypeOf<unknown>()
    expect(await answer).toEqual({ reference: 'r', more: 1 })
    const { status, correlationId } = await answer.withResponse()
    expect([status, correlationId]).toEqual([200, 'c1'])
    const [sent] = server.of(`PATCH ${BANK}/a%2Fb/reference`)
    expect(sent!.headers.authorization).toBe('Bearer token-1')
    expect([sent!.query.toString(), sent!.body.toString()]).toEqual(['audit=true', '{"reference":"r"}'])
  })

  test('a list in a query is one parameter for each element; of a described operation, in the described form', async () => {
    const server = await serveScript({
      'GET /compliance/kyc-protect/batchUploads': [{ json: {} }],
      'GET /companies': [{ json: { totalSize: 0, companies: [] } }],
    })
    const client = clientOf(server)
    const query = { statuses: ['queued', 'failed'], page: 1, none: [] }
    await client.request('GET', '/compliance/kyc-protect/batchUploads', { query })
    await client.api.searchCompanies({ query: { countries: ['GB', 'FR'], phoneNo: ['1', '2'] } })
    expect(server.of('GET /compliance/kyc-protect/batchUploads')[0]!.query.toString()).toBe(
      'statuses=queued&statuses=failed&page=1',
    )
    expect(server.of('GET /companies')[0]!.query.toString()).toBe('countries=GB%2CFR&phoneNo=1&phoneNo=2')
  })

  test('every operation without an implementation here can be sent', async () => {
    const routes = OTHER_GROUPS.map(({ method, path }) => [method, path] as const)
    const pathOf = (path: string) => path.replace(/\{\w+\}/g, '7')
    const server = await serveScript(
      Object.fromEntries(routes.map(([method, path]) => [`${method} ${pathOf(path)}`, [{ json: [method, path] }]])),
    )
    const client = clientOf(server)
    for (const [method, path] of routes) {
      const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, '7']))
      expect(await client.request(method, path as `/{${string}}`, { params })).toEqual([method, path])
    }
    expect(client.takeCounts().requests).toBe(routes.length + 1)
  })

  test('a body may be empty, or bytes', async () => {
    const bytes = Buffer.from([0xff, 0xd8, 0, 1])
    const server = await serveScript({
      'DELETE /freshinvestigations/1': [{ status: 204, text: '' }],
      'GET /images/5': [(_, response) => void response.end(bytes)],
    })
    const client = clientOf(server)
    expect(await client.request('DELETE', '/freshinvestigations/1')).toBe(null)
    const image = client.request('GET', '/images/{imageId}', { params: { imageId: '5' }, as: 'bytes' })
    expectTypeOf(image).resolves.toEqualTypeOf<Uint8Array>()
    expect(await image).toEqual(bytes)
  })

  test('as text, password and token are masked', async () => {
    const server = await serveScript({ 'GET /consumers': [{ text: 'page of canary-password, token-1' }] })
    const text = clientOf(server).request('GET', '/consumers', { as: 'text' })
    expectTypeOf(text).resolves.toEqualTypeOf<string>()
    expect(await text).toBe('page of ***, ***')
  })

  test('a failure of withResponse is one rejection', async () => {
    const server = await serveScript({ 'GET /consumers': [fault(404)] })
    const unhandled: unknown[] = []
    const note = (error: unknown) => void unhandled.push(error)
    process.prependListener('unhandledRejection', note)
    expect(await errorOf(clientOf(server).request('GET', '/consumers').withResponse())).toMatchObject({ status: 404 })
    await new Promise(resolve => setImmediate(resolve))
    process.removeListener('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  test('a form sends its file and fields', async () => {
    const path = '/freshinvestigations/1/attachments'
    const server = await serveScript({ [`POST ${path}`]: [{ status: 201, json: { id: 9 } }] })
    const form = { name: 'attachment', file: FILE, fields: { note: 'n' } }
    expect(await clientOf(server).request('POST', path, { form })).toEqual({ id: 9 })
    expect(server.of(`POST ${path}`)[0]!.body.toString()).toMatch(
      /name="note"\r\n\r\nn\r\n[\s\S]*name="attachment"; filename="a\.pdf"[\s\S]*%PDF/,
    )
  })
})

describe('a lost answer', () => {
  test.each([
    ['GET', '/images/companies', undefined, 2],
    ['GET', '/images/companies', false, 1],
    ['GET', '/consumers', undefined, 1],
    ['GET', '/consumers', true, 2],
    ['GET', '/images/4711', undefined, 1],
    ['GET', '/localSolutions/NL/extract/7', undefined, 1],
    ['GET', '/companies/match', undefined, 1],
    ['GET', '/companies/GB-1', undefined, 1],
    ['GET', '/dataCleaning/jobs', undefined, 2],
    ['GET', '/not/described', undefined, 2],
    ['GET', '/%43onsumers', undefined, 1],
    ['POST', '/freshinvestigations', undefined, 1],
    ['PUT', '/localSolutions/GB/identitysearch', undefined, 1],
    ['PUT', '/decisionEngine/instance/7', undefined, 2],
    ['POST', '/decisionEngine/7', undefined, 1],
    ['DELETE', '/freshinvestigations/7', undefined, 1],
    ['POST', '/freshinvestigations', true, 2],
  ] as const)('of %s %s with repeat %s is asked for %i times', async (method, path, repeat, times) => {
    const server = await serveScript({ [`${method} ${path}`]: [reset, { json: {} }] })
    const answer = clientOf(server).request(method, path, repeat === undefined ? {} : { repeat })
    if (times === 2) expect(await answer).toEqual({})
    else expect(await errorOf(answer)).toMatchObject({ code: 'FETTLE_UNANSWERED', unanswered: true })
    expect(server.of(`${method} ${path}`)).toHaveLength(times)
  })

  test('of any GET that orders something is not asked for again, nor is one that is not JSON', async () => {
    const orders = OTHER_GROUPS.filter(row => row.orders)
    expect(orders.length).toBeGreaterThan(5)
    expect(new Set(orders.map(({ method }) => method))).toEqual(new Set(['GET']))
    for (const { path } of orders) {
      const filled = path.replace(/\{\w+\}/g, '7')
      for (const answer of [reset, page, fault(503)]) {
        const server = await serveScript({ [`GET ${filled}`]: [answer, { json: {} }] })
        const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, '7']))
        const { hint } = await errorOf(clientOf(server).request('GET', path as `/{${string}}`, { params }))
        expect(server.of(`GET ${filled}`), path).toHaveLength(1)
        if (answer === page) expect(hint).toContain("as: 'bytes'")
      }
    }
  })

  test('a refusal with 429 is sent again after the pause, for any method', async () => {
    const server = await serveScript({ 'POST /consumers': [fault(429, { 'retry-after': '7' }), { json: { ok: 1 } }] })
    const client = clientOf(server)
    expect(await client.request('POST', '/consumers', { body: {} })).toEqual({ ok: 1 })
    expect(client.clock.sleeps).toEqual([7000])
    expect(client.takeCounts()).toMatchObject({ retries: 1, throttledMs: 7000 })
  })
})

describe('an error', () => {
  test('has the codes of every request, and names method, path and group', async () => {
    const server = await serveScript({ 'GET /images/7': [fault(403)], 'GET /consumers': [fault(404)] })
    const client = clientOf(server)
    const forbidden = await errorOf(client.request('GET', '/images/{imageId}', { params: { imageId: '7' } }))
    expect(forbidden).toMatchObject({ code: 'FETTLE_FORBIDDEN', status: 403, correlationId: 'c-403' })
    expect(forbidden.hint).toContain('GET /images/{imageId} (Images)')
    expect(await errorOf(client.request('GET', '/consumers'))).toMatchObject({ code: 'FETTLE_NOT_FOUND', status: 404 })
  })

  test('shows neither the password nor a query', async () => {
    const text = 'refused canary-password and token-1'
    const server = await serveScript({ 'GET /consumers': [{ status: 400, json: { message: text } }] })
    const error = await errorOf(clientOf(server).request('GET', '/consumers', { query: { name: 'canary-query' } }))
    expect(error.message).toMatch(/request \(GET http.*\/consumers\).*refused \*\*\* and \*\*\*/)
    expect(JSON.stringify(error)).not.toContain('canary')
  })

  test('a page instead of JSON is off the contract', async () => {
    const server = await serveScript({ 'GET /images/companies': [page] })
    expect(await errorOf(clientOf(server).request('GET', '/images/companies'))).toMatchObject({ code: 'FETTLE_CONTRACT' })
  })

  test.each<[string, unknown]>([
    ['name', { file: FILE }],
    ['name', { name: '', file: FILE }],
    ['file.filename', { name: 'f' }],
    ['file.filename', { name: 'f', file: null }],
    ['file.bytes', { name: 'f', file: { filename: 'a', content: 'text' } }],
    ['file.bytes', { name: 'f', file: { ...FILE, bytes: '4' } }],
    ['file.open', { name: 'f', file: { ...FILE, open: 'text' } }],
    ['fields', { name: 'f', file: FILE, fields: { a: 1 } }],
    ['name', 'text'],
  ])('a form without a right %s is not sent', async (part, form) => {
    const server = await serveScript({})
    const error = await errorOf(clientOf(server).request('POST', '/freshinvestigations', { form } as object))
    expect(error).toMatchObject({ code: 'FETTLE_USAGE' })
    expect(error.message).toContain(`the form needs ${part}`)
    expect(server.seen).toEqual([])
  })

  test.each([
    '/a/../b',
    '/a/%2E%2e/b',
    '/a?b=1',
    '/a#b',
    '//host/a',
    '/a\\b',
    '/a b',
    '/',
    '/authenticate',
    'https://host/a' as `/${string}`,
  ] as const)('the path %s is not sent', async path => {
    const server = await serveScript({})
    expect(await errorOf(clientOf(server).request('GET', path))).toMatchObject({ code: 'FETTLE_USAGE' })
    expect(server.seen).toEqual([])
  })

  test('parameters that are missing or climb out are not sent', async () => {
    const server = await serveScript({})
    const client = clientOf(server)
    // @ts-expect-error the path names an id
    expect(await errorOf(client.request('GET', '/images/{imageId}', {}))).toMatchObject({ code: 'FETTLE_USAGE' })
    const climbing = client.request('GET', '/images/{imageId}', { params: { imageId: '..' } })
    expect(await errorOf(climbing)).toMatchObject({ code: 'FETTLE_USAGE' })
    const both = { body: {}, form: { name: 'f', file: { filename: 'f', bytes: 0, open: async function* () {} } } }
    expect(await errorOf(client.request('POST', '/consumers', both))).toMatchObject({ code: 'FETTLE_USAGE' })
    expect(server.of(LOGIN)).toEqual([])
  })

  test('what may change or order something waits for beforeEffect, another GET does not', async () => {
    const routes = ['GET /images/companies', 'PUT /consumers', 'GET /consumers']
    const server = await serveScript(Object.fromEntries(routes.map(route => [route, [{ json: 1 }]])))
    const effects: string[] = []
    const client = clientOf(server, { beforeEffect: operation => void effects.push(operation) })
    await client.request('GET', '/images/companies')
    expect(effects).toEqual([])
    await client.request('PUT', '/consumers')
    await client.request('GET', '/consumers')
    expect(effects).toEqual(['request', 'request'])
  })
})
