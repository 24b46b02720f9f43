/** Several clients of one user in one process: one token, rate limiter and retry budget; separate deadlines and counts. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Client, type ConnectOptions, connect, createShared } from '../../../src/client/index.ts'
import { type Answer, createVirtualClock, errorOf, fault, JOBS, job, LOGIN, reset, serveScript, silence } from './kit.ts'

const READ = `GET ${JOBS}/7`
const MINUTE = 60_000
const ok: Answer = { json: job('7') }

/** Clients of one user, and the clock they go by. */
function company(server: { url: string }, count: number, options: readonly Partial<ConnectOptions>[] = []) {
  const clock = createVirtualClock()
  const shared = createShared(clock)
  const common = { url: server.url, username: 'user', password: 'canary-password', clock, shared }
  const clients = Array.from({ length: count }, (_, n): Client => connect({ ...common, ...options[n] }))
  onTestFinished(async () => {
    for (const client of clients) await client.close()
  })
  return { clock, clients, first: clients[0]!, second: clients[1]! }
}

describe('the token', () => {
  test('one login serves all, and one more when it was refused', async () => {
    const needing =
      (token: string): Answer =>
      (request, response) => {
        const good = request.headers.authorization === `Bearer ${token}`
        response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
        response.end(JSON.stringify(good ? job('7') : { error: 'Invalid token.' }))
      }
    const server = await serveScript({ [READ]: [needing('token-2')] })
    const { clients } = company(server, 10)
    await Promise.all(clients.map(client => client.readJob('7')))
    expect(server.of(LOGIN)).toHaveLength(2)
    expect(server.of(READ)).toHaveLength(20)
  })

  test('a wrong password costs exactly one request, however many clients and however late', async () => {
    const server = await serveScript({ [LOGIN]: [{ status: 401, json: { message: 'Access denied' } }] })
    const { clients, clock, first } = company(server, 50)
    const errors = await Promise.all(clients.map(client => errorOf(client.readJob('7'))))
    clock.advance(24 * 60 * MINUTE)
    errors.push(await errorOf(first.readJob('7')))
    for (const error of errors) expect(error).toMatchObject({ code: 'FETTLE_LOGIN', exitCode: 77 })
    expect(server.seen).toHaveLength(1)
  })

  test('a client that closes while it logs in for all does not fail the others', async () => {
    const server = await serveScript({ [LOGIN]: [silence, { json: { token: 't' } }], [READ]: [ok] })
    const { first, second } = company(server, 2)
    const stop = new AbortController()
    const stopped = errorOf(first.readJob('7', { signal: stop.signal }))
    const other = second.readJob('7')
    while (server.seen.length === 0) await new Promise(resolve => setImmediate(resolve))
    stop.abort(new Error('Ctrl-C'))
    await first.close()
    expect((await stopped).message).toBe('Ctrl-C')
    expect((await other).id).toBe('7')
    expect(server.of(LOGIN)).toHaveLength(2)
    expect(second.takeCounts()).toEqual({ requests: 2, retries: 0, throttledMs: 0 })
  })

  test('a login has the time of the most patient who waits for it', async () => {
    const server = await serveScript({ [LOGIN]: [reset, { json: { token: 't' } }], [READ]: [ok] })
    const { first, second } = company(server, 2, [{ deadline: () => 100 }, { deadline: () => MINUTE }])
    await Promise.all([first.readJob('7'), second.readJob('7')])
    const alone = company(await serveScript({ [LOGIN]: [reset] }), 1, [{ deadline: () => 100 }])
    expect((await errorOf(alone.first.readJob('7'))).message).toContain('no time is left')
  })

  test('no client prints a token that another client fetched', async () => {
    const telling: Answer = { status: 400, json: { message: 'odd token token-1' } }
    const server = await serveScript({ [READ]: [ok, telling] })
    const { first, second } = company(server, 2)
    await first.readJob('7')
    expect((await errorOf(second.readJob('7'))).message).toContain('odd token ***')
  })
})

