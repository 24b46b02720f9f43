/** A run with `events` killed at a sample of its requests and file operations; events.deep.test.ts takes every point. */
import { expect, test } from 'vitest'
import type { Kill } from './after.ts'
import { endAt, nightOfFile } from './events.ts'

const night = nightOfFile()

test.each<readonly [string, Kill, 'resume' | 'new']>([
  ['the events were read', { request: 1, of: 'listPortfolioNotificationEvents', at: 'answered' }, 'resume'],
  ['the second event was marked', { request: 2, of: 'markNotificationEvent', at: 'carriedOut' }, 'resume'],
  ['the first event was marked, and a new run follows', { request: 1, of: 'markNotificationEvent', at: 'arrival' }, 'new'],
  ['its file was written, and not the copy', { renamed: '/events.csv' }, 'resume'],
])('a run killed when %s: every event is in one file', async (_, kill, follows) => {
  const { isKilled, violations } = await endAt(night(), kill, follows)
  expect(violations).toEqual([])
  expect(isKilled).toBe(true)
})
