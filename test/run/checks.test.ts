/** The `checks:` of a pipeline: what each measures, when it fails, and what the run makes of it. */
import { describe, expect, test } from 'vitest'
import type { Outcomes } from '../../src/journal/events.ts'
import { matchRate, UNKNOWN } from '../../src/journal/outcomes.ts'
import type { CheckName, Threshold } from '../../src/pipeline/types.ts'
import { judge } from '../../src/run/checks.ts'
import { planOf, worldOf } from './world.ts'

/** A threshold as the pipeline writes it. */
function threshold(text: string): Threshold {
  const [, operator, digits, percent] = /^([<>]=?) (\d+)(%?)$/.exec(text)!
  const value = Number(digits)
  return {
    text,
    operator: operator as '<',
    value: percent === '%' ? value / 100 : value,
    unit: percent === '%' ? 'share' : 'rows',
  }
}

const OF_500: Outcomes = { matched: 380, manualMatched: 10, review: 20, unmatched: 60, duplicates: 22, failed: 8, skipped: 0 }

const one = (name: CheckName, text: string, outcomes: Outcomes = OF_500, rows = 500, previous: number | null = null) =>
  judge([{ name, warn: null, fail: threshold(text) }], outcomes, rows, previous)[0]!

describe('a threshold names the bad case', () => {
  test.each<[CheckName, string, boolean, string]>([
    ['matched', '< 80%', true, '412 of 500 (82.4%)'],
    ['matched', '< 83%', false, '412 of 500 (82.4%)'],
    ['matched', '< 412', true, '412 of 500 (82.4%)'],
    ['matched', '<= 412', false, '412 of 500 (82.4%)'],
    ['unmatched', '> 59', false, '60 of 500 (12.0%)'],
    ['unmatched', '> 60', true, '60 of 500 (12.0%)'],
    ['unmatched', '>= 60', false, '60 of 500 (12.0%)'],
    ['unmatched', '> 12%', true, '60 of 500 (12.0%)'],
    ['unmatched', '>= 12%', false, '60 of 500 (12.0%)'],
    ['review', '> 3%', false, '20 of 500 (4.0%)'],
    ['duplicates', '> 1%', false, '22 of 500 (4.4%)'],
    ['failed', '> 0', false, '8 of 500 (1.6%)'],
  ])('%s: "%s"', (name, text, success, actual) => {
    expect(one(name, text)).toEqual({ assertion: name, success, severity: 'fail', expected: `not ${text}`, actual })
  })
})

describe('drift', () => {
  test.each([
    [0.824, '> 15%', true, '0.0%'],
    [0.6, '> 15%', false, '22.4%'],
    [1, '> 15%', false, '17.6%'],
  ])('against %f', (previous, text, success, actual) => {
    expect(one('drift', text, OF_500, 500, previous)).toMatchObject({ success, actual })
  })

  test('without an earlier run there is nothing to fail', () => {
    expect(one('drift', '> 15%')).toMatchObject({ success: true, actual: 'unknown: no earlier good run, or no counts' })
  })

  test('with one, counts that are unknown now fail it', () => {
    expect(one('drift', '> 15%', UNKNOWN, 500, 0.8).success).toBe(false)
  })
})

test('what cannot be measured fails its check', () => {
  for (const name of ['matched', 'unmatched', 'review', 'duplicates', 'failed'] as const)
    expect(one(name, '> 100%', UNKNOWN)).toMatchObject({ success: false, actual: 'unknown: the service gave no such count' })
})

test('warn comes before fail, and each stands alone', () => {
  const check = { name: 'matched', warn: threshold('< 90%'), fail: threshold('< 80%') } as const
  expect(judge([check], OF_500, 500, null).map(({ severity, success }) => [severity, success])).toEqual([
    ['warn', false],
    ['fail', true],
  ])
  expect(judge([], OF_500, 500, null)).toEqual([])
})

test('the match rate counts by hand and duplicates, and is unknown without a count or a row', () => {
  expect(matchRate(OF_500, 500)).toBeCloseTo(0.824)
  expect(matchRate({ ...OF_500, review: null }, 500)).toBeCloseTo(0.824)
  expect(matchRate({ ...OF_500, duplicates: null }, 500)).toBeNull()
  expect(matchRate(OF_500, 0)).toBeNull()
})

describe('a run', () => {
  const run = (warn: string | null, fail: string | null) =>
    worldOf(
      planOf({
        checks: [{ name: 'matched', warn: warn === null ? null : threshold(warn), fail: fail === null ? null : threshold(fail) }],
      }),
    ).run()

  test.each([
    ['< 70%', '< 60%', 'success', 0],
    ['< 90%', '< 60%', 'warn', 0],
    ['< 95%', '< 90%', 'fail', 1],
    [null, '< 90%', 'fail', 1],
  ])('with warn %s and fail %s of a rate of 80%% is %s', async (warn, fail, status, exitCode) => {
    expect(await run(warn, fail)).toMatchObject({ finished: true, status, exitCode, error: null })
  })

  test('drift is measured against the last good run', async () => {
    const world = worldOf(planOf({ checks: [{ name: 'drift', warn: null, fail: threshold('> 15%') }] }))
    world.previousRate = 0.5
    expect(await world.run()).toMatchObject({ status: 'fail', exitCode: 1 })
  })
})
