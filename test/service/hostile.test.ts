/** Requests nobody should send: the table of faults, H1 to H31, for login, files and data cleaning. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start.ts'
import { start } from '../../src/service/start.ts'
import { engine } from './engine.ts'
import { type Caller, logIn, type Reply, send } from './kit.ts'
import { sendRaw } from './raw.ts'

let folder: string
let service: Service
let caller: Caller
const lines: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fettle-hostile-'))
  const limits = { jsonBytes: 20_000, uploadBytes: 50_000 }
  service = await start({ dataDir: folder, users: [], limits, log: line => lines.push(line) }, engine, [])
  caller = await logIn(service)
})

afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** Every refusal has the shape of its status, the id in its header, and no trace of our insides. */
function expectRefusal(reply: Reply, status: number): void {
  expect(reply.status).toBe(status)
  expect(reply.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
  const keys =
    status === 401 ? ['error'] : status === 403 || status === 429 ? ['message'] : ['correlationId', 'details', 'message']
  expect(Object.keys(reply.body).sort()).toEqual(keys)
  expect(JSON.stringify(reply.body)).not.toMatch(/\.ts\b|\/src\/|node_modules|at .+:\d+|fettle-hostile/)
}

const jobs = '/dataCleaning/jobs'
const json = { 'Content-Type': 'application/json' }

describe('authorization', () => {
  test('missing, empty, of another scheme, forged or expired: one answer', async () => {
    const [header = '', payload = '', signature = ''] = caller.token.split('.')
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const other = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url')
    const tokens = ['', 'Bearer', 'Bearer ', 'Basic dTpw', 'Bearer x', 'Bearer a.b.c', `Bearer ${none}.${payload}.`]
    tokens.push(
      `Bearer ${header}.${other}.${signature}`,
      `Bearer ${header}.${payload}.`,
      `Bearer ${caller.token}.x`,
      `Bearer ${caller.token} x`,
    )
    tokens.push(`Bearer ${header}.${payload}.${'A'.repeat(43)}`)
    for (const Authorization of tokens) {
      const reply = await send(service.url + jobs, 'GET', undefined, { Authorization })
      expectRefusal(reply, 401)
      expect(reply.body).toEqual({ error: 'Invalid token.' })
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    }
    expectRefusal(await send(`${service.url}${jobs}?token=${caller.token}`), 401)
  })

  test('a bare token is taken, two headers are not', async () => {
    expect((await send(service.url + jobs, 'GET', undefined, { Authorization: caller.token })).status).toBe(200)
    const line = `Authorization: Bearer ${caller.token}\r\n`
    const reply = await sendRaw(
      service.url,
      `GET /v1${jobs} HTTP/1.1\r\nHost: localhost\r\n${line}${line}Connection: close\r\n\r\n`,
    )
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([[[]], [5], [{ username: { $ne: 1 } }], [{ username: 'a' }], [{ username: '', password: '' }], [null], ['']])(
    'login with %j is 400',
    async body => expectRefusal(await send(`${service.url}/authenticate`, 'POST', JSON.stringify(body)), 400),
  )

  test('a login of 2 MB is 413', async () => {
    const body = JSON.stringify({ username: 'a', password: 'x'.repeat(2_000_000) })
    const head = `POST /v1/authenticate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const reply = await sendRaw(service.url, `${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 1000)}`)
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
    expect(reply).toMatch(/connection: close/i)
  })

  test('unknown user and wrong password get the same words', async () => {
    const wrong = await send(`${service.url}/authenticate`, 'POST', { username: service.username, password: 'no' })
    const unknown = await send(`${service.url}/authenticate`, 'POST', { username: 'nobody', password: 'no' })
    expect(wrong.status).toBe(401)
    expect(Object.keys(wrong.body)).toEqual(['message'])
    expect(unknown.body).toEqual(wrong.body)
  })
})

describe('paths, methods, hosts', () => {
  test('an unknown path is 404, a wrong method 405 with Allow, OPTIONS says what there is', async () => {
    for (const path of [
      '/nothing',
      '/v1',
      '/v1/',
      '//v1//authenticate',
      '/v1/dataCleaning%2Fjobs',
      '/__faults',
      '/v1/companies/',
    ]) {
      expectRefusal(await send(new URL(service.url).origin + path), 404)
    }
    for (const [method, path] of [
      ['DELETE', jobs],
      ['PATCH', `${jobs}/x`],
      ['GET', '/authenticate'],
      ['PUT', `${jobs}/x/submit`],
    ] as const) {
      const reply = await caller.call(method, path)
      expectRefusal(reply, 405)
      expect(reply.headers.get('allow')).toMatch(/GET|POST/)
    }
    const options = await caller.call('OPTIONS', jobs)
    expect([options.status, options.body, options.headers.get('allow')]).toEqual([204, '', 'POST, GET, HEAD'])
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
    for (const method of ['TRACE', 'PROPFIND']) {
      expect(await sendRaw(service.url, `${method} /v1${jobs} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 405 /,
      )
    }
    expect(await sendRaw(service.url, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')).not.toMatch(/ 200 /)
    expect(await sendRaw(service.url, `GET /v1${jobs}/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 /,
    )
  })

  test('HEAD answers like GET without a body', async () => {
    const reply = await caller.call('HEAD', jobs)
    expect([reply.status, reply.body]).toEqual([200, ''])
    expect((await send(new URL('/health', service.url).href, 'HEAD')).status).toBe(200)
  })

  test('a foreign Host or Origin is 403, HTTP/1.0 without one is served', async () => {
    for (const head of [
      'Host: evil.example',
      'Host: 127.0.0.1.evil.example:80',
      'Host: localhost\r\nOrigin: http://evil.example',
      'Host: localhost\r\nOrigin: null',
    ]) {
      expect(await sendRaw(service.url, `GET /health HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 403 /,
      )
    }
    const own = 'Host: LOCALHOST:1\r\nOrigin: http://localhost:8080'
    expect(await sendRaw(service.url, `GET /health HTTP/1.1\r\n${own}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await sendRaw(service.url, 'GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.each(['..%2f..%2fx', '%00', '.', 'x'.repeat(5_000), '9e824d9e-0000-0000-0000-00000000000G', "'%20OR%201=1--"])(
    'the id %s is an unknown job',
    async id => expectRefusal(await caller.call('GET', `${jobs}/${id}`), id === '.' ? 404 : 404),
  )
})

describe('bodies', () => {
  test('not JSON: 400 with the position, and nothing of the body', async () => {
    for (const body of [
      '{"name":"secret"',
      '{"name":tru}',
      '[1,]',
      '{name:1}',
      "{'a':1}",
      '\u00ff{',
      'nul',
      '"\u0001"',
      '{"a":1}x',
    ]) {
      const reply = await caller.call('POST', jobs, body, json)
      expectRefusal(reply, 400)
      expect(reply.body.details).toMatch(/position \d+|after \d+ characters/)
      expect(reply.body.details).not.toMatch(/secret/)
    }
  })

  test('not UTF-8, too deep, too large, polluting', async () => {
    const post = (body: string | Uint8Array<ArrayBuffer>) =>
      fetch(service.url + jobs, { method: 'POST', body, headers: { ...json, Authorization: caller.token } })
    expect((await post(Uint8Array.from([0x22, 0xff, 0x22]))).status).toBe(400)
    expect((await post('['.repeat(9_000) + ']'.repeat(9_000))).status).toBe(400)
    expect((await post(JSON.stringify({ name: 'x'.repeat(30_000) }))).status).toBe(413)
    expect((await post('{"name":"a","__proto__":{"polluted":1}}')).status).toBe(400)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const head = `POST /v1${jobs} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.token}\r\nContent-Type: application/json\r\n`
    const chunk = `4e20\r\n${'x'.repeat(20_000)}\r\n`
    expect(await sendRaw(service.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`)).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('of another type or compressed: 415', async () => {
    expect((await caller.call('POST', jobs, '{"name":"a"}', { 'Content-Type': 'Application/JSON; charset=utf-8' })).status).toBe(
      200,
    )
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application:json']) {
      expectRefusal(await caller.call('POST', jobs, '{"name":"a"}', { 'Content-Type': type }), 415)
    }
    expectRefusal(await caller.call('POST', jobs, '{"name":"a"}', { 'Content-Encoding': 'gzip' }), 415)
    const bare = `POST /v1${jobs} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.token}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`
    expect(await sendRaw(service.url, bare)).toMatch(/^HTTP\/1\.1 415 /)
  })

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: 'x'.repeat(201) }],
    [{ name: 5 }],
    [{ name: 'a\nb' }],
    [{ name: 'a', more: 1 }],
    [[]],
  ])('create with %j is 400 and names the field', async body => {
    const reply = await caller.call('POST', jobs, body)
    expectRefusal(reply, 400)
    expect(reply.body.details).toMatch(/^(name|body): /)
  })
})

