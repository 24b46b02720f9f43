/**
 * The fault matrix is complete: every possible cell has an entry that is executed, and every entry belongs to a possible cell.
 */
import { expect, test } from 'vitest'
import { data } from './data.ts'

const live = Object.entries(data.faults).flatMap(([fault, { row }]) =>
  data.stages.flatMap((stage, at) => (row[at] === '·' ? [] : [{ cell: `${fault}/${stage}`, policy: row[at] }])),
)

test('49 faults at nine stages: 358 possible cells, each with at least one entry', () => {
  expect(Object.keys(data.faults)).toHaveLength(49)
  expect(live).toHaveLength(358)
  const entered = new Set(data.cells.map(({ fault, stage }) => `${fault}/${stage}`))
  expect(live.map(({ cell }) => cell).filter(cell => !entered.has(cell))).toEqual([])
})

test('every entry belongs to a possible cell, has its policy and a unique name', () => {
  const policies = new Map(live.map(({ cell, policy }) => [cell, policy]))
  for (const { id, fault, stage, policy } of data.cells) expect(policies.get(`${fault}/${stage}`), id).toBe(policy)
  for (const { policy } of live)
    expect(policy === undefined || policy in data.policies || /^\d+$/.test(policy), policy).toBe(true)
  expect(new Set(data.cells.map(({ id }) => id)).size).toBe(data.cells.length)
})

test('every entry has an action and an expectation', () => {
  for (const { id, instructions, lever, expect: expected } of data.cells) {
    expect(instructions.length > 0 || lever !== undefined, id).toBe(true)
    // What does not end well says why, and what a resume makes of it.
    if (expected.exit !== 0 && expected.exit !== 'SIGKILL') expect(expected.resume, id).toBeDefined()
  }
})

const FIVE_MINUTES = 5 * 60_000

/**
 * Requests to a service that stays away, after which it is given up: four attempts, then one more while its pause fits into five minutes.
 * The jitter is in the middle of its range, as with the clock of these tests. `lookMs`: how long each look at the effect takes.
 */
function requestsInOutage(lookMs: number): number {
  const backoff = (failures: number): number => Math.min(30_000, 500 * 2 ** failures)
  let at = 0
  for (let failures = 1; ; failures++) {
    const pause = backoff(failures) * (failures < 4 ? 0.5 : 0.75)
    if (failures >= 4 && at + pause > FIVE_MINUTES) return failures
    at += pause + lookMs
  }
}

test('the requests to a service that stays away are as many as the rules allow', () => {
  // How long a look at the effect of what was sent takes.
  const lookMs: Record<string, number> = { createJob: 10_000, submit: 10_000, enrich: 17_000 }
  const isSent = (fault: string): boolean => ['F5', 'F6', 'F21'].includes(fault)
  const isAway = ({ fault, stage, variant, policy }: (typeof data.cells)[number]): boolean =>
    !['login', 'match'].includes(stage) &&
    policy !== 'D' &&
    (fault === 'F21'
      ? /503$/
      : fault === 'F2'
        ? /busy always$/
        : /^F[14567]$/.test(fault)
          ? /always$|nobody to ask$/
          : /^$a/
    ).test(variant)
  const counted = data.cells.filter(isAway).flatMap(({ id, fault, expect: { requests = {} } }) => {
    const counts = Object.entries(requests).flatMap(([operation, count]) =>
      typeof count === 'number' && count > 1 ? [{ operation, count }] : [],
    )
    return counts.map(
      ({ operation, count }) => [id, count, requestsInOutage(isSent(fault) ? (lookMs[operation] ?? 0) : 0)] as const,
    )
  })
  expect(counted.filter(([, most, wanted]) => most !== wanted)).toEqual([])
  expect(counted.length).toBeGreaterThanOrEqual(48)
})
