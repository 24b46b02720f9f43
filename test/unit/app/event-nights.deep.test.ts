/** A year of nights in virtual time, with 2,000 random changes of the register. */
import { expect, test } from 'vitest'
import { nightsOf } from './event-nights.ts'

test('every change of a year is in the file of one night, and of no other', { timeout: 3_600_000 }, async () => {
  const { expected, written, reported } = await nightsOf(365, 2000, 17)
  console.info(`365 nights, 2000 changes, ${expected.length} events, at most ${Math.max(...reported)} in a night`)
  // Two changes of the same field of a company in one night are one.
  expect(expected.length).toBeGreaterThan(1900)
  expect(written.toSorted()).toEqual(expected.toSorted())
  expect(reported.reduce((sum, one) => sum + one, 0)).toBe(expected.length)
})
