/** Polling a job: intervals, time limit, final statuses, unknown statuses and failed reads. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ErrorCode, FettleError } from '../../../src/errors.ts'
import { growInterval, nextInterval, withJitter } from '../../../src/run/poll-job.ts'
import { planOf, resumed, type World, worldOf } from './world.ts'

const POLL = { everyMs: 2_000, maxMs: 30_000, timeoutMs: 7_200_000 }

/** A world whose reads fail once matching was asked for, as long as `fails` says so. */
function failing(world: World, fails: (look: number) => FettleError | undefined): () => number {
  let looks = 0
  world.service.before = call => {
    const isWaiting = (world.service.jobs[0]?.submits ?? 0) > 0
    const error = call === 'readJob' && isWaiting ? fails(++looks) : undefined
    if (error !== undefined) throw error
  }
  return () => looks
}

const still = (status: string): World => {
  const world = worldOf()
  world.service.matching = [status]
  return world
}

describe('the schedule', () => {
  test('grows by half up to the maximum', () => {
    const intervals = [2_000]
    for (let n = 0; n < 8; n++) intervals.push(growInterval(intervals.at(-1)!, POLL))
    expect(intervals).toEqual([2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 22_781.25, 30_000, 30_000])
  })

  test('jitter stays within a fifth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e7 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (ms, random) => {
          const wait = withJitter(ms, random)
          return Number.isInteger(wait) && wait >= Math.floor(ms * 0.8) && wait <= Math.ceil(ms * 1.2)
        },
      ),
    )
  })

  test('sets the pauses, and starts again at each change of status', async () => {
    const world = worldOf(planOf({ enrich: null, output: null }))
    world.service.matching = ['matching', 'matching', 'matching', 'matching', 'aggregating', 'aggregating', 'jobMatchingComplete']
    await world.run()
    expect(world.clock.sleeps).toEqual([200, 200, 200, 200, 200])
    const early = worldOf(planOf({ enrich: null, output: null }))
    early.clock.chance = 0
    early.service.matching = ['matching', 'matching', 'matching', 'jobMatchingComplete']
    await early.run()
    expect(early.clock.sleeps).toEqual([160, 160])
  })

  test('counts of some of the rows are progress, and are not recorded', async () => {
    const world = worldOf()
    const total = world.service.summary!
    world.service.matching = ['matching', 'matching', 'matching', 'jobMatchingComplete']
    world.service.early = [{ matched: 2, unmatched: 1, duplicates: 1 }]
    await world.run()
    const seen = world.ticks.flatMap(tick =>
      tick.type === 'waiting' && tick.done !== undefined ? [[tick.done, tick.total]] : [],
    )
    expect(seen).toEqual([[4, 10]])
    const summaries = world.journal.events.flatMap(event => (event.type === 'status.observed' ? [event.summary] : []))
    expect(summaries.filter(summary => summary !== null).every(summary => summary.matched === total.matched)).toBe(true)
  })

  test('is at most a tenth of the time waited until poll.every, and grows by half then', () => {
    const intervals = [200]
    let waited = 0
    while (waited < 600_000) {
      waited += intervals.at(-1)!
      intervals.push(nextInterval(intervals.at(-1)!, waited, POLL))
    }
    const early = intervals.findIndex(interval => interval >= POLL.everyMs)
    let at = 0
    for (const interval of intervals.slice(0, early)) {
      expect(interval).toBeLessThanOrEqual(Math.max(200, at * 0.1 + 1e-6))
      at += interval
    }
    expect(early).toBeLessThanOrEqual(40)
    expect(intervals.slice(early).map(Math.round).slice(0, 8)).toEqual([
      2_955, 4_432, 6_649, 9_973, 14_959, 22_439, 30_000, 30_000,
    ])
  })
})

describe('a service that throttles', () => {
  /** Throttles these looks, counted from 1. */
  const throttling = (...looks: number[]): World => {
    const world = worldOf(planOf({ enrich: null, output: null, poll: { everyMs: 2_000, maxMs: 12_000, timeoutMs: 7_200_000 } }))
    let look = 0
    world.service.before = (call, options) => {
      if (call === 'readJob' && world.service.only.submits > 0 && looks.includes(++look)) options?.onThrottled?.()
    }
    return world
  }

  test('is asked half as often, and a change of status does not shorten that again', async () => {
    const world = throttling(2)
    world.service.matching = ['matching', 'matching', 'matching', 'matching', 'aggregating', 'jobMatchingComplete']
    await world.run()
    // From there on twice poll.every at least.
    expect(world.clock.sleeps).toEqual([200, 4_000, 6_000, 4_000])
  })

  test('is asked no more seldom than poll.max', async () => {
    const world = throttling(2, 3, 4, 5)
    world.service.matching = ['matching', 'matching', 'matching', 'matching', 'matching', 'matching', 'jobMatchingComplete']
    await world.run()
    expect(world.clock.sleeps).toEqual([200, 4_000, 12_000, 12_000, 12_000])
  })
})

