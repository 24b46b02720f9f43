/** The row ledger: sums, and what cannot be told. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchRate, UNKNOWN } from '../../../src/journal/index.ts'
import { checkLedger } from '../../../src/report/index.ts'
import { countTotals, readShare } from '../../../src/report/totals.ts'
import { OUTCOMES } from '../../../src/report/verdict.ts'

const small = fc.nat({ max: 100_000 })
const known = fc.record({
  matched: small,
  manualMatched: small,
  review: small,
  unmatched: small,
  duplicates: small,
  failed: small,
  skipped: small,
})
const sumOf = (outcomes: Record<string, number>): number => Object.values(outcomes).reduce((total, rows) => total + rows, 0)

describe('checkLedger', () => {
  it('adds exactly when every row has one outcome', () => {
    fc.assert(
      fc.property(known, fc.integer({ min: -3, max: 3 }), (outcomes, off) => {
        const rows = Math.max(0, sumOf(outcomes) + off)
        const ledger = checkLedger(outcomes, rows)
        expect(ledger.adds).toBe(rows === sumOf(outcomes))
        expect(ledger.difference).toBe(rows - sumOf(outcomes))
        expect(ledger.unknown).toEqual([])
      }),
    )
  })

  it('with an unknown count the sum is never confirmed, and refuted only if the known counts exceed the rows', () => {
    fc.assert(
      fc.property(known, fc.constantFrom(...OUTCOMES), small, (outcomes, missing, rows) => {
        const ledger = checkLedger({ ...outcomes, [missing]: null }, rows)
        const sum = sumOf({ ...outcomes, [missing]: 0 })
        expect(ledger).toEqual({ adds: sum > rows ? false : null, sum, difference: null, unknown: [missing] })
      }),
    )
  })
})

describe('matchRateOf', () => {
  const outcomes = { matched: 60, manualMatched: 5, review: 10, unmatched: 15, duplicates: 7, failed: 2, skipped: 1 }

  it('counts a duplicate as found', () => expect(matchRate(outcomes, 101)).toBe(0.72))
  it('does not count skipped rows', () => expect(matchRate({ ...outcomes, skipped: 20 }, 120)).toBe(0.72))
  it('is unknown without rows or with a count it needs unknown, not 0', () => {
    expect(matchRate(outcomes, 0)).toBeNull()
    expect(matchRate({ ...outcomes, skipped: 9 }, 9)).toBeNull()
    for (const name of ['matched', 'manualMatched', 'duplicates'])
      expect(matchRate({ ...outcomes, [name]: null }, 100)).toBeNull()
    expect(matchRate({ ...outcomes, review: null }, 101)).toBe(0.72)
    expect(matchRate(UNKNOWN, 100)).toBeNull()
  })
})

describe('shareOf', () => {
  it('the shares of the rows that were asked about add up to 1, and those with a company to the match rate', () => {
    fc.assert(
      fc.property(known, outcomes => {
        const totals = countTotals(outcomes, sumOf(outcomes))
        const shares = new Map(OUTCOMES.map(name => [name, readShare(name, totals)] as const))
        const sum = (names: readonly (typeof OUTCOMES)[number][]): number =>
          names.reduce((total, name) => total + (shares.get(name) ?? 0), 0)
        expect(shares.get('skipped')).toBeNull()
        fc.pre(totals.matchRate !== null)
        expect(sum(OUTCOMES)).toBeCloseTo(1, 9)
        expect(sum(['matched', 'manualMatched', 'duplicates'])).toBeCloseTo(totals.matchRate!, 9)
      }),
    )
  })

  it('is unknown of an unknown count, and of a list of empty rows', () => {
    expect(readShare('matched', countTotals(UNKNOWN, 5))).toBeNull()
    const empty = { matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicates: 0, failed: 0, skipped: 3 }
    expect(OUTCOMES.map(name => readShare(name, countTotals(empty, 3)))).toEqual(OUTCOMES.map(() => null))
  })
})
