/** A year of virtual time, or as many nights as FETTLE_NIGHTS names, with three random changes of the list or of the monitored companies in each. */
import { expect, test } from 'vitest'
import { walkNights } from './monitored-nights.ts'

const NIGHTS = Number(process.env.FETTLE_NIGHTS ?? 365)

test('every hit of a year is in the file of one night, and the last nights cost what the first ones did', async () => {
  const { hits, seconds } = await walkNights(NIGHTS, NIGHTS * 3, 23, 10)
  const total = seconds.reduce((sum, night) => sum + night, 0)
  // The cheapest nights: the others have what else the machine does.
  const [first, last] = [seconds.slice(10, 70), seconds.slice(-60)].map(nights => Math.min(...nights)) as [number, number]
  console.info(
    `${NIGHTS} nights, ${hits} hits, ${total.toFixed()} s of processor time, ${first.toFixed(2)} to ${last.toFixed(2)} a night`,
  )
  expect(hits).toBeGreaterThan(NIGHTS / 2)
  if (NIGHTS >= 130) expect(last).toBeLessThan(2 * first)
})
