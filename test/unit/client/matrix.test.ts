/** The cells of the fault matrix for requests that may be repeated freely: reads, the two PUTs and archive. */
import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'
import { type Client, createRetryBudget } from '../../../src/client/index.ts'
import {
  type Answer,
  clientOf,
  closedPort,
  cutReply,
  errorOf,
  fault,
  JOBS,
  job,
  LOGIN,
  page,
  reset,
  serveScript,
  silence,
} from './kit.ts'

const OPERATIONS: [string, string, unknown, (client: Client) => Promise<unknown>][] = [
  ['readJob', `GET ${JOBS}/7`, job('7'), client => client.readJob('7')],
  ['listJobs', `GET ${JOBS}`, [job('7')], client => client.listJobs({ page: 1 })],
  ['setMappings', `PUT ${JOBS}/7/mappings`, [], client => client.setMappings('7', [{ mapping: 'name', value: '0' }])],
  ['setEnrichments', `PUT ${JOBS}/7/enrichments`, { enrichments: [] }, client => client.setEnrichments('7', ['general.pattern'])],
  ['enrichedFile', `GET ${JOBS}/7/enrichedFile`, { filePath: '/f' }, client => client.enrichedFile('7')],
  ['archive', `POST ${JOBS}/7/archive`, job('7'), client => client.archive('7')],
]
const limits = { headersMs: 250, bodyMs: 250 }

