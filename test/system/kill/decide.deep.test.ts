/** The stages `ask` and `decide` killed at every line, request and file operation: one run of the tree for each company. */
import './use-processes.ts'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import { DECIDED, judgeWalk, killsAtEveryPoint, type Lane, openLane, pullEverywhere } from './after.ts'
import { makeData } from './kit.ts'

let data: string
let lanes: Lane[]

beforeAll(async () => {
  data = await makeData()
  lanes = await Promise.all(['one', 'two'].map(name => openLane(data, name, DECIDED)))
})
afterAll(async () => {
  for (const lane of lanes) await lane.close()
  rmSync(data, { recursive: true, force: true })
})

/** One request for each company, and the login. */
const LEAST = 4

test.each(killsAtEveryPoint(1))(
  'killed at %s, a run pays for each company once',
  { timeout: 7_200_000 },
  async (name, least, step, killAt) => {
    const found = await pullEverywhere(lanes, point => [killAt(point)], { first: 1, step })
    judgeWalk(name, found, name.includes('request') ? LEAST : least)
  },
)
