/** The enriched file: requested too early, cut short, wrong, or in conflict with the disk or the counts. */
import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { maxFileBytes } from '../../../src/run/stages/download.ts'
import { RECEIVED } from '../../support/received.ts'
import { refusal } from './fake-service.ts'
import { OUTCOMES, planOf, resumed, worldOf } from './world.ts'

const times = (count: number, error: FettleError, only = 'openEnrichedFile') => {
  let left = count
  return (call: string): void => {
    if (call === only && left-- > 0) throw error
  }
}

test.each([
  ['404', new FettleError('FETTLE_NOT_FOUND', 'not yet', { status: 404 })],
  ['400', refusal('not yet')],
])('a file asked for too early (%s) is asked for again, ever more slowly', async (_, error) => {
  const world = worldOf()
  world.service.before = times(5, error)
  const waits = () => world.clock.sleeps.slice(-5)
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  expect(waits()).toEqual([2_000, 3_000, 4_500, 6_750, 10_125])
})

test('a file that never comes ends the wait at poll.timeout, resumable', async () => {
  const world = worldOf(planOf({ poll: { everyMs: 2_000, maxMs: 30_000, timeoutMs: 600_000 } }))
  world.service.before = times(1_000, new FettleError('FETTLE_NOT_FOUND', 'not yet', { status: 404 }))
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 76 })
  expect(world.clock.monotonic()).toBeLessThan(700_000)
  const next = resumed(world)
  expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
  expect(next.service.only.enriches).toBe(1)
})

test('a refusal that lasts is taken for "not yet" for a minute only', async () => {
  const world = worldOf()
  const asked: number[] = []
  world.service.before = call => {
    if (call !== 'openEnrichedFile') return
    asked.push(world.clock.monotonic())
    throw refusal('no')
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 76, error: { message: 'refused: no' } })
  expect(asked.at(-1)! - asked[0]!).toBeGreaterThanOrEqual(60_000)
  expect(asked.at(-2)! - asked[0]!).toBeLessThan(60_000)
})

test.each(['FETTLE_NETWORK', 'FETTLE_TIMEOUT', 'FETTLE_UNAVAILABLE'] as const)(
  'what the client gave up on (%s) is not tried all over again',
  async code => {
    const world = worldOf()
    world.service.before = times(1, new FettleError(code, 'given up after 4 attempts'))
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code } })
    expect(world.service.calls.filter(call => call === 'openEnrichedFile')).toHaveLength(1)
  },
)

test.each([
  [2, 0],
  [3, 76],
])('a file with other rows is fetched again, twice: %i times wrong ends with %i', async (wrong, exitCode) => {
  const world = worldOf()
  const receive = world.results.receive.bind(world.results)
  world.results.receive = async (...file) => {
    const received = await receive(...file)
    if (world.results.receives > wrong) return received
    throw new FettleError('FETTLE_LEDGER', 'whole but with other rows')
  }
  expect(await world.run()).toMatchObject({ exitCode })
  expect(world.results.receives).toBe(3)
})

describe('a file larger than it can be', () => {
  const GIB = 1024 ** 3
  const input = (bytes: number) => ({ ...planOf().input, bytes })
  const tags = (count: number) => ({ product: 'basic', tags: Array<string>(count).fill('general.connectId') }) as const

  test.each([
    ['a gigabyte', planOf(), GIB],
    ['twenty times the input', planOf({ input: input(100_000_000) }), 2_000_000_000],
    ['64 bytes a tag and row', planOf({ rows: 1_000_000, enrich: tags(20) }), 1_280_000_000],
    ['no tags at all', planOf({ rows: 1e9, enrich: null }), GIB],
  ])('%s', (_, plan, bytes) => {
    expect(maxFileBytes(plan)).toBe(bytes)
  })

  const served = (bytes: number | null, chunks: number) => {
    const world = worldOf()
    let sent = 0
    const chunk = Buffer.alloc(64 * 1024 * 1024)
    world.service.openEnrichedFile = async () => ({
      bytes,
      body: (async function* () {
        for (let n = 0; n < chunks; n++) {
          sent += chunk.length
          yield chunk
        }
      })(),
    })
    world.results.receive = async (_, download) => {
      let got = 0
      for await (const piece of download.body) got += piece.length
      return { bytes: got, rows: 10, sha256: 'bb', ...RECEIVED }
    }
    return { world, sent: () => sent }
  }

  test('is refused unread when its length is too large, and cut off when it does not end', async () => {
    const announced = served(GIB + 1, 100)
    expect(await announced.world.run()).toMatchObject({ exitCode: 76, error: { code: 'FETTLE_CONTRACT' } })
    expect(announced.sent()).toBe(0)
    const endless = served(null, 1_000_000)
    expect(await endless.world.run()).toMatchObject({ exitCode: 76, error: { code: 'FETTLE_CONTRACT' } })
    expect(endless.sent()).toBe(GIB + 64 * 1024 * 1024)
    const largest = served(GIB, 16)
    expect(await largest.world.run()).toMatchObject({ finished: true, exitCode: 0 })
  })
})

/** A world whose transfers are announced whole and end early for the first so many. */
function cutting(cuts: number) {
  const world = worldOf()
  const open = world.service.openEnrichedFile.bind(world.service)
  world.service.openEnrichedFile = async (id, options) => {
    const download = await open(id, options)
    return cuts-- > 0 ? { bytes: (download.bytes ?? 0) + 1, body: download.body } : download
  }
  return world
}

test('downloads a file again that was cut short twice', async () => {
  const world = cutting(2)
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'success' })
  expect(world.results).toMatchObject({ receives: 3, publishes: 1 })
  expect(state.jobs[0]?.received).toEqual({ bytes: 14, rows: 10, sha256: 'bb', ...RECEIVED })
  expect(world.ticks.filter(tick => tick.type === 'retry')).toHaveLength(2)
})

test('a file cut short three times is left for a resume', async () => {
  const world = cutting(3)
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_DOWNLOAD_CUT' } })
  expect(world.results.publishes).toBe(0)
  expect(await resumed(world).run()).toMatchObject({ finished: true, exitCode: 0 })
})

test('a full disk is 73, resumable, and the job is not touched again', async () => {
  const world = worldOf()
  world.results.publish = async () => {
    throw new FettleError('FETTLE_OUTPUT_WRITE', 'no space left')
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 73 })
  const next = resumed(world)
  const calls = next.service.calls.length
  expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
  expect(next.service.calls.length).toBe(calls)
})

test.each([
  ['a row is missing', { ...OUTCOMES, matched: 5 }, /10 rows sent, and the enriched file accounts for 9/],
  ['a row is too many', { ...OUTCOMES, review: 2 }, /accounts for 11/],
  [
    'service and file disagree',
    { ...OUTCOMES, matched: 5, unmatched: 2 },
    /holds 7 rows with a company, and the service counts 8/,
  ],
])('a file in which %s is an error, never a footnote', async (_, outcomes, message) => {
  const world = worldOf()
  world.results.outcomes = outcomes
  expect(await world.run()).toMatchObject({
    exitCode: 76,
    error: { code: 'FETTLE_LEDGER', message: expect.stringMatching(message) },
  })
  expect(world.journal.of('output.written')).toEqual([])
})

test('a service that gives no counts leaves the file as the only word', async () => {
  const world = worldOf()
  world.service.summary = null
  expect(await world.run()).toMatchObject({ finished: true, status: 'success', outcomes: OUTCOMES })
})
