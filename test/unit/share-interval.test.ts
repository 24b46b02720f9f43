/** The interval of a share that was estimated from a sample. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareInterval } from '../../src/share-interval.ts'

test('the interval contains the share, and never more or less than the rows that were looked at allow', () => {
  const lists = fc
    .integer({ min: 1, max: 100_000 })
    .chain(list => fc.tuple(fc.constant(list), fc.integer({ min: 1, max: list })))
    .chain(([list, sample]) => fc.tuple(fc.constant(list), fc.constant(sample), fc.integer({ min: 0, max: sample })))
  fc.assert(
    fc.property(lists, ([list, sample, found]) => {
      const { share, low, high } = shareInterval(found, sample, list)
      expect(share).toBe(found / sample)
      expect(low).toBeLessThanOrEqual(share)
      expect(high).toBeGreaterThanOrEqual(share)
      expect(low * list).toBeGreaterThanOrEqual(found - 1e-6)
      expect((1 - high) * list).toBeGreaterThanOrEqual(sample - found - 1e-6)
      if (sample === list) expect([low, high]).toEqual([share, share])
    }),
  )
  expect(shareInterval(0, 0, 10)).toEqual({ share: 0, low: 0, high: 1 })
})

test('agrees with published values of Wilson for large lists', () => {
  // 20 of 100: 0.1334 to 0.2888 (Brown, Cai and DasGupta 2001 give the formula).
  const { low, high } = shareInterval(20, 100, 1_000_000_000)
  expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.1334', '0.2888'])
})

/** Numbers from 0 to 1 that a seed fixes (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

test.each([0.02, 0.3, 0.8, 0.97])('of 1000 samples of a list with a share of %d, about 95 in 100 intervals contain it', rate => {
  const random = randomOf(Math.round(rate * 1e6))
  const [list, sample] = [2000, 300]
  const matching = Math.round(list * rate)
  let hits = 0
  for (let round = 0; round < 1000; round++) {
    let found = 0
    for (let at = 0; at < sample; at++) if (random() < (matching - found) / (list - at)) found++
    const { low, high } = shareInterval(found, sample, list)
    if (low <= rate && rate <= high) hits++
  }
  expect(hits).toBeGreaterThan(925)
  expect(hits).toBeLessThan(990)
})