describe('bytes that are no request', () => {
  const post = `POST /v1/authenticate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
  const end = `\r\n\r\n${JSON.stringify({ username: 'a', password: 'b' })}`
  test.each([
    ['two lengths', `${post}Content-Length: 5\r\nContent-Length: 31${end}`],
    ['a negative length', `${post}Content-Length: -1${end}`],
    ['length and chunks', `${post}Content-Length: 31\r\nTransfer-Encoding: chunked${end}`],
    ['a bad chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`],
    ['a NUL in a header', `${post}A: \u0000b${end}`],
    ['TLS', Buffer.from('1603010200010001fc0303', 'hex')],
    ['nothing like it', 'hello\r\n\r\n'],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('%s: 400', async (_, bytes) => expect(await sendRaw(service.url, bytes)).toMatch(/^HTTP\/1\.1 400 /))

  test('too many or too large headers: 431', async () => {
    const many = Array.from({ length: 200 }, (_, n) => `h${n}: 1`).join('\r\n')
    expect(await sendRaw(service.url, `GET /health HTTP/1.1\r\nHost: localhost\r\n${many}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    )
    expect(await sendRaw(service.url, `GET /health HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    )
  })

  test('a thousand requests at once on one connection are all answered', async () => {
    const one = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const answer = await sendRaw(service.url, one.repeat(999) + one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(1_000)
  })

  test('Expect: 100-continue is obeyed', async () => {
    const body = '{"username":"a","password":"b"}'
    const head = `${post}Content-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`
    expect(await sendRaw(service.url, head + body)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /)
  })
})

describe('uploads', () => {
  const file = new Blob(['name\nAcme\n'])
  const form = (...parts: [string, string | Blob, string?][]): FormData => {
    const data = new FormData()
    for (const [name, value, filename] of parts) {
      if (typeof value === 'string') data.append(name, value)
      else data.append(name, value, filename ?? 'a.csv')
    }
    return data
  }
  test.each([
    ['no file', form(['hasHeader', 'true']), 'jobFile: is missing'],
    ['two files', form(['jobFile', file], ['jobFile', file], ['hasHeader', 'true']), 'jobFile: is there twice'],
    ['text for the file', form(['jobFile', 'a,b'], ['hasHeader', 'true']), 'jobFile: must be a file'],
    ['no hasHeader', form(['jobFile', file]), 'hasHeader: is missing'],
    ['hasHeader twice', form(['hasHeader', 'true'], ['hasHeader', 'true'], ['jobFile', file]), 'hasHeader: is there twice'],
    ['hasHeader maybe', form(['hasHeader', 'maybe'], ['jobFile', file]), 'hasHeader: must be true or false'],
    ['a stranger', form(['jobFile', file], ['hasHeader', 'true'], ['x', 'y']), 'x: is not a field of this call'],
  ])('with %s: 400 naming it, and the job is as before', async (_, body, details) => {
    const id = await caller.create()
    const reply = await caller.call('POST', `${jobs}/${id}/upload`, body)
    expectRefusal(reply, 400)
    expect(reply.body.details).toBe(details)
    expect((await caller.call('GET', `${jobs}/${id}`)).body.status).toBe('created')
  })

  test('not multipart, without boundary, or without end: 400', async () => {
    const id = await caller.create()
    const path = `${jobs}/${id}/upload`
    expectRefusal(await caller.call('POST', path, '{}', json), 400)
    expectRefusal(await caller.call('POST', path, 'a', { 'Content-Type': 'multipart/form-data' }), 400)
    expectRefusal(await caller.call('POST', path), 400)
    const boundary = 'b'.repeat(10_000)
    expectRefusal(await caller.call('POST', path, 'x', { 'Content-Type': `multipart/form-data; boundary=${boundary}` }), 400)
    const open = '--b\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\n\r\nname\nAcme\n'
    expectRefusal(await caller.call('POST', path, open, { 'Content-Type': 'multipart/form-data; boundary=b' }), 400)
    expect(await readdir(join(folder, 'uploads'))).not.toContainEqual(expect.stringMatching(/part$/))
  })

  test('too large a file, a field or a number of parts: 413', async () => {
    const id = await caller.create()
    const path = `${jobs}/${id}/upload`
    expectRefusal(await caller.call('POST', path, form(['hasHeader', 'true'], ['jobFile', new Blob(['x'.repeat(60_000)])])), 413)
    expect((await caller.call('GET', `${jobs}/${id}`)).body.status).toBe('uploadError')
    const many = form(...Array.from({ length: 50 }, (): [string, string] => ['x', 'y']))
    expectRefusal(await caller.call('POST', path, many), 413)
    expect(await readdir(join(folder, 'uploads'))).not.toContainEqual(expect.stringMatching(/part$/))
  })

  test('a file name is only data', async () => {
    for (const name of ['../../etc/passwd', 'C:\\x\\passwd', 'pass\u202ewd', `${'n'.repeat(5_000)}`]) {
      const id = await caller.create()
      const reply = await caller.call('POST', `${jobs}/${id}/upload`, form(['jobFile', file, name], ['hasHeader', 'true']))
      expect(reply.status).toBe(200)
      expect(reply.body.sourceFilename).toMatch(/^(passwd|pass\u202ewd|n{255})$/)
    }
    for (const name of await readdir(join(folder, 'uploads'))) expect(name).toMatch(/^[0-9a-f-]{36}\.csv$/)
  })

  test('a caller who goes away leaves uploadError and no temporary file', async () => {
    const id = await caller.create()
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const head = `POST /v1${jobs}/${id}/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.token}\r\n`
    socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000\r\n\r\n`)
    socket.write('--b\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\n\r\nname\nAcme\n')
    const status = async (): Promise<string> => (await caller.call('GET', `${jobs}/${id}`)).body.status
    while ((await status()) !== 'uploading') await setImmediate()
    expectRefusal(await caller.upload(id, 'name\nAcme\n'), 400)
    socket.destroy()
    while ((await status()) === 'uploading') await setImmediate()
    expect(await status()).toBe('uploadError')
    expect(await readdir(join(folder, 'uploads'))).not.toContainEqual(expect.stringMatching(/part$/))
    expect((await caller.upload(id, 'name\nAcme\n')).status).toBe(200)
  })
})

describe('the order of calls', () => {
  test('each call in a status that forbids it is 400 and names both', async () => {
    const id = await caller.create()
    const calls = {
      setMappings: () => caller.call('PUT', `${jobs}/${id}/mappings`, { mappings: [] }),
      submit: () => caller.call('POST', `${jobs}/${id}/submit`, {}),
      enrich: () => caller.call('POST', `${jobs}/${id}/enrich`, {}),
      setEnrichments: () => caller.call('PUT', `${jobs}/${id}/enrichments`, { enrichments: [] }),
    }
    for (const call of Object.values(calls)) {
      const reply = await call()
      expectRefusal(reply, 400)
      expect(reply.body.details).toMatch(/^status is created; needed is /)
    }
    const early = await caller.call('GET', `${jobs}/${id}/enrichedFile`)
    expectRefusal(early, 404)
    expect(early.body.details).toMatch(/status is created/)

    await caller.upload(id, 'name,b\nAcme,1\n')
    await caller.call('PUT', `${jobs}/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
    expect((await calls.submit()).status).toBe(200)
    expectRefusal(await calls.submit(), 400)
    expectRefusal(await caller.upload(id, 'name\nAcme\n'), 400)
    expectRefusal(await calls.setMappings(), 400)
    await caller.reach(id, 'jobMatchingComplete')
    expect((await calls.enrich()).status).toBe(200)
    expectRefusal(await calls.enrich(), 400)
    await caller.reach(id, 'enrichmentComplete')
    expectRefusal(await calls.setEnrichments(), 400)
  })

  test('mappings that cannot be are 400 and name the element', async () => {
    const id = await caller.create()
    await caller.upload(id, 'a,b,c,d,e\n1,2,3,4,5\n')
    const put = (mappings: unknown) => caller.call('PUT', `${jobs}/${id}/mappings`, { mappings })
    const cases: [unknown, RegExp][] = [
      ['x', /^mappings: /],
      [[{ mapping: 'nam', value: '0' }], /^mappings\[0\]\.mapping: /],
      [[{ mapping: 'name', value: 0 }], /^mappings\[0\]\.value: /],
      [[{ mapping: 'name', value: '-1' }], /^mappings\[0\]\.value: /],
      [
        [
          { mapping: 'town', value: '1' },
          { mapping: 'name', value: '7' },
        ],
        /^mappings\[1\]\.value: column 7 of a file with 5 columns/,
      ],
      [
        [
          { mapping: 'name', value: '0' },
          { mapping: 'name', value: '1' },
        ],
        /^mappings\[1\]\.mapping: name is there twice/,
      ],
      [[{ mapping: 'name', value: '0', more: 1 }], /^mappings\[0\]: /],
      [Array.from({ length: 400 }, () => ({ mapping: 'x', value: '0' })), /and \d+ more/],
    ]
    for (const [mappings, details] of cases) {
      const reply = await put(mappings)
      expectRefusal(reply, 400)
      expect(reply.body.details).toMatch(details)
    }
    expect((await caller.call('GET', `${jobs}/${id}`)).body.status).toBe('uploaded')
  })

  test('tags that are unknown or there twice are 400 and named', async () => {
    const id = await caller.create()
    await caller.upload(id, 'a\n1\n')
    const put = (...tags: string[]) =>
      caller.call('PUT', `${jobs}/${id}/enrichments`, { enrichments: tags.map(enrichment => ({ enrichment })) })
    expect((await put('general.siren', 'general.nothing')).body.details).toMatch(
      /^enrichments\[1\]\.enrichment: "general\.nothing"/,
    )
    expect((await put('general.siren', 'general.siren')).body.details).toMatch(/general\.siren is there twice/)
    expect((await put('toString')).status).toBe(400)
    expect((await put('general.siren', 'rating.current.score')).status).toBe(200)
    expect((await caller.call('GET', `${jobs}/${id}`)).body.jobEnrichmentSettings).toEqual({ creditType: 'standard' })
  })

  test('a wrong file type is 400', async () => {
    const id = await caller.submitted('name\nAcme Ltd\n')
    expectRefusal(await caller.call('GET', `${jobs}/${id}/enrichedFile?fileType=exe`), 400)
  })

  test.each([
    'page=-1',
    'page=0',
    'pageSize=0',
    'pageSize=1000000000',
    'pageSize=1001',
    'page=abc',
    'page=1&page=2',
    'fromDate=yesterday',
  ])('a list with %s is 400', async query => expectRefusal(await caller.call('GET', `${jobs}?${query}`), 400))
  test.each([
    'fromDate=2026-13-45',
    'toDate=2026-01-01T99:99',
    'status=odd',
    'status=constructor',
    'countries=GBR',
    'archived=maybe',
    'userId=x',
  ])('a list with %s is 400', async query => expectRefusal(await caller.call('GET', `${jobs}?${query}`), 400))
})

test('the log has one JSON object per line and no body, token, password or signature', () => {
  expect(lines.length).toBeGreaterThan(100)
  for (const line of lines) {
    expect(line).not.toMatch(/\n/)
    expect(JSON.parse(line)).toHaveProperty('correlationId')
  }
  const all = lines.join('\n')
  for (const secret of [caller.token, service.password, 'signature=', 'Acme', 'nobody']) expect(all).not.toContain(secret)
})
