/** H11, H12, H30, H31, H33: bytes, time and connections. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { OPERATIONS } from '../../../../src/contract/index.ts'
import { LIMITS } from '../../../../src/service/limits.ts'
import { send } from '../kit.ts'
import { sendRaw } from '../raw.ts'
import { type Case, jobs, one, rawRequest, rawStatuses, type World } from './world.ts'

const login = '{"username":"a","password":"b"}'
const post = 'POST /v1/authenticate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** Bytes that are no acceptable request, and why. */
const GARBAGE: readonly (readonly [string, string | Buffer])[] = [
  ['two lengths', `${post}Content-Length: 5\r\nContent-Length: 31\r\n\r\n${login}`],
  ['the same length twice', `${post}Content-Length: 31\r\nContent-Length: 31\r\n\r\n${login}`],
  ['a list of lengths', `${post}Content-Length: 31, 31\r\n\r\n${login}`],
  ['a negative length', `${post}Content-Length: -1\r\n\r\n${login}`],
  ['a length with a sign', `${post}Content-Length: +31\r\n\r\n${login}`],
  ['a hexadecimal length', `${post}Content-Length: 0x1f\r\n\r\n${login}`],
  ['a length beyond all bounds', `${post}Content-Length: 99999999999999999999\r\n\r\n${login}`],
  ['length and chunks', `${post}Content-Length: 31\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['chunks and length', `${post}Transfer-Encoding: chunked\r\nContent-Length: 31\r\n\r\n0\r\n\r\n`],
  ['an unknown transfer encoding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['chunked, then identity', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['a bad chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`],
  ['a negative chunk', `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`],
  ['a chunk longer than it says', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
  ['a chunk size beyond all bounds', `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`],
  ['a space before the colon', `${post}Content-Length : 31\r\n\r\n${login}`],
  ['a folded header', `${post}A: b\r\n c: d\r\nContent-Length : 31\r\n\r\n${login}`],
  ['a NUL in a header', `${post}A: \u0000b\r\n\r\n`],
  ['a lone CR in a header', `${post}A: b\rC: d\r\n\r\n`],
  ['a header without a name', `${post}: b\r\n\r\n`],
  ['an unknown version', 'GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n'],
  ['a method with a control character', 'GE\u0001T /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['a space in the path', 'GET /hea lth HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['TLS', Buffer.from('1603010200010001fc0303', 'hex')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['nothing like it', 'hello\r\n\r\n'],
  ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
]

/** Resolves when the connection is gone, by an error or without one. */
const closed = (socket: Socket): Promise<void> => new Promise(resolve => socket.once('close', () => resolve()))

/** A connection that is closed after the case. */
async function open({ atEnd }: World, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  atEnd(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Milliseconds until the service ends a connection on which this was sent, and what it said. */
async function untilClosed(world: World, url: string, first: string, drip = ''): Promise<{ ms: number; answer: string }> {
  const socket = await open(world, url)
  let answer = ''
  let since = performance.now()
  socket.setEncoding('latin1').on('data', text => {
    answer += text
    if (drip === '') since = performance.now()
  })
  socket.write(first)
  const timer = setInterval(() => drip !== '' && socket.writable && socket.write(drip), 20)
  await closed(socket)
  clearInterval(timer)
  return { ms: performance.now() - since, answer }
}

export const wire: Case[] = [
  ...GARBAGE.map(([title, bytes]) =>
    one('H11', title, async ({ service, log }) => {
      const answer = await sendRaw(service.url, bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close/i)
      const id = /X-Correlation-Id: ([0-9a-f-]{36})/i.exec(answer)?.[1]
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').correlationId).toBe(id)
      expect(log.some(line => line.includes(id ?? 'none'))).toBe(true)
    }),
  ),
  one('H11', 'a length that is too small leaves garbage, not a second request', async ({ service }) => {
    const smuggled = 'GET /v1/dataCleaning/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const statuses = await rawStatuses(service.url, `${post}Content-Length: 31\r\n\r\n${login}x${smuggled}`)
    expect(statuses.at(-1)).toBe(400)
    expect(statuses).not.toContain(200)
  }),
  one('H11', 'a bare LF is no line end of a header that matters', async ({ service, ann }) => {
    const smuggled = `GET /v1${jobs} HTTP/1.1\nHost: localhost\nAuthorization: ${ann.token}\n\n`
    const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n1\n{\n0\n\n`
    for (const bytes of [smuggled, chunked]) expect(await rawStatuses(service.url, bytes)).toEqual([400])
    return 2
  }),
  one('H11', 'a length that is too large: the caller who ends early is told or closed', async ({ service }) => {
    expect(await rawStatuses(service.url, `${post}Content-Length: 32\r\n\r\n${login}`, true)).not.toContain(200)
  }),
  one('H12', 'headers that never end, sent slowly', async world => {
    const limits = { headersMs: 200, checkMs: 50 }
    const { service } = await world.fresh({ limits })
    const { ms, answer } = await untilClosed(world, service.url, 'GET /health HTTP/1.1\r\nHost: localhost\r\nA: ', 'a')
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"correlationId"/)
    expect(ms).toBeLessThan(limits.headersMs + 1_000)
  }),
  one('H12', 'who is told so and goes on sending, without ending its side, is cut off', async world => {
    const limits = { headersMs: 200, checkMs: 50 }
    const { service } = await world.fresh({ limits })
    const { hostname, port } = new URL(service.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    world.atEnd(() => socket.destroy())
    socket.on('error', () => {}).resume()
    const began = performance.now()
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nA: ')
    const timer = setInterval(() => socket.write('a'), 20)
    await closed(socket)
    clearInterval(timer)
    expect(performance.now() - began).toBeLessThan(limits.headersMs + 1_500)
  }),
  one('H12', 'a JSON body that never ends, sent slowly', async world => {
    const limits = { jsonMs: 200, checkMs: 50 }
    const { service } = await world.fresh({ limits })
    const { ms, answer } = await untilClosed(world, service.url, `${post}Content-Length: 5000\r\n\r\n`, '{')
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i)
    expect(ms).toBeLessThan(limits.jsonMs + 1_000)
  }),
  one('H12', 'an upload below the least rate', async world => {
    const limits = { rateMs: 200, rateBytes: 10_000, checkMs: 50 }
    const { service, caller } = await world.fresh({ limits })
    const id = await caller.create()
    const head = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 40000']
    const { ms } = await untilClosed(world, service.url, rawRequest(caller, 'POST', `${jobs}/${id}/upload`, head, '--b\r\n'), 'a')
    expect(ms).toBeLessThan(limits.rateMs + 1_000)
    const status = async (): Promise<string> => (await caller.call('GET', `${jobs}/${id}`)).body.status
    while ((await status()) === 'uploading') await setImmediate()
    expect(await status()).toBe('uploadError')
  }),
  one('H12', 'a connection that says nothing, at first or after an answer', async world => {
    const { service } = await world.fresh({ limits: { headersMs: 200, keepAliveMs: 1_100, checkMs: 50 } })
    expect((await untilClosed(world, service.url, '')).ms).toBeLessThan(1_200)
    const { ms, answer } = await untilClosed(world, service.url, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(ms).toBeLessThan(2_100)
    return 2
  }),
  one('H12', '20 KB of headers, 2,000 headers', async ({ service }) => {
    const many = Array.from({ length: 2_000 }, (_, n) => `h${n}: 1`).join('\r\n')
    const some = Array.from({ length: LIMITS.headers + 1 }, (_, n) => `h${n}: 1`).join('\r\n')
    for (const headers of [many, some, `A: ${'x'.repeat(20_000)}`, `${'x'.repeat(20_000)}: a`]) {
      const bytes = `GET /health HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nConnection: close\r\n\r\n`
      expect(await rawStatuses(service.url, bytes)).toEqual([431])
    }
    expect(await rawStatuses(service.url, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toEqual([431])
    return 5
  }),
  one('H30', 'Expect: 100-continue', async ({ service }) => {
    const head = `${post}Content-Length: ${login.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`
    expect(await rawStatuses(service.url, head + login)).toEqual([100, 401])
    const refused = await sendRaw(service.url, `${post}Expect: a miracle\r\nConnection: close\r\n\r\n`)
    expect(refused).toMatch(/^HTTP\/1\.1 417 [\s\S]*\r\n\r\n\{"correlationId":"[0-9a-f-]{36}",.*"details":"Expect: /)
    return 2
  }),
  one('H30', 'OPTIONS of the service as a whole', async ({ service }) => {
    const answer = await sendRaw(service.url, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 204 [\s\S]*\r\nallow: GET, HEAD, POST/i)
    return 1
  }),
  one('H30', 'a thousand pipelined requests are answered in turn, one more is not', async ({ service, ann }) => {
    const request = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const last = rawRequest(ann, 'GET', jobs, ['Connection: close'])
    const statuses = await rawStatuses(service.url, request.repeat(LIMITS.requestsPerSocket - 1) + last)
    expect(statuses).toEqual(Array.from({ length: LIMITS.requestsPerSocket }, () => 200))
    const more = await rawStatuses(service.url, request.repeat(LIMITS.requestsPerSocket + 1))
    expect(more.at(-1)).toBe(503)
    expect(more).toHaveLength(LIMITS.requestsPerSocket + 1)
    return 2
  }),
  one('H30', 'HEAD and OPTIONS on every operation have no body', async ({ service, ann }) => {
    const { port } = new URL(service.url)
    let tried = 0
    for (const path of new Set(Object.values(OPERATIONS).map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x')))) {
      for (const method of ['HEAD', 'OPTIONS']) {
        const bytes = rawRequest(ann, method, path, ['Connection: close'])
        const answer = await sendRaw(service.url, bytes)
        expect(answer.split('\r\n\r\n')[1], `${method} ${path} on ${port}`).toBe('')
        expect(answer).toMatch(
          method === 'HEAD' ? /^HTTP\/1\.1 (200|400|404|405) / : /^HTTP\/1\.1 204 [\s\S]*allow: (GET|POST|PUT|PATCH|DELETE)/i,
        )
        expect(answer).not.toMatch(/access-control/i)
        tried += 1
      }
    }
    expect(await rawStatuses(service.url, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toEqual([204])
    return tried + 1
  }),
  one('H30', 'HTTP/1.0, an absolute target, double and encoded slashes, an upgrade', async ({ service }) => {
    const { origin } = new URL(service.url)
    const get = async (target: string, version = '1.1', more = ''): Promise<number[]> =>
      rawStatuses(service.url, `GET ${target} HTTP/${version}\r\nHost: localhost\r\n${more}Connection: close\r\n\r\n`)
    const cases: [Promise<number[]>, number][] = [
      [rawStatuses(service.url, 'GET /health HTTP/1.0\r\n\r\n'), 200],
      [get('/health', '1.0'), 200],
      [get(`${origin}/health`), 200],
      [get('//v1//authenticate'), 404],
      [get('//health'), 404],
      [get('/health/'), 404],
      [get('/%68ealth'), 200],
      [get('/v1/dataCleaning%2Fjobs'), 404],
      [get('/v1/./authenticate'), 404],
      [get('/v1/../health'), 404],
      [get('/health;x=1'), 404],
      [get('/health?a=1&a=2#x'), 200],
      [get('/%zz'), 400],
      [get('/health', '1.1', 'Upgrade: websocket\r\n'), 200],
    ]
    for (const [index, [statuses, expected]] of cases.entries()) expect([index, await statuses]).toEqual([index, [expected]])
    return cases.length
  }),
  one('H31', 'more connections than the limit are ended at once, the others are served', async world => {
    const { service } = await world.fresh({ limits: { connections: 3 } })
    const first = await open(world, service.url)
    await open(world, service.url)
    // The caller's own connection, which logged in, is the third or has gone.
    const more = await Promise.all([1, 2, 3].map(() => open(world, service.url)))
    const began = performance.now()
    for (const socket of more.slice(1)) {
      socket.resume()
      await closed(socket)
    }
    expect(performance.now() - began).toBeLessThan(1_000)
    first.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(String((await once(first, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
    return 2
  }),
  one('H33', 'told to stop: what is in flight is finished, what comes is sent away, and then it is over', async world => {
    const { service, caller } = await world.fresh()
    const id = await caller.create()
    const slow = await open(world, service.url)
    const early = await open(world, service.url)
    early.write('GET /health HTTP/1.1\r\nHost: localhost\r\nA: ')
    const body =
      '--b\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n--b\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\n\r\nname\nAcme Ltd\n\r\n--b--\r\n'
    const head = ['Content-Type: multipart/form-data; boundary=b', `Content-Length: ${body.length}`]
    slow.write(rawRequest(caller, 'POST', `${jobs}/${id}/upload`, head, body.slice(0, 50)))
    while ((await caller.call('GET', `${jobs}/${id}`)).body.status !== 'uploading') await setImmediate()
    const closing = service.close()
    early.write('b\r\n\r\n')
    expect(String((await once(early, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*"correlationId"/i)
    slow.write(body.slice(50))
    expect(String((await once(slow, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i)
    await closing
    await expect(send(service.url)).rejects.toThrow()
  }),
  one('H33', 'a request that never ends does not keep the service', async world => {
    const { service } = await world.fresh({ limits: { closeMs: 100 } })
    const stuck = await open(world, service.url)
    stuck.write(`${post}Content-Length: 100\r\n\r\n{`)
    await send(new URL('/health', service.url).href)
    const began = performance.now()
    await service.close()
    expect(performance.now() - began).toBeLessThan(2_000)
  }),
]
