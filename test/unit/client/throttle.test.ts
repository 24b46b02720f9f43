import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRateLimiter } from '../../../src/client/retry/rate-limiter.ts'
import { FettleError } from '../../../src/errors.ts'
import { type Answer, clientOf, createVirtualClock, errorOf, fault, JOBS, job, LOGIN, serveScript } from './kit.ts'

const READ = `GET ${JOBS}/7`
const told = (value: string, more: Record<string, string> = {}): Answer => fault(429, { 'retry-after': value, ...more })
const ok: Answer = { json: job('7') }

describe('Retry-After', () => {
  test.each([
    ['seconds', told('17'), 17_000],
    [
      "a date against the reply's own Date",
      told('Fri, 20 Nov 2026 12:00:30 GMT', { date: 'Fri, 20 Nov 2026 12:00:10 GMT' }),
      20_000,
    ],
    ['absent: 5 s and jitter', fault(429), 5500],
    ['unreadable: as absent', told('soon'), 5500],
    ['negative: as absent', told('-5'), 5500],
    ['past: as absent', told('Fri, 20 Nov 2020 12:00:30 GMT'), 5500],
    ['503 with a pause', fault(503, { 'retry-after': '9' }), 9000],
  ])('%s is obeyed in full', async (_, answer, waitMs) => {
    const server = await serveScript({ [READ]: [answer, ok] })
    const client = clientOf(server)
    await client.readJob('7')
    expect(client.clock.sleeps).toEqual([waitMs])
    expect(client.takeCounts()).toEqual({ requests: 3, retries: 1, throttledMs: waitMs })
    expect(client.takeCounts()).toEqual({ requests: 0, retries: 0, throttledMs: 0 })
  })

  test.each([
    ['an hour with a minute left', '3600', 60_000],
    ['thirty years without any limit', '1000000000', Number.POSITIVE_INFINITY],
    ['more than a number holds', '9'.repeat(400), Number.POSITIVE_INFINITY],
  ])('longer than the time left ends at once, saying until when: %s', async (_, value, left) => {
    const server = await serveScript({ [READ]: [told(value)] })
    const client = clientOf(server, { deadline: () => left })
    const error = await errorOf(client.readJob('7'))
    expect(error).toMatchObject({ code: 'FETTLE_THROTTLED', exitCode: 75 })
    expect(error.message).toMatch(/until (\+0)?\d{4,5}-\d\d-\d\dT/)
    expect(client.clock.sleeps).toEqual([])
    expect(server.of(READ)).toHaveLength(1)
  })

  test('an absurd date does not break the message', async () => {
    const server = await serveScript({ [READ]: [told('999999999999')] })
    expect((await errorOf(clientOf(server).readJob('7'))).message).toContain('until +033714-')
  })
})

test('without a header: six pauses, 5 s doubling to 60 s, and no tokens spent', async () => {
  const server = await serveScript({ [READ]: [fault(429)] })
  let taken = 0
  const quota = { take: () => ++taken > 0, refund: () => undefined }
  const client = clientOf(server, { quota })
  expect(await errorOf(client.readJob('7'))).toMatchObject({ code: 'FETTLE_THROTTLED', exitCode: 75, status: 429 })
  expect(client.clock.sleeps).toEqual([5500, 11_000, 22_000, 44_000, 66_000, 66_000])
  expect(server.of(READ)).toHaveLength(7)
  expect(taken).toBe(0)
})

test('a throttled login waits five minutes, or ends when they are not left', async () => {
  const server = await serveScript({ [LOGIN]: [fault(429), { json: { token: 't' } }] })
  const client = clientOf(server)
  await client.authenticate()
  expect(client.clock.sleeps).toEqual([300_000])
  const hasty = clientOf(await serveScript({ [LOGIN]: [fault(429)] }), { deadline: () => 200_000 })
  expect(await errorOf(hasty.authenticate())).toMatchObject({ code: 'FETTLE_THROTTLED' })
  expect(hasty.clock.sleeps).toEqual([])
})