describe.each(OPERATIONS)('%s', (_, route, json, act) => {
  const against = async (...answers: Answer[]) => {
    const server = await serveScript({ [route]: answers })
    const client = clientOf(server, { limits })
    return { server, client, run: () => act(client) }
  }

  test.each<[string, Answer]>([
    ['F5 reset before the reply', reset],
    ['F7 reset within the reply', cutReply],
    ['F8 silence', silence],
    ['F20 500', fault(500)],
    ['F20 502', fault(502)],
    ['F20 503', fault(503)],
    ['F20 504', fault(504)],
    ['F22 an HTML page', page],
    ['F22 an empty body', { text: '' }],
    ['F23 JSON cut short', { text: '{"id":' }],
  ])('%s: repeated in place', async (__, answer) => {
    const { server, client, run } = await against(answer, { json })
    await run()
    expect(server.of(route)).toHaveLength(2)
    expect(client.takeCounts()).toMatchObject({ requests: 3, retries: 1 })
  })

  test.each<[string, Answer, string, number, number]>([
    ['F7 without end', cutReply, 'FETTLE_NETWORK', 75, 4],
    ['F12 403', fault(403), 'FETTLE_FORBIDDEN', 77, 1],
    ['F15 413', fault(413), 'FETTLE_REJECTED', 76, 1],
    ['F16 422', fault(422), 'FETTLE_REJECTED', 76, 1],
    ['F21 5xx without end', fault(500), 'FETTLE_UNAVAILABLE', 75, 4],
    ['F22 a portal for ever', page, 'FETTLE_CONTRACT', 76, 3],
    ['F45 407', fault(407), 'FETTLE_FORBIDDEN', 77, 1],
    ['501', fault(501), 'FETTLE_REJECTED', 76, 1],
  ])('%s', async (__, answer, code, exitCode, requests) => {
    const { server, run } = await against(answer)
    const error = await errorOf(run())
    expect(error).toMatchObject({ code, exitCode })
    expect(error.message).toContain(route.split(' ')[0])
    expect(server.of(route)).toHaveLength(requests)
  })

  test('F13 404', async () => {
    const { run } = await against(fault(404))
    expect(await errorOf(run())).toMatchObject({ code: 'FETTLE_NOT_FOUND', status: 404, correlationId: 'c-404' })
  })

  test('F47 surplus, duplicate and __proto__ keys', async () => {
    const text = JSON.stringify(json).replace('{', '{"__proto__":{"polluted":1},"surplus":1,"surplus":2,')
    const { run } = await against({ text })
    const value = (await run()) as Record<string, unknown> | undefined
    expect((value as { polluted?: number } | undefined)?.polluted).toBeUndefined()
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

test('F1 refused: four attempts with growing waits', async () => {
  const client = clientOf({ url: await closedPort() })
  const error = await errorOf(client.authenticate())
  expect(error).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75 })
  expect(error.message).toMatch(/authenticate \(POST http:.*ECONNREFUSED.*4 attempts/)
  expect(client.clock.sleeps).toEqual([500, 1000, 2000])
})

const failingConnect = (code: string) =>
  new Agent({
    connect: (_, done) => done(Object.assign(new Error(`getaddrinfo ${code} h`), { code, syscall: 'getaddrinfo' }), null),
  })

test('F2 unknown host: tries twice and prints a hint; a busy resolver is tried four times', async () => {
  const unknown = clientOf({ url: 'https://h.example/v1' }, { dispatcher: failingConnect('ENOTFOUND') })
  const error = await errorOf(unknown.authenticate())
  expect(error).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75 })
  expect(error.hint).toContain('service.url')
  expect(unknown.takeCounts().requests).toBe(2)
  const busy = clientOf({ url: 'https://h.example/v1' }, { dispatcher: failingConnect('EAI_AGAIN') })
  expect(await errorOf(busy.authenticate())).toMatchObject({ code: 'FETTLE_NETWORK' })
  expect(busy.takeCounts().requests).toBe(4)
})

test('F24 a request that is only confirmed may be answered with 204, others may not', async () => {
  const empty: Answer = (_, response) => void response.writeHead(204).end()
  const server = await serveScript({
    [`PUT ${JOBS}/7/mappings`]: [empty],
    [`PUT ${JOBS}/7/enrichments`]: [empty],
    [`GET ${JOBS}/7`]: [empty],
  })
  const client = clientOf(server)
  await client.setMappings('7', [{ mapping: 'name', value: '0' }])
  await client.setEnrichments('7', ['general.connectId'])
  expect(await errorOf(client.readJob('7'))).toMatchObject({ code: 'FETTLE_CONTRACT' })
})

test.each([200, 202])(
  'F22 a request that is only confirmed, answered with %i and nothing: once more, then it counts',
  async status => {
    const empty: Answer = { status, text: '', headers: { 'content-type': 'application/json' } }
    const server = await serveScript({
      [`PUT ${JOBS}/7/mappings`]: [empty],
      [`PUT ${JOBS}/7/enrichments`]: [empty, { json: {} }],
      [`GET ${JOBS}/7`]: [empty],
    })
    const client = clientOf(server)
    await client.setMappings('7', [{ mapping: 'name', value: '0' }])
    await client.setEnrichments('7', ['general.connectId'])
    expect([server.of(`PUT ${JOBS}/7/mappings`), server.of(`PUT ${JOBS}/7/enrichments`)].map(sent => sent.length)).toEqual([3, 2])
    expect(await errorOf(client.readJob('7'))).toMatchObject({ code: 'FETTLE_CONTRACT' })
  },
)

test('a status is read in any case and spelled as the contract does; an unknown word stays', async () => {
  const spelled = ['JobMatchingComplete', 'JOB_MATCHING_COMPLETE', 'enrichment complete', 'Uploaderror', 'QueuedSomewhere']
  const server = await serveScript({ [`GET ${JOBS}/7`]: spelled.map(status => ({ json: { ...job('7'), status } })) })
  const client = clientOf(server)
  const read: string[] = []
  for (const _ of spelled) read.push((await client.readJob('7')).status)
  expect(read).toEqual(['jobMatchingComplete', 'jobMatchingComplete', 'enrichmentComplete', 'uploadError', 'QueuedSomewhere'])
})

test.each([{ status: 'uploaded' }, { id: null }, { id: 5 }])('an upload is taken as done whose answer is %o', async json => {
  const server = await serveScript({ [`POST ${JOBS}/7/upload`]: [{ json }] })
  const file = { filename: 'a.csv', bytes: 2, hasHeader: true, open: () => [Buffer.from('a\n')] as never }
  const look = async () => {
    throw new Error('not asked after')
  }
  const { value, adopted } = await clientOf(server).upload('7', file, { look, key: 'k' })
  expect({ value, adopted }).toEqual({ value: 'id' in json && json.id !== null ? { id: '5' } : null, adopted: false })
  expect(server.of(`POST ${JOBS}/7/upload`)).toHaveLength(1)
})

describe('an outage', () => {
  const outage = { ms: 300_000, atStart: false }
  const routes = (read: Answer[], write: Answer[] = [ok({})]) => ({ [`GET ${JOBS}/7`]: read, [`PUT ${JOBS}/7/mappings`]: write })
  const ok = (json: unknown): Answer => ({ json })
  const away = (times: number): Answer[] => Array<Answer>(times).fill(fault(503))

  test('of a minute is waited for by a client that has reached the service', async () => {
    const server = await serveScript(routes([ok(job('7')), ...away(7), ok(job('7'))], [...away(7), ok([])]))
    const client = clientOf(server, { outage })
    await client.readJob('7')
    expect((await client.readJob('7')).id).toBe('7')
    await client.setMappings('7', [])
    expect(client.clock.monotonic()).toBeGreaterThan(60_000)
    expect(server.of(`PUT ${JOBS}/7/mappings`)).toHaveLength(8)
  })

  test('ends after five minutes, and at two requests a minute at least', async () => {
    const server = await serveScript(routes([ok(job('7')), fault(503)]))
    const client = clientOf(server, { outage })
    await client.readJob('7')
    expect(await errorOf(client.readJob('7'))).toMatchObject({ code: 'FETTLE_UNAVAILABLE', exitCode: 75 })
    expect(client.clock.monotonic()).toBeGreaterThan(240_000)
    expect(client.clock.monotonic()).toBeLessThanOrEqual(300_000)
    expect(Math.max(...client.clock.sleeps)).toBeLessThanOrEqual(30_000)
    expect(server.of(`GET ${JOBS}/7`).length).toBeLessThan(30)
  })

  test('is not waited for beyond the time left, by a single attempt, or without being asked', async () => {
    const impatient = async (options: Parameters<typeof clientOf>[1], attempts?: number): Promise<number> => {
      const client = clientOf(await serveScript(routes([ok(job('7')), fault(503)])), options)
      await client.readJob('7')
      await errorOf(client.readJob('7', attempts === undefined ? {} : { attempts }))
      return client.clock.monotonic()
    }
    expect(await impatient({ outage, deadline: () => 10_000 })).toBeLessThan(20_000)
    expect(await impatient({ outage }, 1)).toBe(0)
    expect(await impatient({})).toBeLessThan(10_000)
  })

  test('is not waited for where every login is cut: no answer of the service was whole', async () => {
    const server = await serveScript({ [LOGIN]: [{ text: '{"token":' }] })
    expect(await errorOf(clientOf(server, { outage }).readJob('7'))).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75 })
    expect(server.of(LOGIN)).toHaveLength(4)
  })

  test('before the first answer an address is given up at once, unless the client waits from the start', async () => {
    const url = await closedPort()
    const hasty = clientOf({ url }, { outage })
    await errorOf(hasty.readJob('7'))
    expect(hasty.clock.monotonic()).toBeLessThan(10_000)
    const patient = clientOf({ url }, { outage: { ...outage, atStart: true } })
    await errorOf(patient.readJob('7'))
    expect(patient.clock.monotonic()).toBeGreaterThan(60_000)
    expect(patient.takeCounts().requests).toBe(5)
  })
})

