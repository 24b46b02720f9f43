/**
 * The stages `ask` and `decide` killed at a sample of their requests, lines and file operations: the decision tree of the service is run once
 * for each company. decide.deep.test.ts takes every point.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DECIDED, type Kill, type Lane, openLane, pull } from './after.ts'
import { makeData } from './kit.ts'

let data: string
let lane: Lane

beforeAll(async () => {
  data = await makeData()
  lane = await openLane(data, 'decide', DECIDED)
})
afterAll(async () => {
  await lane.close()
  rmSync(data, { recursive: true, force: true })
})

const paid = (request: number): Kill => ({ request, of: 'runDecision', at: 'carriedOut' })

test.each<readonly [string, readonly Kill[]]>([
  ['a decision was paid and the answer did not come', [paid(1)]],
  ['the second was paid, and the next process looked for it', [paid(2), { request: 1, of: 'listDecisionLogs', at: 'answered' }]],
  ['the last was paid, twice over', [paid(2), paid(1)]],
  ['a request was named and not sent', [{ request: 2, of: 'runDecision', at: 'arrival' }]],
  ['a line of the journal was written', [{ line: 4 }]],
  ['the answers got their name', [{ renamed: 'decided.jsonl' }]],
  ['an output got its name', [{ renamed: 'out.csv' }]],
])('a run killed when %s pays for each company once', async (_, kills) => {
  const { isKilled, violations } = await pull(lane, kills)
  expect(violations).toEqual([])
  expect(isKilled).toBe(true)
})
