/** `budget.credits`: enriching is never started above it, nor when its cost is unknown. */
import { expect, test } from 'vitest'
import { planOf, resumed, worldOf } from './world.ts'

const budget = (credits: number) => planOf({ budget: { rows: null, credits } })

test('a budget that is met exactly is spent', async () => {
  const world = worldOf(budget(8))
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'success' })
  expect(state.checks).toEqual([
    { assertion: 'budget.credits', success: true, severity: 'fail', expected: 'not > 8', actual: '8 credits' },
  ])
  expect(world.service.only.enriches).toBe(1)
})

test('one credit above it: not started, the matching stands, the run ends with 1', async () => {
  const world = worldOf(budget(7))
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'fail', exitCode: 1, error: { code: 'FETTLE_BUDGET_CREDITS' } })
  expect(state.error?.message).toBe('enriching 8 rows would exceed budget.credits (7): it was not started')
  expect(state.outcomes).toMatchObject({ matched: 6, manualMatched: 1, duplicates: 1, unmatched: 2 })
  expect(state.checks).toEqual([
    { assertion: 'budget.credits', success: false, severity: 'fail', expected: 'not > 7', actual: '8 credits' },
  ])
  expect(world.service.calls).not.toContain('setEnrichments')
  expect(world.results.receives).toBe(0)
  expect(await resumed(world).run()).toMatchObject({ finished: true, exitCode: 1 })
})

test('duplicates counted inside matched are not paid for twice', async () => {
  const world = worldOf(budget(8))
  world.service.summary = { totalRows: 10, matched: 7, manualMatched: 1, unmatched: 2, duplicates: 3 }
  world.results.outcomes = { matched: 4, manualMatched: 1, review: 0, unmatched: 2, duplicates: 3, failed: 0, skipped: 0 }
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
})

test('without counts, it is started only if all rows together are within the budget', async () => {
  const refused = worldOf(budget(9))
  refused.service.summary = null
  const { error, exitCode, checks } = await refused.run()
  expect([exitCode, error?.message]).toEqual([1, expect.stringContaining('gave no counts, and enriching may cost 10 credits')])
  expect(checks).toMatchObject([{ success: false, actual: '10 credits at most: the service gave no counts' }])
  expect(refused.service.only.enriches).toBe(0)
  const allowed = worldOf(budget(10))
  allowed.service.summary = null
  expect((await allowed.run()).checks).toMatchObject([{ success: true }])
  expect(allowed.service.only.enriches).toBe(1)
})

test('counts that do not add up stop before anything is paid', async () => {
  const world = worldOf(budget(1_000))
  world.service.summary = { totalRows: 10, matched: 5, manualMatched: 0, unmatched: 2, duplicates: 0 }
  expect(await world.run()).toMatchObject({ exitCode: 76, error: { code: 'FETTLE_LEDGER' } })
  expect(world.service.only.enriches).toBe(0)
})

test('an enrichment once asked for is waited for, even if the counts grow past the budget meanwhile', async () => {
  const world = worldOf(budget(8))
  world.service.enriching = ['enriching']
  world.service.after = call => {
    if (call === 'enrich') world.service.summary = { totalRows: 10, matched: 7, manualMatched: 1, unmatched: 1, duplicates: 1 }
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_DEADLINE' } })
  const next = resumed(world)
  next.service.only.ahead = ['enrichmentComplete']
  next.results.outcomes = { matched: 7, manualMatched: 1, review: 0, unmatched: 1, duplicates: 1, failed: 0, skipped: 0 }
  // What was paid is there; that it was more than meant is said.
  expect(await next.run()).toMatchObject({
    finished: true,
    status: 'warn',
    exitCode: 0,
    checks: [{ assertion: 'budget.credits', success: false, severity: 'warn', actual: '9 credits' }],
  })
})
