/**
 * The stages `portfolio` and `screen` killed at a sample of their requests and file operations: one portfolio, each company
 * once, one paid search for each. after.deep.test.ts takes every point.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kill, type Lane, openLane, pull } from './after.ts'
import { makeData } from './kit.ts'

let data: string
let lane: Lane

beforeAll(async () => {
  data = await makeData()
  lane = await openLane(data, 'after')
})
afterAll(async () => {
  await lane.close()
  rmSync(data, { recursive: true, force: true })
})

test.each<readonly [string, readonly Kill[]]>([
  ['a portfolio was made and the answer did not come', [{ request: 1, of: 'createPortfolio', at: 'carriedOut' }]],
  [
    'a search was paid, and the next process looked for it',
    [
      { request: 1, of: 'createBusinessSearch', at: 'carriedOut' },
      { request: 1, of: 'listBusinessSearches', at: 'answered' },
    ],
  ],
  ['a file was being written', [{ disk: 29 }]],
])('a run killed when %s pays for each company once', async (_, kills) => {
  const { isKilled, violations } = await pull(lane, kills)
  expect(violations).toEqual([])
  expect(isKilled).toBe(true)
})
