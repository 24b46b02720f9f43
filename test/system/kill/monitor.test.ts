/** A run with `screen.monitor` killed at a sample of its requests and file operations; monitor.deep.test.ts takes every point. */
import { expect, test } from 'vitest'
import type { Kill } from './after.ts'
import { endAt, monitoredNight } from './monitor.ts'

const night = monitoredNight()

test.each<readonly [string, Kill, 'resume' | 'new']>([
  [
    'a director was searched for and the answer did not come',
    { request: 1, of: 'createIndividualSearch', at: 'carriedOut' },
    'resume',
  ],
  ['a director was about to be searched for', { request: 2, of: 'createIndividualSearch', at: 'arrival' }, 'resume'],
  ['the hits of a director were read', { request: 1, of: 'listIndividualHits', at: 'answered' }, 'resume'],
  [
    'a search was put under monitoring and the answer did not come',
    { request: 1, of: 'createSchedules', at: 'carriedOut' },
    'resume',
  ],
  ['its answer did not come, and a new run follows', { request: 1, of: 'createSchedules', at: 'carriedOut' }, 'new'],
  ['a search was about to be put under monitoring', { request: 1, of: 'createSchedules', at: 'arrival' }, 'resume'],
  ['the monitoring of a company that left was ended', { request: 1, of: 'deleteSchedule', at: 'carriedOut' }, 'resume'],
  ['the alerts were read', { request: 1, of: 'listScheduleAlerts', at: 'answered' }, 'new'],
  ['their file was written, and not the copy', { renamed: '/alerts.csv' }, 'resume'],
  ['it had no record of its file yet, and a new run follows', { renamed: '/alerts.csv' }, 'new'],
])('a run killed when %s: each company is under monitoring once, and every hit is written', async (_, kill, follows) => {
  const { isKilled, violations } = await endAt(night(), kill, follows)
  expect(violations).toEqual([])
  expect(isKilled).toBe(true)
})

test('a run killed again when it looked for the search of a director whose answer was lost makes no second one', async () => {
  const lost: Kill = { request: 1, of: 'createIndividualSearch', at: 'carriedOut' }
  const { isKilled, violations } = await endAt(
    night(),
    { request: 1, of: 'listIndividualSearches', at: 'answered' },
    'resume',
    lost,
  )
  expect(violations).toEqual([])
  expect(isKilled).toBe(true)
})
