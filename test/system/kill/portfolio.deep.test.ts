/**
 * A portfolio kept in step, with rules, a company to add, one whose reference changed and one to remove: its stage killed with SIGKILL before
 * and after every line of the journal, at every request in its three moments, and at operations on files.
 */
import './use-processes.ts'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import { stride } from '../../support/stride.ts'
import { judgeWalk, KEPT_IN_STEP, killsAtEveryPoint, type Lane, openLane, pullEverywhere } from './after.ts'
import { makeData } from './kit.ts'

let data: string
let lanes: Lane[]

beforeAll(async () => {
  data = await makeData()
  lanes = await Promise.all(['one', 'two'].map(name => openLane(data, name, KEPT_IN_STEP)))
})
afterAll(async () => {
  for (const lane of lanes) await lane.close()
  rmSync(data, { recursive: true, force: true })
})

test.each(killsAtEveryPoint(5))(
  'killed at %s: one portfolio, with the companies of the list and no other',
  { timeout: 7_200_000 },
  async (...given) => {
    const [name, least, step, killAt] = given
    judgeWalk(name, await pullEverywhere(lanes, point => [killAt(point)], stride(step)), least)
  },
)
