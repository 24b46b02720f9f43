/** The fault server: what it forwards and records, its counts of faults, its HTTP interface, and its absence in the service. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { Agent, Client, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { type FaultServer, fault, startFaultServer } from '../../../src/testing/index.ts'
import { logIn, send, startService } from '../service/kit.ts'
import { ask, bodyOf, create, type Faulty, faulty, faultyAlone, isClosing, JOBS, statusOf } from './kit.ts'

/** A file link of an enriched job, asked for through the fault server. */
async function enriched({ server, service }: Faulty): Promise<string> {
  const caller = await logIn({ ...service, url: server.url })
  const id = await caller.submitted('name\nAcme Limited\nNobody\n')
  await caller.reach(id, 'jobMatchingComplete')
  await caller.call('POST', `${JOBS}/${id}/enrich`, {})
  await caller.reach(id, 'enrichmentComplete')
  return (await caller.call('GET', `${JOBS}/${id}/enrichedFile`)).body.filePath
}

test('a whole job passes: links lead back here, every request is recorded by its operation', async () => {
  const one = await faulty()
  const link = await enriched(one)
  expect(link.startsWith(`${one.server.origin}/`)).toBe(true)
  const file = await send(link)
  expect(file.status).toBe(200)
  const seen = one.server.requests
  expect([...new Set(seen.map(({ operation }) => operation))]).toEqual([
    'authenticate',
    'createJob',
    'upload',
    'setMappings',
    'submit',
    'readJob',
    'enrich',
    'enrichedFile',
    'file',
  ])
  expect(seen.every(({ status, given, effect }) => status === 200 && given === 200 && effect === null)).toBe(true)
  expect(seen.at(-1)).toMatchObject({ method: 'GET', jobId: null, query: new URL(link).search })
  const job = seen.find(({ operation }) => operation === 'submit')?.jobId
  expect(seen.filter(({ jobId }) => jobId !== null).every(({ jobId }) => jobId === job)).toBe(true)
  expect(one.server.effects('a job')).toEqual({ creates: 1, uploads: 1, submits: 1, enriches: 1, logins: 0 })
  expect(one.server.effects()).toEqual({ creates: 1, uploads: 1, submits: 1, enriches: 1, logins: 1 })
  expect(one.server.effects('another')).toEqual({ creates: 0, uploads: 0, submits: 0, enriches: 0, logins: 0 })
})

test.each([
  ['length', 'fetch failed|terminated'],
  ['chunked', 'fetch failed|terminated'],
  ['close', null],
] as const)('a file cut by %s is noticed by a client, or is not', async (framing, error) => {
  const one = await faulty()
  const link = await enriched(one)
  const whole = (await send(link)).body as string
  const armed = one.server.arm([{ operation: 'file', effect: { kind: 'truncate', framing, keep: 0.5 } }])
  const cut = fetch(link).then(reply => reply.text())
  if (error !== null) await expect(cut).rejects.toThrow(new RegExp(error))
  else expect(await cut).toBe(whole.slice(0, Math.floor(whole.length / 2)))
  expect(armed.unconsumed()).toEqual([])
  expect((await send(link)).body).toBe(whole)
})

/** A service that only counts and hashes what it is sent, and answers with as much as it is asked for. */
async function sink(): Promise<{ url: string; sent: () => { bytes: number; hash: string } }> {
  let bytes = 0
  const hash = createHash('sha256')
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      hash.update(chunk)
    })
    request.on('end', () => response.end(Buffer.alloc(Number(request.headers['x-want'] ?? 0), 'y')))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { url, sent: () => ({ bytes, hash: hash.copy().digest('hex') }) }
}

test('a library fact: chunks that are cut are an error to undici, even where the reply announces the end of its connection', async () => {
  const one = await faulty({ keepAlive: false })
  const link = await enriched(one)
  one.server.arm([{ operation: 'file', effect: { kind: 'truncate', framing: 'chunked', keep: 0.5 } }])
  // The global dispatcher may be that of the undici in Node.
  const dispatcher = new Agent()
  onTestFinished(() => dispatcher.close())
  const { headers, body } = await request(link, { dispatcher })
  expect(headers).toMatchObject({ connection: 'close', 'transfer-encoding': 'chunked' })
  await expect(body.text()).rejects.toThrow('Invalid EOF state')
})

test('uploads and files stream: neither is kept, neither is changed', async () => {
  const { url, sent } = await sink()
  const server = await startFaultServer({ target: url })
  onTestFinished(() => server.close())
  const block = Buffer.alloc(1024 * 1024, 'x')
  const blocks = 64
  let ahead = 0
  async function* body(): AsyncGenerator<Buffer> {
    for (let n = 0; n < blocks; n++) {
      ahead = Math.max(ahead, n * block.length - sent().bytes)
      yield block
    }
  }
  const reply = await fetch(`${server.url}${JOBS}/1/upload`, { method: 'POST', body: body(), duplex: 'half' } as RequestInit)
  expect(reply.status).toBe(200)
  const hash = createHash('sha256')
  for (let n = 0; n < blocks; n++) hash.update(block)
  expect(sent()).toEqual({ bytes: blocks * block.length, hash: hash.digest('hex') })
  let received = 0
  const file = await fetch(`${server.origin}/files/x`, { headers: { 'x-want': String(blocks * block.length) } })
  for await (const chunk of file.body as AsyncIterable<Uint8Array>) received += chunk.length
  expect(received).toBe(blocks * block.length)
  expect(ahead).toBeLessThan(24 * 1024 * 1024)
})

