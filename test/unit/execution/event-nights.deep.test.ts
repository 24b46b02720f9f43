/** Nights in virtual time, with six random changes of the register in each: a third of a year, or as many as FETTLE_NIGHTS names. */
import { expect, test } from 'vitest'
import { nightsOf } from './event-nights.ts'

const NIGHTS = Number(process.env.FETTLE_NIGHTS ?? 120)
/** 2,000 in a year. */
const CHANGES = Math.round((NIGHTS * 2000) / 365)

test('every change of these nights is in the file of one night, and of no other', async () => {
  const { expected, written, reported } = await nightsOf(NIGHTS, CHANGES, 17)
  console.info(`${NIGHTS} nights, ${CHANGES} changes, ${expected.length} events, at most ${Math.max(...reported)} in a night`)
  // Two changes of the same field of a company in one night are one.
  expect(expected.length).toBeGreaterThan(CHANGES * 0.95)
  expect(written.toSorted()).toEqual(expected.toSorted())
  expect(reported.reduce((sum, one) => sum + one, 0)).toBe(expected.length)
})
