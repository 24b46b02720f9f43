/** Nine nights; event-nights.deep.test.ts walks a year. */
import { expect, test } from 'vitest'
import { nightsOf } from './event-nights.ts'

test('every change of nine nights is in the file of one night, and of no other', async () => {
  const { expected, written, reported } = await nightsOf(9, 60, 5)
  expect(expected.length).toBeGreaterThan(50)
  expect(written.toSorted()).toEqual(expected.toSorted())
  expect(reported.reduce((sum, one) => sum + one, 0)).toBe(expected.length)
})
