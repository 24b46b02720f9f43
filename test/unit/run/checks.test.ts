/** The `checks:` of a pipeline: what each measures, when it fails, and how the run ends. */

import { describe, expect, test } from 'vitest'
import { matchRate, UNKNOWN } from '../../../src/journal/outcomes.ts'
import type { Outcomes } from '../../../src/model/results.ts'
import type { CheckName, Threshold } from '../../../src/pipeline/model/types.ts'
import { parseThreshold } from '../../../src/pipeline/source/durations.ts'
import { evaluateChecks, fewMatchedIssue } from '../../../src/run/checks.ts'
import { planOf, worldOf } from './world.ts'

const threshold = (text: string): Threshold => parseThreshold(text)!

const OF_500: Outcomes = { matched: 380, manualMatched: 10, review: 20, unmatched: 60, duplicates: 22, failed: 8, skipped: 0 }

/** After a run of this match rate. */
const since = (rate: number | null) => ({
  before:
    rate === null
      ? null
      : { plan: { ...planOf(), rows: 1_000 }, outcomes: { ...OF_500, matched: rate * 1_000, manualMatched: 0, duplicates: 0 } },
  changes: null,
  audit: null,
  decide: null,
})

const one = (name: CheckName, text: string, outcomes: Outcomes = OF_500, rows = 500, previous: number | null = null) =>
  evaluateChecks({ ...planOf({ checks: [{ name, warn: null, fail: threshold(text) }] }), rows }, outcomes, since(previous))[0]!

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

describe('compares a share with all its digits', () => {
  test('exactly the limit is on neither side of it', () => {
    for (let tenths = 1; tenths < 1_000; tenths++) {
      const counts: Outcomes = { ...OF_500, matched: tenths, manualMatched: 0, duplicates: 0, unmatched: tenths }
      const text = `${tenths / 10}%`
      expect(one('matched', `< ${text}`, counts, 1_000).success, text).toBe(true)
      expect(one('unmatched', `> ${text}`, counts, 1_000).success, text).toBe(true)
      expect(one('unmatched', `>= ${text}`, counts, 1_000).success, text).toBe(false)
    }
  })

  test.each([
    [8_996, '< 90%', false, '8996 of 10000 (89.96%)'],
    [89_999, '< 90%', false, '89999 of 100000 (89.999%)'],
    [90_000, '< 90%', true, '90000 of 100000 (90.0%)'],
    [90_001, '< 90%', true, '90001 of 100000 (90.001%)'],
    [50_000, '< 90%', false, '50000 of 100000 (50.0%)'],
    [89_999, '< 1', true, '89999 of 100000 (90.0%)'],
  ])('%i rows, "%s": what is shown lies on the right side of it', (matched, text, success, actual) => {
    const rows = Number(/of (\d+)/.exec(actual)?.[1])
    const counts: Outcomes = { ...OF_500, matched, manualMatched: 0, duplicates: 0 }
    expect(one('matched', text, counts, rows)).toMatchObject({ success, actual })
  })
})

describe('drift', () => {
  test.each([
    [0.824, '> 15%', true, '0.0% (82.4% after 82.4%)'],
    [0.6, '> 15%', false, '22.4% (82.4% after 60.0%)'],
    [0.674, '> 15%', true, '15.0% (82.4% after 67.4%)'],
    [0.674, '>= 15%', false, '15.0% (82.4% after 67.4%)'],
    [1, '> 15%', false, '17.6% (82.4% after 100.0%)'],
  ])('against %f', (previous, text, success, actual) => {
    expect(one('drift', text, OF_500, 500, previous)).toMatchObject({ success, actual })
  })

  test('without an earlier run it is neither met nor failed', () => {
    const actual = 'not measured yet: no earlier run to compare with'
    expect(one('drift', '> 15%')).toMatchObject({ success: null, actual })
  })

  test.each([0.8, null])('counts that are unknown now fail it, after a rate of %s', previous => {
    const actual = 'unknown: the service gave no such count'
    expect(one('drift', '> 15%', UNKNOWN, 500, previous)).toMatchObject({ success: false, actual })
  })
})

test('what compares rows with an earlier run is neither met nor failed without one', () => {
  for (const name of ['changed', 'lost', 'moved'] as const)
    expect(one(name, '> 0')).toMatchObject({ success: null, actual: 'not measured yet: no earlier run to compare with' })
})

test('what cannot be measured fails its check', () => {
  for (const name of ['matched', 'unmatched', 'review', 'duplicates', 'failed', 'drift', 'doubtful'] as const)
    expect(one(name, '> 100%', UNKNOWN)).toMatchObject({ success: false, actual: 'unknown: the service gave no such count' })
})

test('where no match can be compared, it is unknown how many are doubtful', () => {
  const measured = (audit: { agreed: number; doubtful: number; notComparable: number }) => {
    const check = { name: 'doubtful', warn: null, fail: threshold('> 1%') } as const
    return evaluateChecks(planOf({ rows: 500, checks: [check] }), OF_500, { ...since(null), audit })[0]
  }
  expect(measured({ agreed: 0, doubtful: 0, notComparable: 9 })).toMatchObject({
    success: false,
    actual: 'unknown: no match can be compared',
  })
  expect(measured({ agreed: 0, doubtful: 0, notComparable: 0 })).toMatchObject({ success: true })
  expect(measured({ agreed: 390, doubtful: 5, notComparable: 4 })).toMatchObject({
    success: true,
    actual: '5 of 500 (1.0%): 4 not comparable',
  })
})

