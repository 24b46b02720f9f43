/** The row ledger: returns sums that add up, and throws for all others. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JobSummary } from '../../../src/contract/index.ts'
import { FettleError } from '../../../src/errors.ts'
import { knownSum, UNKNOWN } from '../../../src/journal/outcomes.ts'
import type { RunState } from '../../../src/journal/state.ts'
import { allFailed, checkAgainstSummary, outcomesOfSummaries } from '../../../src/run/row-ledger.ts'
import { planOf, worldOf } from './world.ts'

function stateOf(rows: number, ...summaries: (JobSummary | null)[]): RunState {
  const state = worldOf(planOf({ rows, sent: rows })).journal.state!
  return { ...state, jobs: summaries.map((summary, part) => ({ ...state.jobs[0]!, part, summary })) }
}

const base = stateOf(0)
/** As stateOf, without building a world each time. */
const fast = (rows: number, ...summaries: JobSummary[]): RunState => ({
  ...base,
  plan: { ...base.plan, rows, sent: rows },
  jobs: summaries.map((summary, part) => ({ ...worldJob, part, summary })),
})
const worldJob = worldOf().journal.state!.jobs[0]!

const isLedgerError = (action: () => unknown): boolean => {
  try {
    action()
    return false
  } catch (error) {
    return FettleError.is(error) && error.code === 'FETTLE_LEDGER' && error.exitCode === 76
  }
}

const count = fc.nat({ max: 1e6 })
const counts = fc.record({ matched: count, manualMatched: count, unmatched: count, duplicates: count })
const total = (one: { matched: number; manualMatched: number; unmatched: number; duplicates: number }): number =>
  one.matched + one.manualMatched + one.unmatched + one.duplicates

describe('outcomes of the summaries', () => {
  test('sums disjoint counts over any number of jobs', () => {
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 4 }), parts => {
        const rows = parts.reduce((sum, one) => sum + total(one), 0)
        const outcomes = outcomesOfSummaries(fast(rows, ...parts.map(one => ({ totalRows: total(one), ...one }))))
        expect(knownSum(outcomes)).toBe(rows)
        expect(outcomes.matched).toBe(parts.reduce((sum, one) => sum + one.matched, 0))
        expect(outcomes.review).toBeNull()
      }),
    )
  })

  test('a count that is null is unknown, never 0', () => {
    const known = { totalRows: 5, matched: 3, manualMatched: 0, unmatched: 2, duplicates: 0 }
    for (const name of ['matched', 'manualMatched', 'unmatched', 'duplicates'] as const)
      expect(outcomesOfSummaries(fast(5, { ...known, [name]: null })), name).toEqual(UNKNOWN)
    expect(outcomesOfSummaries(fast(5, { ...known, totalRows: null })).matched).toBe(3)
  })

  test('duplicates counted inside matched are taken out of it', () => {
    fc.assert(
      fc.property(counts, fc.nat(), (one, share) => {
        const duplicates = share % (one.matched + 1)
        const rows = one.matched + one.manualMatched + one.unmatched
        const outcomes = outcomesOfSummaries(fast(rows, { totalRows: rows, ...one, duplicates }))
        expect(outcomes).toMatchObject({ matched: one.matched - duplicates, duplicates, unmatched: one.unmatched })
        expect(knownSum(outcomes)).toBe(rows)
      }),
    )
  })

  test('any other sum is FETTLE_LEDGER', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: -1e6, max: 4e6 }), (one, shift) => {
        const rows = total(one) + shift
        const isNested = rows === total(one) - one.duplicates && one.duplicates <= one.matched
        fc.pre(rows >= 0 && shift !== 0 && !isNested)
        expect(isLedgerError(() => outcomesOfSummaries(fast(rows, one)))).toBe(true)
      }),
    )
  })

  test('more duplicates than matched rows they could be a part of are FETTLE_LEDGER', () => {
    const summary = { matched: 2, manualMatched: 0, unmatched: 8, duplicates: 3 }
    expect(isLedgerError(() => outcomesOfSummaries(stateOf(10, summary)))).toBe(true)
  })

  test('another total than the rows sent is FETTLE_LEDGER, even if the counts add up', () => {
    const summary = { totalRows: 9, matched: 6, manualMatched: 1, unmatched: 2, duplicates: 1 }
    expect(isLedgerError(() => outcomesOfSummaries(stateOf(10, summary)))).toBe(true)
  })

  test('a missing count of one job makes all unknown, never 0', () => {
    const whole = { matched: 5, unmatched: 5 }
    expect(outcomesOfSummaries(stateOf(10, whole))).toMatchObject({ matched: 5, manualMatched: 0, unmatched: 5, duplicates: 0 })
    for (const lacking of [null, {}, { matched: 5 }, { unmatched: 5 }, { totalRows: 10 }])
      expect(outcomesOfSummaries(stateOf(20, whole, lacking))).toEqual(UNKNOWN)
  })
})

describe('file against summary', () => {
  test('agrees whenever both count the same rows, with duplicates on either side', () => {
    fc.assert(
      fc.property(counts, fc.nat(), fc.boolean(), (one, share, isNested) => {
        const review = share % (one.unmatched + 1)
        const outcomes = { ...one, review, unmatched: one.unmatched - review, failed: 0, skipped: 0 }
        const summary = isNested ? { ...one, matched: one.matched + one.duplicates } : one
        const rows = total(one)
        expect(() => checkAgainstSummary(outcomes, fast(rows, { totalRows: rows, ...summary }))).not.toThrow()
      }),
    )
  })

  test('one row more or less with a company is FETTLE_LEDGER', () => {
    fc.assert(
      fc.property(counts, one => {
        fc.pre(one.unmatched > 0)
        const outcomes = { ...one, matched: one.matched + 1, unmatched: one.unmatched - 1, review: 0, failed: 0, skipped: 0 }
        expect(isLedgerError(() => checkAgainstSummary(outcomes, fast(total(one), one)))).toBe(true)
      }),
    )
  })
})

test('all rows at one end', () => {
  const list = { rows: 7, limit: null, input: {} }
  expect(allFailed(list)).toMatchObject({ matched: 0, failed: 7, skipped: 0 })
  expect(allFailed({ ...list, skipped: 2 })).toMatchObject({ failed: 5, skipped: 2 })
  expect(knownSum(allFailed({ ...list, skipped: 2 }))).toBe(7)
  expect(allFailed({ ...list, skipped: 2, input: { rejected: { rows: 3 } } })).toMatchObject({ failed: 8, skipped: 2 })
  expect(knownSum(UNKNOWN)).toBe(0)
})