test('after a suspension of two hours exactly one look is sent, and the wait goes on', async () => {
  const world = still('matching')
  const before: number[] = []
  let woken = 0
  world.clock.at(60_000, () => {
    woken = world.service.calls.length
    world.clock.suspend(7_200_000)
    world.service.only.ahead = ['jobMatchingComplete']
  })
  world.service.before = call => {
    if (call === 'readJob' && woken > 0 && world.service.only.enriches === 0) before.push(world.clock.monotonic())
  }
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  expect(before).toHaveLength(1)
  for (const { elapsedMs } of world.journal.of('stage.finished')) expect(elapsedMs).toBeGreaterThanOrEqual(0)
})

test('a wall clock that steps back or forth changes no wait and no measure', async () => {
  const steps = [-86_400_000, 86_400_000, 3_600_000]
  const worlds = [0, ...steps].map(step => {
    const world = worldOf()
    world.clock.at(5_000, () => world.clock.suspend(step))
    return world
  })
  for (const world of worlds) await world.run()
  const measured = worlds.map(({ clock, journal }) => [clock.sleeps, journal.of('stage.finished').map(event => event.elapsedMs)])
  for (const one of measured) expect(one).toEqual(measured[0])
})

describe('the time limit', () => {
  test('a status that never changes: 75 at poll.timeout, resumable, nothing submitted again', async () => {
    const world = still('matching')
    const state = await world.run()
    expect(state).toMatchObject({ finished: false, status: 'error', exitCode: 75, error: { code: 'FETTLE_DEADLINE' } })
    expect(state.error?.message).toMatch(/7200 s \(poll\.timeout\).*its status is "matching", not jobMatchingComplete/)
    expect(world.clock.monotonic()).toBe(POLL.timeoutMs)
    const next = resumed(world)
    next.service.only.ahead = ['jobMatchingComplete']
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
    expect(next.service.only.submits).toBe(1)
  })

  test('with enrichment asked, `matched` is not enough; the message names both words', async () => {
    const world = still('matched')
    expect((await world.run()).error?.message).toMatch(/its status is "matched", not jobMatchingComplete/)
    expect(world.service.only.enriches).toBe(0)
  })

  test('without enrichment the message names `matched`, which was waited for', async () => {
    const world = worldOf(planOf({ enrich: null, output: null }))
    world.service.matching = ['matching']
    expect((await world.run()).error?.message).toMatch(/its status is "matching", not matched$/)
  })

  test('without enrichment `matched` is the end of matching', async () => {
    const world = worldOf(planOf({ enrich: null, output: null }))
    world.service.matching = ['matching', 'matched']
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'success', outcomes: { matched: 6, review: null, unmatched: 2 } })
    expect(state.jobs[0]).toMatchObject({ status: 'matched', matchFinished: true })
    expect(state.stages.map(stage => stage.status).slice(5)).toEqual(['skipped', 'skipped'])
  })

  test('an enrichment that does not move ends with 75 and the precondition', async () => {
    const world = worldOf()
    world.service.enriching = ['jobMatchingComplete']
    expect((await world.run()).error?.message).toMatch(/its status is "jobMatchingComplete", not enrichmentComplete/)
    expect(world.service.only.enriches).toBe(1)
  })
})