test('a 429 holds back every request of the client until the pause is over', async () => {
  const script: Record<string, Answer[]> = { [READ]: [told('10'), ok] }
  for (let n = 0; n < 6; n++) script[`GET ${JOBS}/other-${n}`] = [ok]
  const server = await serveScript(script)
  const client = clientOf(server)
  const { sleep } = client.clock
  let wake = () => {}
  const pausing = new Promise<void>(begun => {
    client.clock.sleep = (ms, signal) =>
      new Promise(resolve => {
        const before = wake
        wake = () => {
          before()
          resolve(sleep(ms, signal))
        }
        begun()
      })
  })
  const first = client.readJob('7')
  await pausing
  const others = Array.from({ length: 6 }, (_, n) => client.readJob(`other-${n}`))
  for (let turns = 0; turns < 50; turns++) await new Promise(resolve => setImmediate(resolve))
  expect(server.seen).toHaveLength(2)
  wake()
  await Promise.all([first, ...others])
  expect(server.seen).toHaveLength(9)
})

test('a Retry-After on a 200 delays the next look at that job only', async () => {
  const server = await serveScript({
    [READ]: [{ json: job('7'), headers: { 'retry-after': '12' } }, ok],
    [`GET ${JOBS}/8`]: [ok],
  })
  const client = clientOf(server)
  await client.readJob('7')
  await client.readJob('8')
  expect(client.clock.sleeps).toEqual([])
  await client.readJob('7')
  expect(client.clock.sleeps).toEqual([12_000])
  await client.readJob('7')
  expect(client.clock.sleeps).toEqual([12_000])
})

async function waitFor<T>(read: () => T | undefined): Promise<T | undefined> {
  for (let turns = 0; turns < 100 && read() === undefined; turns++) await new Promise(resolve => setImmediate(resolve))
  return read()
}

describe('pace', () => {
  const caller = { signal: undefined, deadline: () => Number.POSITIVE_INFINITY, onPaused: () => undefined }

  test('never more than `requests` in any stretch of `perMs`', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 40 }),
        async (requests, perMs, gaps) => {
          const clock = createVirtualClock()
          const pace = createRateLimiter({ ...clock, sleep: async ms => clock.advance(ms) })
          pace.limit({ requests, perMs })
          const at: number[] = []
          for (const gap of gaps) {
            clock.advance(gap)
            ;(await pace.enter(caller))(true)
            at.push(clock.monotonic())
          }
          for (let n = requests; n < at.length; n++) expect((at[n] ?? 0) - (at[n - requests] ?? 0)).toBeGreaterThanOrEqual(perMs)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('after a pause one at a time, until one is not throttled', async () => {
    const clock = createVirtualClock()
    const pace = createRateLimiter(clock)
    pace.pause(1000)
    const entered: string[] = []
    const enter = async (name: string) => {
      const leave = await pace.enter(caller)
      entered.push(name)
      return leave
    }
    const all = ['a', 'b', 'c'].map(enter)
    const leaveFirst = await Promise.race(all)
    await new Promise(resolve => setImmediate(resolve))
    expect(entered).toHaveLength(1)
    leaveFirst(false)
    const second = all['abc'.indexOf((await waitFor(() => entered[1])) ?? '')]
    await new Promise(resolve => setImmediate(resolve))
    expect(entered).toHaveLength(2)
    ;(await second)?.(true)
    await Promise.all(all)
    expect(entered).toHaveLength(3)
  })

  test('a waiter that is stopped leaves, with its reason', async () => {
    const clock = createVirtualClock()
    const pace = createRateLimiter(clock)
    pace.pause(10)
    await pace.enter(caller)
    const stop = new AbortController()
    const waiting = errorOf(pace.enter({ ...caller, signal: stop.signal }))
    stop.abort(new Error('stopped'))
    expect((await waiting).message).toBe('stopped')
  })
})

test('a stop ends a pause at once, of the login too; what asks nothing of it goes on', async () => {
  for (const [route, more] of [
    [READ, {}],
    [LOGIN, {}],
  ] as const) {
    const server = await serveScript({ [READ]: [ok], ...more, [route]: [fault(503, { 'retry-after': '600' })] })
    const stop = new AbortController()
    const grace = new AbortController()
    const said: string[] = []
    const onRetry = (text: string): void => {
      said.push(text)
      stop.abort(new FettleError('FETTLE_SIGINT'))
    }
    const client = clientOf(server, { stop: stop.signal, onRetry })
    const error = await errorOf(client.readJob('7', { signal: grace.signal }))
    expect(error).toMatchObject({ code: 'FETTLE_SIGINT' })
    expect(said).toEqual([expect.stringMatching(/answered 503.*; sending it again in 600 s$/)])
    expect(server.of(route)).toHaveLength(1)
  }
})