test('a stopped service gives a reset or a 502; a new address works again', async () => {
  const { service, server, token } = await faultyAlone()
  const other = await faultyAlone({ whenDown: 502 })
  await other.service.close()
  expect(statusOf(await ask(other.server, { path: JOBS, token }))).toBe(502)
  await service.close()
  const armed = server.arm([{ operation: '*', effect: { kind: 'rewrite', set: { a: 1 } } }])
  expect((await ask(server, { path: JOBS, token })).ending).toBe('ECONNRESET')
  expect(server.requests.at(-1)).toMatchObject({ status: null, given: null })
  expect(armed.unconsumed()).toHaveLength(1)
  const next = await startService()
  server.retarget(next.url)
  expect(statusOf(await ask(server, { path: JOBS, token: (await logIn(next)).token }))).toBe(200)
})

test('a client that leaves during a request leaves a complete record', async () => {
  let arrived = false
  let answer = (): void => {}
  const service = createServer((_request, response) => {
    arrived = true
    answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"7","name":"late"}')
  })
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void service.close())
  const server = await startFaultServer({ target: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1` })
  onTestFinished(() => server.close())
  const leaving = new AbortController()
  const asked = ask(server, { ...create('late'), token: 't', signal: leaving.signal })
  await expect.poll(() => arrived).toBe(true)
  leaving.abort()
  await asked
  expect(server.pending()).toBe(1)
  answer()
  await expect.poll(() => server.pending()).toBe(0)
  expect(server.effects('late').creates).toBe(1)
})

test('a service that rejects an upload at its first bytes is answered, and its connection stays', async () => {
  const service = createServer((_request, response) => void response.writeHead(413).end('too large'))
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void service.close())
  const server = await startFaultServer({ target: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1` })
  onTestFinished(() => server.close())
  const body = 'x'.repeat(8_000_000)
  const heard = await ask(server, { method: 'POST', path: `${JOBS}/1/upload`, body })
  expect([statusOf(heard), isClosing(heard), server.requests[0]?.status]).toEqual([413, false, 413])
  await expect.poll(() => server.pending()).toBe(0)
})

