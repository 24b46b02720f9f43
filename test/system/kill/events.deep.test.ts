/**
 * The stage `events` killed with SIGKILL before and after every line of the journal of its night, at every request in its three moments, and
 * at operations on files; the same command goes on, or a new run follows.
 */
import './use-processes.ts'
import { expect, test } from 'vitest'
import { isWhole, stride } from '../../support/stride.ts'
import type { Kill } from './after.ts'
import { endAt, nightOfFile } from './events.ts'

const night = nightOfFile()

/** With the number of points there are at least, and of how many one is taken. */
test.each<readonly [string, number, number, (point: number) => Kill]>([
  ['a line of the journal, before and after it is written', 20, 1, line => ({ line })],
  ['a request as it arrives', 10, 1, request => ({ request, at: 'arrival' })],
  ['a request that was carried out and not answered', 10, 1, request => ({ request, at: 'carriedOut' })],
  ['a request that was answered', 10, 1, request => ({ request, at: 'answered' })],
  ['an operation on a file', 10, 9, disk => ({ disk })],
])('killed at %s: every event is in one file', { timeout: 7_200_000 }, async (name, least, every, killAt) => {
  const { first, step } = stride(every)
  const violations: string[] = []
  const stages: Record<string, number> = {}
  for (const follows of ['resume', 'new'] as const)
    for (let point = first; ; point += step) {
      const found = await endAt(night(), killAt(point), follows)
      violations.push(...found.violations)
      if (!found.isKilled) break
      stages[found.stage] = (stages[found.stage] ?? 0) + 1
      // What follows is the walk of other tests.
      if (found.stage === 'enrich' || (!isWhole && found.stage === 'create')) break
    }
  const points = Object.values(stages).reduce((sum, one) => sum + one, 0)
  const parts = Object.entries(stages).map(([stage, count]) => `${stage} ${count}`)
  console.info(`${name}: ${points} points (${parts.join(', ')}), ${violations.length} violations`)
  expect(violations).toEqual([])
  expect(points).toBeGreaterThanOrEqual(least)
})