describe('a login that failed', () => {
  test('four attempts, a minute without any, one attempt, ten minutes without any: five in ten minutes', async () => {
    const server = await serveScript({ [LOGIN]: [fault(500)] })
    const { clients, clock } = company(server, 50)
    const at: number[] = []
    for (let ms = 0; ms < 10 * MINUTE; ms += 10_000) {
      const errors = await Promise.all(clients.map(client => errorOf(client.readJob('7', { attempts: 1 }))))
      for (const error of errors) expect(error).toMatchObject({ code: 'FETTLE_UNAVAILABLE', exitCode: 75, status: 500 })
      while (at.length < server.seen.length) at.push(clock.monotonic())
      clock.advance(10_000)
    }
    expect(at).toHaveLength(5)
    expect(at[4]! - at[3]!).toBeGreaterThanOrEqual(MINUTE)
    clock.advance(2 * MINUTE)
    await errorOf(clients[0]!.readJob('7'))
    expect(server.seen).toHaveLength(9)
  })

  test('success ends the caution', async () => {
    const down = Array<Answer>(4).fill(fault(500))
    const server = await serveScript({ [LOGIN]: [...down, { json: { token: 't' } }, ...down], [READ]: [ok] })
    const { clock, first } = company(server, 1)
    await errorOf(first.readJob('7'))
    clock.advance(MINUTE)
    await first.readJob('7')
    clock.advance(55 * MINUTE)
    await errorOf(first.readJob('7'))
    expect(server.of(LOGIN)).toHaveLength(9)
  })

  test('an old failure is ignored', async () => {
    const server = await serveScript({ [LOGIN]: [fault(500)] })
    const { clock, first } = company(server, 1)
    await errorOf(first.readJob('7'))
    clock.advance(11 * MINUTE)
    await errorOf(first.readJob('7'))
    expect(server.of(LOGIN)).toHaveLength(8)
  })

  test('missing credentials and a pause do not count as failures', async () => {
    const server = await serveScript({ [LOGIN]: [fault(429, { 'retry-after': '30' }), { json: { token: 't' } }], [READ]: [ok] })
    const { clock, first, second } = company(server, 2, [{ deadline: () => 10_000 }])
    expect(await errorOf(first.readJob('7'))).toMatchObject({ code: 'FETTLE_THROTTLED' })
    await second.readJob('7')
    expect(clock.sleeps).toEqual([30_000])
    let password = ''
    const third = company(server, 1, [{ password: () => password }])
    expect(await errorOf(third.first.readJob('7'))).toMatchObject({ code: 'FETTLE_CREDENTIALS' })
    password = 'canary-password'
    await third.first.readJob('7')
  })
})

describe('pauses', () => {
  test('a 429 for one holds all back, and each counts its own wait', async () => {
    const server = await serveScript({ [READ]: [fault(429, { 'retry-after': '20' }), ok], [`GET ${JOBS}/8`]: [ok] })
    const { clock, first, second } = company(server, 2)
    await second.readJob('8')
    const throttled = first.readJob('7')
    while (server.of(READ).length === 0) await new Promise(resolve => setImmediate(resolve))
    await throttled
    expect(clock.monotonic()).toBe(20_000)
    expect(first.takeCounts()).toEqual({ requests: 2, retries: 1, throttledMs: 20_000 })
    expect(second.takeCounts()).toEqual({ requests: 2, retries: 0, throttledMs: 0 })
  })

  test('who has less time than the pause ends at once, who has more waits', async () => {
    const server = await serveScript({ [READ]: [fault(429, { 'retry-after': '60' }), ok] })
    const { clock, first, second } = company(server, 2, [{ deadline: () => 30_000 }])
    expect(await errorOf(first.readJob('7'))).toMatchObject({ code: 'FETTLE_THROTTLED', exitCode: 75 })
    expect(clock.sleeps).toEqual([])
    await second.readJob('7')
    expect(clock.sleeps).toEqual([60_000])
  })

  test('an absurd pause ends the request and delays no other', async () => {
    const server = await serveScript({ [READ]: [fault(429, { 'retry-after': '1000000000' }), ok] })
    const { clock, first, second } = company(server, 2)
    expect(await errorOf(first.readJob('7'))).toMatchObject({ code: 'FETTLE_THROTTLED', exitCode: 75 })
    await second.readJob('7')
    expect(clock.sleeps).toEqual([])
  })

  test('the strictest rate holds for all together', async () => {
    const server = await serveScript({ [READ]: [ok] })
    const rates = [{ rate: { requests: 100, perMs: 1000 } }, { rate: { requests: 1, perMs: 1000 } }, { rate: null }]
    const { clock, clients } = company(server, 3, rates)
    for (let n = 0; n < 9; n++) await clients[n % 3]!.readJob('7')
    expect(clock.monotonic()).toBe(9_000)
  })
})