test('a service that closes in the middle of an upload gives a readable 502 on a usable connection', async () => {
  const service = createServer(request => void request.once('data', () => request.socket.destroy()))
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void service.close())
  const target = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`
  const server = await startFaultServer({ target, whenDown: 502 })
  onTestFinished(() => server.close())
  const client = new Client(server.origin)
  onTestFinished(() => client.destroy())
  for (const _ of [1, 2]) {
    const { statusCode, body } = await client.request({ method: 'POST', path: '/v1/x', body: 'x'.repeat(8_000_000) })
    expect([statusCode, await body.text()]).toEqual([502, 'Bad Gateway'])
  }
})

test('connections stay open; with keepAlive: false every reply closes its connection', async () => {
  const open = await faulty()
  const closing = await faulty({ keepAlive: false })
  expect(isClosing(await ask(open.server, { path: JOBS, token: open.token }))).toBe(false)
  const heard = await ask(closing.server, { path: JOBS, token: closing.token })
  expect([isClosing(heard), heard.ending]).toEqual([true, 'end'])
})

const statuses = async (server: FaultServer, token: string, requests: number): Promise<number[]> => {
  const found: number[] = []
  for (let n = 0; n < requests; n++) {
    const { status } = await fetch(server.url + JOBS, { headers: { authorization: `Bearer ${token}` } })
    found.push(status)
  }
  return found
}

test('nth and times select requests, and the report counts them', async () => {
  const { server, token } = await faulty()
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant('always' as const)),
      fc.integer({ min: 0, max: 7 }),
      fc.constantFrom('listJobs' as const, '*' as const, 'readJob' as const),
      async (nth, times, requests, operation) => {
        const armed = server.arm([{ operation, nth, times, effect: { kind: 'status', status: 418 } }])
        const last = times === 'always' ? Number.POSITIVE_INFINITY : nth + times - 1
        const isMet = (n: number): boolean => operation !== 'readJob' && n >= nth && n <= last
        const wanted = Array.from({ length: requests }, (_, at) => (isMet(at + 1) ? 418 : 200))
        expect(await statuses(server, token, requests)).toEqual(wanted)
        const consumed = wanted.filter(status => status === 418).length
        expect(armed.report()).toMatchObject([{ consumed, fault: { nth, times } }])
        expect(armed.unconsumed()).toHaveLength(consumed < (times === 'always' ? 1 : times) ? 1 : 0)
      },
    ),
    { numRuns: 30 },
  )
})

test('the first of several faults applies to a request, and new plans replace old ones', async () => {
  const { server, token } = await faulty()
  const old = server.arm([{ operation: 'listJobs', times: 'always', effect: { kind: 'status', status: 400 } }])
  const armed = server.arm([
    { operation: '*', nth: 2, effect: { kind: 'status', status: 418 } },
    { operation: 'listJobs', times: 3, effect: { kind: 'status', status: 503 } },
  ])
  expect(await statuses(server, token, 4)).toEqual([503, 418, 503, 200])
  expect(armed.report().map(({ consumed }) => consumed)).toEqual([1, 2])
  expect([armed.unconsumed(), old.unconsumed()].map(list => list.length)).toEqual([1, 1])
  armed.disarm()
  expect(await statuses(server, token, 1)).toEqual([200])
})

test('a fault that needs a body to cut does not count without one', async () => {
  const { server, token } = await faulty()
  const armed = server.arm([
    { operation: 'listJobs', effect: { kind: 'reset', at: 'requestBody' } },
    { operation: 'listJobs', nth: 2, effect: { kind: 'truncate', framing: 'length', keep: 1 } },
  ])
  expect(await statuses(server, token, 2)).toEqual([200, 200])
  expect(armed.unconsumed()).toHaveLength(2)
})

test('a policy receives operation and number of each request and returns its effect', async () => {
  const { server, token } = await faulty()
  const told: unknown[] = []
  const armed = server.arm(request => {
    told.push(request)
    return request.nth === 2 ? { kind: 'status', status: 500 } : null
  })
  expect(await statuses(server, token, 3)).toEqual([200, 500, 200])
  expect(told[1]).toEqual({ operation: 'listJobs', nth: 2, method: 'GET', path: `/v1${JOBS}` })
  expect(armed.report()).toMatchObject([{ fault: { operation: 'listJobs', nth: 2, effect: { kind: 'status' } }, consumed: 1 }])
})

test('rejects killClient without onKill, and invalid faults', async () => {
  const { server } = await faulty()
  expect(() => server.arm([{ operation: '*', effect: { kind: 'killClient', at: 'arrival' } }])).toThrow('without onKill')
  expect(() => server.arm([{ operation: 'nothing' } as never])).toThrow()
  expect(fault.safeParse({ operation: 'file', effect: { kind: 'duplicate' } }).success).toBe(true)
})

test('faults are planned, reported and ended over HTTP', async () => {
  const { server, token } = await faulty()
  const at = `${server.origin}/__faults`
  const planned = await send(at, 'POST', [{ operation: 'listJobs', times: 'always', effect: { kind: 'status', status: 429 } }])
  expect([planned.status, planned.body]).toMatchObject([200, [{ consumed: 0 }]])
  expect(await statuses(server, token, 2)).toEqual([429, 429])
  expect((await send(at)).body).toMatchObject([{ fault: { operation: 'listJobs', nth: 1 }, consumed: 2 }])
  expect((await send(at, 'POST', [{ operation: 'listJobs', effect: { kind: 'melt' } }])).status).toBe(400)
  expect((await send(at, 'POST', '{')).status).toBe(400)
  expect((await send(at, 'PUT', [])).status).toBe(405)
  expect(await statuses(server, token, 1)).toEqual([429])
  expect((await send(at, 'DELETE')).status).toBe(200)
  expect(await statuses(server, token, 1)).toEqual([200])
  expect(server.requests.every(({ path }) => !path.includes('faults'))).toBe(true)
})

test('faults H37: the service itself has no such interface', async () => {
  const { service, token } = await faulty()
  for (const path of ['/__faults', '/v1/__faults'])
    for (const method of ['GET', 'POST', 'DELETE'])
      for (const headers of [{}, { authorization: `Bearer ${token}` }] as Record<string, string>[])
        expect((await send(new URL(path, service.url).href, method, method === 'POST' ? [] : undefined, headers)).status).toBe(
          404,
        )
})

test('close ends stalled requests', async () => {
  const { server, token } = await faulty()
  server.arm([{ operation: 'listJobs', effect: { kind: 'stall', at: 'reply' } }])
  const asked = ask(server, { path: JOBS, token })
  await expect.poll(() => server.pending()).toBe(1)
  await server.close()
  expect((await asked).ending).toBe('ECONNRESET')
  await expect.poll(() => server.pending()).toBe(0)
})

test('bodies pass byte for byte', async () => {
  const { server, token } = await faulty()
  const name = 'Ærø „1“ \u{1f600}'
  const heard = await ask(server, { method: 'POST', path: JOBS, token, body: JSON.stringify({ name: encodeURI(name) }) })
  expect(decodeURI(JSON.parse(bodyOf(heard)).name)).toBe(name)
  const direct = await fetch(`${server.url}${JOBS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  expect(((await direct.json()) as { name: string }).name).toBe(name)
})
