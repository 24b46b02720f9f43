/** Random lists, nights, faults and kills; the deep tier plays more of them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { KILLED_AND_CHANGED, type Nights, playNights, RESUMED_LATER, someNights } from './nights.ts'
import { useServiceThatKills } from './use-service.ts'

const used = useServiceThatKills()

test('any nights with any faults and kills write what full nights write, and no question is paid twice', {
  timeout: 3_600_000,
}, async () => {
  const all = { nights: 0, left: 0, fetched: 0, superseded: 0 }
  const play = async (nights: Nights): Promise<void> => {
    const { left, fetched, superseded } = await playNights(used.data, used.service, nights, started => {
      used.child = started
    })
    all.nights += nights.nights.length + 1
    all.left += left
    all.fetched += fetched
    all.superseded += superseded
  }
  const how = { numRuns: runs(3, 60), examples: [[KILLED_AND_CHANGED], [RESUMED_LATER]] as [Nights][], endOnFailure: true }
  await fc.assert(fc.asyncProperty(someNights, play), how)
  console.info(`${all.nights} nights, ${all.left} runs left unfinished, ${all.fetched} fetched, ${all.superseded} superseded`)
  expect([all.fetched > 0, all.superseded > 0]).toEqual([true, true])
})
