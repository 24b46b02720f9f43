/** A year of nights on which lists and companies change; monitor.test.ts takes a week. */
import { expect, test } from 'vitest'
import { walkNights } from './monitored-nights.ts'

test('a year of nights: every hit is in the file of one night', { timeout: 7_200_000 }, async () => {
  const { hits } = await walkNights(365, 1_100, 23)
  console.info(`365 nights, ${hits} hits`)
  expect(hits).toBeGreaterThan(150)
})
