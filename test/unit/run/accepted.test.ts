/** The stage `accepted`: each accepted company is fetched once, within its budget, also after lost answers and kills. */
import { expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { PlannedCandidates } from '../../../src/pipeline/model/types.ts'
import type { FakeAccount } from './fake-account.ts'
import { crashAfterOutputs, planOf, resumed, type World, worldOf } from './world.ts'

const IDS = ['A1', 'B2', 'C3', 'D4']
const ways = ['job', 'report'] as const
const tagsOf = (...ids: readonly string[]) => Object.fromEntries(ids.map(id => [id, { 'general.companyName': `${id} Ltd` }]))

function worldWith(fetch: 'job' | 'report', change: Partial<PlannedCandidates> = {}, prepare = (_: FakeAccount) => {}): World {
  const world = worldOf(planOf({ candidates: { for: ['review'], limit: 500, budget: null, fetch, ...change } }))
  world.results.acceptedCompanies = IDS.map(id => ({ id, name: `${id} Ltd`, country: 'GB' }))
  prepare(world.account)
  return world
}

test.each(ways)('by %s: fetches each company once, and writes the outputs again with the tags', async way => {
  const world = worldWith(way)
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
  expect(state.accepted).toMatchObject({ done: 4, paid: 4, lost: 0, refused: 0, isOver: true, isWritten: true })
  expect(state.accepted?.job).toBe(way === 'job' ? 'job-2' : null)
  expect([world.account.ordered, [...world.account.jobs]]).toEqual(way === 'job' ? [[], [IDS.join()]] : [IDS, []])
  expect(world.results.fetched).toEqual(tagsOf(...IDS))
})

test.each(ways)('by %s: stops before the budget is exceeded, with a warning, and keeps what came', async way => {
  const world = worldWith(way, { budget: 3 })
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0, accepted: { done: 3, paid: 3, isWritten: true } })
  expect(state.issues.map(({ message }) => message)).toEqual([
    '1 of 4 accepted companies were not fetched: one more would exceed candidates.budget (3)',
  ])
  expect(world.results.fetched).toEqual(tagsOf('A1', 'B2', 'C3'))
})

test.each(ways)('by %s: a company that the service does not give is a warning, and the others come', async way => {
  const world = worldWith(way, {}, account => {
    account.refused = new Set(['B2'])
  })
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'warn', accepted: { done: 4, paid: 3, refused: 1 } })
  expect(state.issues[0]?.message).toMatch(/^1 accepted companies could not be fetched, such as B2: /)
  expect(world.results.fetched).toEqual(tagsOf('A1', 'C3', 'D4'))
})

test('a report whose answer is lost counts as paid and is not asked for again', async () => {
  const world = worldWith('report', {}, account => {
    account.lose = { readTags: 'after' }
  })
  expect(await world.run()).toMatchObject({ finished: true, accepted: { done: 4, paid: 4, lost: 1 } })
  expect(world.account.ordered).toEqual(IDS)
})

test('no question is asked without accepted companies', async () => {
  const world = worldWith('job')
  world.results.acceptedCompanies = []
  expect(await world.run()).toMatchObject({ finished: true, accepted: { listed: 0, paid: 0, isWritten: true } })
  expect([world.account.jobs.size, world.results.publishes]).toEqual([0, 1])
})

test.each(ways)('by %s: a resume after an error asks for what is missing', async way => {
  let isDown = true
  const world = worldWith(way, {}, account => {
    account.before = call => {
      if (isDown && (call === 'fetchByJob' || (call === 'readTags' && account.ordered.length === 2)))
        throw new FettleError('FETTLE_NETWORK', 'no route')
    }
  })
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 75 })
  isDown = false
  const again = resumed(world)
  expect(await again.run()).toMatchObject({ finished: true, accepted: { done: 4, paid: 4, lost: 0 } })
  expect(again.results.fetched).toEqual(tagsOf(...IDS))
  expect(world.account.ordered).toEqual(way === 'job' ? [] : IDS)
})

test.each(ways)('by %s: a kill at any event pays for no company twice', async way => {
  const points = await crashAfterOutputs(
    () => worldWith(way),
    (state, world) => {
      const { account, results } = world
      expect(state.accepted).toMatchObject({ done: 4, isWritten: true })
      if (way === 'job') expect([...account.jobs]).toEqual([IDS.join()])
      else expect([...new Set(account.ordered)]).toEqual(account.ordered)
      expect(Object.keys(results.fetched).length + (state.accepted?.lost ?? 0)).toBe(4)
    },
  )
  expect(points).toBeGreaterThan(way === 'job' ? 10 : 20)
})
