/** The stages `portfolio` and `screen` killed at every request, in its three moments, at every file operation, and twice. */
import './use-processes.ts'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import { judgeWalk, type Kill, type Lane, openLane, pullEverywhere } from './after.ts'
import { makeData } from './kit.ts'

let data: string
let lanes: Lane[]

beforeAll(async () => {
  data = await makeData()
  lanes = await Promise.all(['one', 'two'].map(name => openLane(data, name)))
})
afterAll(async () => {
  for (const lane of lanes) await lane.close()
  rmSync(data, { recursive: true, force: true })
})

const paid = (nth: number): Kill => ({ request: nth, of: 'createBusinessSearch', at: 'carriedOut' })
const made: Kill = { request: 1, of: 'createPortfolio', at: 'carriedOut' }

/** With the number of points there are at least. */
test.each<readonly [string, number, (point: number) => readonly Kill[]]>([
  ['a request as it arrives', 10, request => [{ request, at: 'arrival' }]],
  ['a request that was carried out and not answered', 10, request => [{ request, at: 'carriedOut' }]],
  ['a request that was answered', 10, request => [{ request, at: 'answered' }]],
  ['an operation on a file', 10, disk => [{ disk }]],
  ['a request of the process after one that made the portfolio', 9, request => [made, { request, at: 'carriedOut' }]],
  ['a request of the process after one that paid the second search', 4, request => [paid(2), { request, at: 'carriedOut' }]],
  ['an operation on a file of the process after one that paid the second search', 10, disk => [paid(2), { disk }]],
])('killed at %s, a run pays for each company once', { timeout: 7_200_000 }, async (name, least, killsAt) => {
  judgeWalk(name, await pullEverywhere(lanes, killsAt, { first: 1, step: 1 }), least)
})
