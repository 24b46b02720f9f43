/** Searches for directors and the stage `monitor` killed with SIGKILL at each of its requests in its three moments; the same command goes on, or a new run follows. */
import './use-processes.ts'
import { expect, test } from 'vitest'
import type { Kill } from './after.ts'
import { endAt, monitoredNight } from './monitor.ts'

const night = monitoredNight()
const OPERATIONS = [
  'createIndividualSearch',
  'listIndividualSearches',
  'listIndividualHits',
  'listSchedules',
  'createSchedules',
  'deleteSchedule',
  'listScheduleAlerts',
] as const

/** A search is looked for after a kill that took its answer. */
const EARLIER: Partial<Record<(typeof OPERATIONS)[number], Kill>> = {
  listIndividualSearches: { request: 1, of: 'createIndividualSearch', at: 'carriedOut' },
}

test.each(OPERATIONS)(
  'killed at each %s: each company is under monitoring once, and every hit is written',
  { timeout: 3_600_000 },
  async of => {
    const violations: string[] = []
    let points = 0
    for (const at of ['arrival', 'carriedOut', 'answered'] as const)
      for (const follows of ['resume', 'new'] as const)
        for (let request = 1; ; request++) {
          const found = await endAt(night(), { request, of, at }, follows, EARLIER[of])
          violations.push(...found.violations)
          if (!found.isKilled) break
          points += 1
        }
    console.info(`${of}: ${points} points, ${violations.length} violations`)
    expect(violations).toEqual([])
    expect(points).toBeGreaterThanOrEqual(6)
  },
)
