/**
 * The stage `monitor` killed with SIGKILL before and after every line of the journal of its night, at every request in its three moments, and
 * at operations on files; the same command goes on, or a new run follows.
 */
import './use-processes.ts'
import { test } from 'vitest'
import { isWhole, stride } from '../../support/stride.ts'
import { judgeWalk, killsAtEveryPoint } from './after.ts'
import { endAt, monitoredNight } from './monitor.ts'

const night = monitoredNight()

test.each(killsAtEveryPoint(9))(
  'killed at %s: each company is under monitoring once, and every hit is written',
  { timeout: 7_200_000 },
  async (name, least, every, killAt) => {
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
    judgeWalk(name, { stages, violations }, least)
  },
)
