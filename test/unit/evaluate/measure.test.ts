/** Figures of rows whose right answers are known. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JudgedRow, measure } from '../../../src/evaluate/measure.ts'

const rowOf = (given: Partial<JudgedRow>): JudgedRow => ({
  ...{ decision: 'matched', score: 0.9, isByScore: true, evidence: 'name', isPresent: true, isRight: true, isShown: true },
  ...given,
})
const repeated = (times: number, given: Partial<JudgedRow>): JudgedRow[] => Array.from({ length: times }, () => rowOf(given))

test('counts right and wrong matches, rows that were not found, and the review', () => {
  const rows = [
    ...repeated(6, {}),
    ...repeated(2, { isRight: false, isShown: false, isPresent: false, evidence: 'name+town' }),
    ...repeated(3, { decision: 'review', score: 0.6 }),
    rowOf({ decision: 'review', score: 0.4, isRight: false, isShown: false }),
    ...repeated(2, { decision: 'unmatched', score: 0.1, isRight: false, isShown: false }),
    ...repeated(4, { decision: 'unmatched', score: 0, isRight: false, isShown: false, isPresent: false, evidence: '' }),
  ]
  const { precision, recall, review, recallWithReview, inRegister, misses, evidence } = measure(rows, 0.98)
  expect([precision.found, precision.of, recall.found, recall.of, review.found, review.of]).toEqual([6, 8, 6, 12, 4, 18])
  expect([inRegister, recallWithReview.found, misses]).toEqual([12, 9, { wrong: 2, missed: 2, review: 4 }])
  expect(evidence.map(kind => [kind.evidence, kind.rows, kind.precision.found, kind.precision.of])).toEqual([
    ['name', 12, 6, 6],
    ['', 4, 0, 0],
    ['name+town', 2, 0, 2],
  ])
  // Wilson's interval of 6 of 8.
  expect([precision.low!.toFixed(3), precision.high!.toFixed(3)]).toEqual(['0.409', '0.929'])
  expect(measure([], 0.98)).toMatchObject({ rows: 0, precision: { share: null, low: null }, threshold: { at: null } })
})

test('the threshold is the lowest score of the wished precision; what a rule decided stays', () => {
  const rows = [
    ...repeated(50, { score: 0.95 }),
    rowOf({ score: 0.9, isRight: false }),
    ...repeated(30, { score: 0.8, decision: 'review' }),
    ...repeated(20, { score: 0.5, decision: 'unmatched' }),
    ...repeated(10, { score: 0.3, isRight: false, decision: 'unmatched' }),
    ...repeated(5, { score: 0.99, decision: 'review', isByScore: false }),
  ]
  const at = (precision: number) => measure(rows, precision).threshold.at
  expect(at(0.98)).toMatchObject({ score: 0.5, precision: { found: 100, of: 101 }, review: { found: 5 } })
  expect(at(0.995)).toMatchObject({ score: 0.95, precision: { found: 50, of: 50 }, review: { found: 36 } })
  expect(at(0.9)).toMatchObject({ score: 0.3, precision: { found: 100, of: 111 } })
  expect(measure(repeated(3, { isRight: false }), 0.98).threshold.at).toBe(null)
})

test('a threshold has its precision, and a lower precision never finds fewer', () => {
  const row = fc.record({
    decision: fc.constantFrom('matched', 'review', 'unmatched'),
    score: fc.integer({ min: 0, max: 20 }).map(score => score / 20),
    isByScore: fc.boolean(),
    isRight: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.double({ min: 0.5, max: 0.99, noNaN: true }), (drawn, precision) => {
      const rows = drawn.map(given => rowOf({ ...given, isShown: given.isRight } as Partial<JudgedRow>))
      const { at } = measure(rows, precision).threshold
      if (at === null) return
      if (at.precision.share !== null) expect(at.precision.share).toBeGreaterThanOrEqual(precision - 1e-9)
      const lower = measure(rows, precision / 2).threshold.at!
      expect(lower.recall.found).toBeGreaterThanOrEqual(at.recall.found)
    }),
  )
})