describe('words', () => {
  test('an unknown status waits and is reported once, over a resume too', async () => {
    const world = worldOf()
    world.service.matching = ['matching', 'polishing', 'polishing', 'matching', 'polishing']
    await world.run()
    const next = resumed(world)
    next.service.only.ahead = ['polishing', 'jobMatchingComplete']
    const state = await next.run()
    expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0 })
    expect(state.issues.filter(one => one.code === 'FETTLE_JOB_STATUS')).toMatchObject([
      { severity: 'warn', message: expect.stringContaining('"polishing"') },
    ])
    expect(state.jobs[0]?.history.map(one => one.status)).toContain('polishing')
  })

  test('the warning is on disk before the look it is about', async () => {
    const world = worldOf()
    world.service.matching = ['polishing', 'jobMatchingComplete']
    await world.run()
    const types = world.journal.events.map(event => event.type)
    expect(types.indexOf('issue.raised')).toBeLessThan(types.indexOf('status.observed'))
  })

  test.each([
    'matchingError',
    'transformFileError',
    'aggregatingError',
    'jobMatchingCompletionError',
    'polishingError',
    'polishingFailed',
  ])('matching that ends in %s is a finished run with 76 and failed rows', async status => {
    const world = worldOf()
    world.service.matching = ['matching', status]
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'error', exitCode: 76, error: { code: 'FETTLE_JOB_FAILED' } })
    expect(state.outcomes).toMatchObject({ failed: 10, matched: 0, unmatched: 0 })
    expect(state.error?.message).toContain(status)
    expect(world.service.only.enriches).toBe(0)
  })

  test.each(['enrichmentError', 'enrichmentCompletionError', 'pdfGenerationError'])(
    'enriching that ends in %s is a finished run with 76, and the matching stands',
    async status => {
      const world = worldOf()
      world.service.enriching = ['enriching', status]
      const state = await world.run()
      expect(state).toMatchObject({ finished: true, exitCode: 76, outcomes: { matched: 6, unmatched: 2, failed: 0 } })
      expect(world.results.receives).toBe(0)
    },
  )

  test('a status that goes back is warned about, never acted on, and the end must be read twice', async () => {
    const world = worldOf()
    world.service.matching = ['matching', 'aggregating', 'ready', 'matching', 'jobMatchingComplete']
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'warn' })
    expect([world.service.only.submits, world.service.only.enriches]).toEqual([1, 1])
    expect(state.issues).toMatchObject([
      { code: 'FETTLE_JOB_BACKWARDS', message: expect.stringMatching(/"aggregating" to "ready"/) },
    ])
    const seen = world.journal.of('status.observed').filter(event => event.stage === 'match')
    expect(seen.map(event => event.status)).toEqual([
      'aggregating',
      'ready',
      'matching',
      'jobMatchingComplete',
      'jobMatchingComplete',
    ])
  })

  test('a job that went back in an earlier process is not steadier in this one', async () => {
    const world = worldOf(planOf({ enrich: null, output: null }))
    world.service.matching = ['aggregating', 'aggregating', 'matching']
    await world.run()
    const next = resumed(world)
    next.service.only.ahead = ['matching', 'matching', 'jobMatchingComplete']
    await next.run()
    const last = next.journal.of('status.observed').slice(-3)
    expect(last.map(event => event.status)).toEqual(['matching', 'jobMatchingComplete', 'jobMatchingComplete'])
  })

  test('two different final readings after a step back prove nothing', async () => {
    const world = worldOf(planOf({ enrich: null, output: null }))
    world.service.matching = ['aggregating', 'aggregating', 'matched', 'jobMatchingComplete', 'jobMatchingComplete']
    await world.run()
    expect(world.journal.of('status.observed').map(event => event.status)).toEqual([
      'aggregating',
      'matched',
      'jobMatchingComplete',
      'jobMatchingComplete',
    ])
  })
})

describe('looks that fail', () => {
  const error = (code: ErrorCode, status?: number) => new FettleError(code, 'look failed', status === undefined ? {} : { status })

  test('nineteen in a row are borne, twenty are not', async () => {
    const borne = worldOf()
    failing(borne, look => (look <= 19 || (look > 20 && look <= 39) ? error('FETTLE_NETWORK') : undefined))
    borne.service.matching = ['matching', 'matching', 'jobMatchingComplete']
    expect(await borne.run()).toMatchObject({ finished: true, status: 'success' })
    const world = worldOf()
    const looks = failing(world, () => error('FETTLE_UNAVAILABLE', 503))
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNAVAILABLE' } })
    expect(looks()).toBe(20)
  })

  test('a 404 is borne for thirty seconds', async () => {
    const early = worldOf()
    failing(early, () => (early.clock.monotonic() < 29_000 ? error('FETTLE_NOT_FOUND', 404) : undefined))
    expect(await early.run()).toMatchObject({ finished: true, status: 'success' })
    const world = worldOf()
    failing(world, () => error('FETTLE_NOT_FOUND', 404))
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 76, error: { code: 'FETTLE_NOT_FOUND' } })
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(30_000)
    expect(world.clock.monotonic()).toBeLessThan(50_000)
  })

  test('answers off the contract: four are borne, the fifth in a row is not', async () => {
    const borne = worldOf()
    failing(borne, look => (look <= 4 ? error('FETTLE_CONTRACT', 200) : undefined))
    expect(await borne.run()).toMatchObject({ finished: true })
    const world = worldOf()
    const looks = failing(world, () => error('FETTLE_CONTRACT', 200))
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 76 })
    expect(looks()).toBe(5)
  })

  test.each<[ErrorCode, number]>([
    ['FETTLE_FORBIDDEN', 77],
    ['FETTLE_LOGIN', 77],
    ['FETTLE_REJECTED', 76],
    ['FETTLE_TLS', 76],
    // An answer without end, which no proxy page is.
    ['FETTLE_CONTRACT', 76],
    ['FETTLE_THROTTLED', 75],
    ['FETTLE_UNANSWERED', 75],
  ])('%s ends the wait at once', async (code, exitCode) => {
    const world = worldOf()
    const looks = failing(world, () => error(code))
    expect(await world.run()).toMatchObject({ finished: false, exitCode, error: { code } })
    expect(looks()).toBe(1)
  })

  test('an error of an unknown class is a bug, not an outage', async () => {
    const world = worldOf()
    world.service.before = call => {
      if (call === 'readJob') throw new TypeError('x is not a function')
    }
    expect(await world.run()).toMatchObject({
      exitCode: 70,
      error: { code: 'FETTLE_BUG', message: 'unexpected: x is not a function' },
    })
  })
})
