/** The stage `events` killed with SIGKILL at every request of its night, in its three moments, and at every file operation. */
import './use-processes.ts'
import { expect, test } from 'vitest'
import type { Kill } from './after.ts'
import { endAt, nightOfFile } from './events.ts'

const night = nightOfFile()

test.each<readonly [string, number, (point: number) => Kill]>([
  ['a request as it arrives', 10, request => ({ request, at: 'arrival' })],
  ['a request that was carried out and not answered', 10, request => ({ request, at: 'carriedOut' })],
  ['a request that was answered', 10, request => ({ request, at: 'answered' })],
  ['an operation on a file', 20, disk => ({ disk })],
])('killed at %s: every event is in one file', { timeout: 7_200_000 }, async (name, least, killAt) => {
  const violations: string[] = []
  const stages: Record<string, number> = {}
  for (const follows of ['resume', 'new'] as const)
    for (let point = 1; ; point++) {
      const found = await endAt(night(), killAt(point), follows)
      violations.push(...found.violations)
      if (!found.isKilled) break
      stages[found.stage] = (stages[found.stage] ?? 0) + 1
      // What follows matching is the walk of other tests.
      if (found.stage === 'match' || found.stage === 'enrich') break
    }
  const points = Object.values(stages).reduce((sum, one) => sum + one, 0)
  const parts = Object.entries(stages).map(([stage, count]) => `${stage} ${count}`)
  console.info(`${name}: ${points} points (${parts.join(', ')}), ${violations.length} violations`)
  expect(violations).toEqual([])
  expect(points).toBeGreaterThanOrEqual(least)
})