test('F12 names the right that is missing', async () => {
  const server = await serveScript({ [`GET ${JOBS}/7`]: [fault(403)] })
  expect((await errorOf(clientOf(server).readJob('7'))).hint).toContain('Read a job')
})

test('F9 a reply that drips for ever is ended by the limit on the whole', async () => {
  const drip: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }
  const server = await serveScript({ [`GET ${JOBS}/7`]: [drip] })
  const error = await errorOf(clientOf(server, { limits: { headersMs: 100, bodyMs: 100 }, attempts: 1 }).readJob('7'))
  expect(error).toMatchObject({ code: 'FETTLE_TIMEOUT', exitCode: 75 })
})

test('F24 a wrong shape: final for a read, naming field and correlation id; a PUT takes any JSON', async () => {
  const server = await serveScript({
    [`GET ${JOBS}/7`]: [{ json: { id: '7', name: 'x', status: 5, correlationId: 'c-24' } }],
    [`PUT ${JOBS}/7/mappings`]: [{ json: { odd: true } }],
  })
  const client = clientOf(server)
  const error = await errorOf(client.readJob('7'))
  expect(error).toMatchObject({ code: 'FETTLE_CONTRACT', correlationId: 'c-24' })
  expect(error.message).toContain('at status:')
  await client.setMappings('7', [{ mapping: 'name', value: '0' }])
})

test('F22 names the content type and the first 80 characters, cleaned', async () => {
  const text = `<html>\u001b[31m${'x'.repeat(200)}`
  const server = await serveScript({ [`GET ${JOBS}/7`]: [{ text, headers: { 'content-type': 'text/html' } }] })
  const { message } = await errorOf(clientOf(server).readJob('7'))
  expect(message).toContain('text/html')
  expect(message).toContain(`"<html>${'x'.repeat(74)}…"`)
  expect(message).not.toContain('\u001b')
})