test('warn comes before fail, and each stands alone', () => {
  const check = { name: 'matched', warn: threshold('< 90%'), fail: threshold('< 80%') } as const
  expect(
    evaluateChecks(planOf({ rows: 500, checks: [check] }), OF_500, since(null)).map(({ severity, success }) => [
      severity,
      success,
    ]),
  ).toEqual([
    ['warn', false],
    ['fail', true],
  ])
  expect(evaluateChecks(planOf({ checks: [] }), OF_500, since(null))).toEqual([])
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
    world.before = since(0.5).before
    expect(await world.run()).toMatchObject({ status: 'fail', exitCode: 1 })
  })
})

test.each([
  [0, 1, true],
  [0, 0, false],
  [1, 19, false],
  [1, 20, false],
  [1, 21, true],
  [49, 1000, true],
  [50, 1000, false],
])('%d of %d rows matched: a warning is %s', (matched, rows, isWarned) => {
  const outcomes = { ...OF_500, matched, manualMatched: 0, duplicates: 0 }
  const plan = { rows, issues: [], register: [{ name: 'uk', snapshotDate: null, sha256: null }] }
  const found = fewMatchedIssue({ plan } as unknown as Parameters<typeof fewMatchedIssue>[0], outcomes)
  expect(found?.severity ?? null).toBe(isWarned ? 'warn' : null)
})

test('screened counts companies, each cause that is missing has its word, and nothing is green without searches', () => {
  const all = {
    listed: 10,
    allDirectors: 0,
    directors: null,
    nameless: 0,
    searches: 8,
    reused: 2,
    refused: 0,
    noName: 0,
    noLetter: 0,
    tooOld: 0,
    done: 10,
    hits: 0,
    judged: null,
  }
  const evaluate = (given: Partial<typeof all> | null | undefined) =>
    evaluateChecks(planOf({ checks: [{ name: 'screened', warn: null, fail: threshold('< 100%') }] }), OF_500, {
      ...since(null),
      ...(given !== undefined && { screened: given && { ...all, ...given } }),
    })[0]!
  expect(evaluate({})).toMatchObject({ success: true, actual: '10 of 10 (100.0%)' })
  expect(evaluate({ listed: 0, searches: 0, reused: 0, done: 0 })).toMatchObject({ success: true })
  expect(evaluate({ tooOld: 1 })).toMatchObject({ success: false, actual: '9 of 10 (90.0%): 1 searched too long ago' })
  expect(evaluate({ searches: 5, done: 7 })).toMatchObject({ success: false, actual: '7 of 10 (70.0%): 3 not reached' })
  expect(evaluate({ nameless: 1 })).toMatchObject({ success: false, actual: '10 of 11 (90.9%): 1 without an id' })
  expect(evaluate(null)).toMatchObject({ success: false })
  // The outputs are written before the companies are searched for.
  expect(evaluate(undefined)).toMatchObject({ success: null, actual: expect.stringContaining('not measured yet') })
})

test('hits that no person cleared are counted, and none is not believed while a company is not screened', () => {
  const all = {
    ...{ listed: 10, nameless: 0, searches: 10, reused: 0, refused: 0, noName: 0, noLetter: 0, tooOld: 0, done: 10 },
    ...{ allDirectors: 0, directors: null },
  }
  const evaluate = (given: object | undefined) =>
    evaluateChecks(planOf({ checks: [{ name: 'hits', warn: null, fail: threshold('> 0') }] }), OF_500, {
      ...since(null),
      ...(given !== undefined && { screened: { ...all, hits: 0, judged: null, ...given } }),
    })[0]!
  expect(evaluate({})).toMatchObject({ success: true, actual: '0 hits' })
  expect(evaluate({ hits: 2 })).toMatchObject({ success: false, actual: '2 hits' })
  const judged = { open: 0, back: 0, cleared: 2, confirmed: 0, listed: [] }
  expect(evaluate({ hits: 2, judged })).toMatchObject({ success: true, actual: '0 hits' })
  expect(evaluate({ hits: 2, judged: { ...judged, back: 1 } })).toMatchObject({ success: false, actual: '1 hit' })
  expect(evaluate({ hits: 2, judged: { ...judged, confirmed: 1 } })).toMatchObject({ success: false })
  expect(evaluate({ done: 7, searches: 7 })).toMatchObject({ success: false, actual: 'unknown: 3 not reached' })
  expect(evaluate(undefined)).toMatchObject({ success: null, actual: expect.stringContaining('not measured yet') })
})

test('declined and referred count the decisions of the table, and are not measured before it has decided', () => {
  const evaluate = (name: CheckName, text: string, decide: { decline: number; refer: number } | null) =>
    evaluateChecks({ ...planOf({ checks: [{ name, warn: null, fail: threshold(text) }] }), rows: 500 }, OF_500, {
      ...since(null),
      decide,
    })[0]!
  expect(evaluate('declined', '> 10%', { decline: 60, refer: 0 })).toMatchObject({ success: false, actual: '60 of 500 (12.0%)' })
  expect(evaluate('referred', '> 4', { decline: 60, refer: 4 })).toMatchObject({ success: true })
  expect(evaluate('referred', '> 4', null)).toMatchObject({ success: null, actual: 'not measured: no row was decided about' })
})
