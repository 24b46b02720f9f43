/** The stage `events` killed at a sample of its requests and file operations; events.deep.test.ts takes every point. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAt, type Kill, type Night, openNight } from './events.ts'
import { makeData } from './kit.ts'

let data: string
let night: Night

beforeAll(async () => {
  data = await makeData()
  night = await openNight(data)
})
afterAll(async () => {
  await night.close()
  rmSync(data, { recursive: true, force: true })
})

test.each<readonly [string, Kill, 'resume' | 'new']>([
  ['the events were read', { request: 1, of: 'listPortfolioNotificationEvents', at: 'answered' }, 'resume'],
  ['the second event was marked', { request: 2, of: 'markNotificationEvent', at: 'carriedOut' }, 'resume'],
  ['the first event was marked, and a new run follows', { request: 1, of: 'markNotificationEvent', at: 'arrival' }, 'new'],
])('a run killed when %s: every event is in one file', async (_, kill, follows) => {
  const { isKilled, violations } = await endAt(night, kill, follows)
  expect(violations).toEqual([])
  expect(isKilled).toBe(true)
})
