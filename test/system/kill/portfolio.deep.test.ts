/**
 * A portfolio kept in step, with rules, a company to add, one whose reference changed and one to remove: its stage killed with SIGKILL before
 * and after every line of the journal, at every request in its three moments, and at operations on files.
 */
import './use-processes.ts'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stride } from '../../support/stride.ts'
import { KEPT_IN_STEP, type Kill, type Lane, openLane, pullEverywhere } from './after.ts'
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

/** With the number of points there are at least, and of how many one is taken. */
test.each<readonly [string, number, number, (point: number) => Kill]>([
  ['a line of the journal, before and after it is written', 20, 1, line => ({ line })],
  ['a request as it arrives', 10, 1, request => ({ request, at: 'arrival' })],
  ['a request that was carried out and not answered', 10, 1, request => ({ request, at: 'carriedOut' })],
  ['a request that was answered', 10, 1, request => ({ request, at: 'answered' })],
  ['an operation on a file', 10, 5, disk => ({ disk })],
])('killed at %s: one portfolio, with the companies of the list and no other', { timeout: 7_200_000 }, async (...given) => {
  const [name, least, step, killAt] = given
  const { stages, violations } = await pullEverywhere(lanes, point => [killAt(point)], stride(step))
  const points = Object.values(stages).reduce((all, one) => all + one, 0)
  const parts = Object.entries(stages).map(([stage, count]) => `${stage} ${count}`)
  console.info(`${name}: ${points} points (${parts.join(', ')}), ${violations.length} violations`)
  expect(violations).toEqual([])
  expect(points).toBeGreaterThanOrEqual(least)
})