test('F44 an endless reply is cut off at 8 MiB and not asked for again', async () => {
  let wrote = 0
  const endless: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write('['.repeat(65_536))) wrote += 65_536
    }
    response.on('drain', more)
    more()
  }
  const server = await serveScript({ [`GET ${JOBS}/7`]: [endless] })
  expect(await errorOf(clientOf(server).readJob('7'))).toMatchObject({ code: 'FETTLE_CONTRACT', exitCode: 76 })
  expect(server.of(`GET ${JOBS}/7`)).toHaveLength(1)
  expect(wrote).toBeLessThan(32 * 1024 * 1024)
})

test('F44 a compressed answer is inflated up to the limit of its size', async () => {
  const { gzipSync } = await import('node:zlib')
  const bomb = gzipSync(Buffer.alloc(50_000_000, 32))
  const compressed: Answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  const server = await serveScript({ [`GET ${JOBS}/7`]: [compressed] })
  expect(await errorOf(clientOf(server).readJob('7'))).toMatchObject({ code: 'FETTLE_CONTRACT', exitCode: 76 })
  expect(server.of(`GET ${JOBS}/7`)[0]?.headers['accept-encoding']).toBe('identity')
})

test('attempts may be set for the client and for one request', async () => {
  const server = await serveScript({ [`GET ${JOBS}/7`]: [fault(500)] })
  await errorOf(clientOf(server, { attempts: 2 }).readJob('7'))
  expect(server.of(`GET ${JOBS}/7`)).toHaveLength(2)
  await errorOf(clientOf(server).readJob('7', { attempts: 1 }))
  expect(server.of(`GET ${JOBS}/7`)).toHaveLength(3)
})

test('limits the retries of an outage to twenty for all clients with one budget', async () => {
  const server = await serveScript({ [`GET ${JOBS}/7`]: [fault(500)] })
  const quota = createRetryBudget()
  const clients = Array.from({ length: 50 }, () => clientOf(server, { quota }))
  await Promise.all(clients.map(client => client.authenticate()))
  await Promise.all(clients.map(client => errorOf(client.readJob('7'))))
  expect(server.of(`GET ${JOBS}/7`)).toHaveLength(50 + 20)
  const error = await errorOf(clientOf(server, { quota }).readJob('7'))
  expect(server.of(`GET ${JOBS}/7`)).toHaveLength(50 + 20 + 1)
  expect(error).toMatchObject({ code: 'FETTLE_UNAVAILABLE', exitCode: 75 })
  expect(error.message).toContain('the retry budget of this process is used up')
})

test('an abort ends a request in flight and a wait between attempts, with the reason given', async () => {
  const server = await serveScript({ [`GET ${JOBS}/7`]: [silence], [`GET ${JOBS}/8`]: [fault(500)] })
  const client = clientOf(server)
  await client.authenticate()
  const stop = new AbortController()
  const flying = errorOf(client.readJob('7', { signal: stop.signal }))
  while (server.of(`GET ${JOBS}/7`).length === 0) await new Promise(resolve => setImmediate(resolve))
  stop.abort(new Error('Ctrl-C'))
  expect((await flying).message).toBe('Ctrl-C')
  const sleepy = clientOf(server, {
    clock: {
      ...client.clock,
      sleep: (_, signal) => new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    },
  })
  await sleepy.authenticate()
  const later = new AbortController()
  const waiting = errorOf(sleepy.readJob('8', { signal: later.signal }))
  while (server.of(`GET ${JOBS}/8`).length === 0) await new Promise(resolve => setImmediate(resolve))
  setImmediate(() => later.abort(new Error('SIGTERM')))
  expect((await waiting).message).toBe('SIGTERM')
})

test('reports a retry in one line without secrets', async () => {
  const told: string[] = []
  const server = await serveScript({ [`GET ${JOBS}/7`]: [fault(500), { json: job('7') }] })
  await clientOf(server, { onRetry: text => told.push(text) }).readJob('7')
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/^readJob \(GET .*\/dataCleaning\/jobs\/7\): the service answered 500: Refused.*sending it again$/)
})

test('a request that does not fit the interface is not sent', async () => {
  const server = await serveScript({})
  const client = clientOf(server)
  expect(await errorOf(client.listJobs({ page: 0 }))).toMatchObject({ code: 'FETTLE_USAGE' })
  expect(await errorOf(client.createJob('a\nb', { key: 'k', look: async () => undefined }))).toMatchObject({
    code: 'FETTLE_USAGE',
  })
  expect(server.seen).toHaveLength(0)
})
