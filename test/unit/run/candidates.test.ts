/** The stage `candidates`: each question once, within its budget, also after lost answers and kills. */
import { expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { Question } from '../../../src/model/results.ts'
import type { Plan, PlannedCandidates } from '../../../src/pipeline/model/types.ts'
import type { FakeAccount } from './fake-account.ts'
import { crashAfterOutputs, planOf, resumed, type World, worldOf } from './world.ts'

const CANDIDATES: PlannedCandidates = { for: ['review'], limit: 500, budget: null, fetch: null }
const QUESTIONS: readonly Question[] = ['Acme', 'Bolt', 'Core', 'Dyne'].map(name => ({
  id: `q-${name}`,
  query: { name, country: 'GB' },
}))
const asked = (...names: readonly string[]): string[] => names.map(name => `match ${name}`)

function worldWith(change: Partial<Plan> = {}, prepare = (_: FakeAccount) => {}): World {
  const world = worldOf(planOf({ candidates: CANDIDATES, ...change }))
  world.results.asked = QUESTIONS
  prepare(world.account)
  return world
}

test('asks each question once, and writes the outputs again with the answers', async () => {
  const world = worldWith()
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
  expect(state.candidates).toMatchObject({ done: 4, paid: 4, lost: 0, open: null, by: 'match', isProposed: true })
  expect(world.account.questions).toEqual(asked('Acme', 'Bolt', 'Core', 'Dyne'))
  expect([Object.keys(world.results.proposed ?? {}), world.results.publishes]).toEqual([QUESTIONS.map(({ id }) => id), 2])
})

test('stops before the budget is exceeded, with a warning, and keeps the answers', async () => {
  const world = worldWith({ candidates: { ...CANDIDATES, budget: 3 } })
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0, candidates: { done: 3, paid: 3 } })
  expect(state.issues).toMatchObject([{ code: 'FETTLE_CANDIDATES', count: 1 }])
  expect(state.issues[0]?.message).toBe(
    '1 of 4 questions for candidates were not asked: one more would exceed candidates.budget (3)',
  )
  expect(Object.keys(world.results.proposed ?? {})).toHaveLength(3)
})

test('a lost answer counts as paid and is not asked for again', async () => {
  const world = worldWith({}, account => {
    account.lose = { findCandidates: 'after' }
  })
  expect(await world.run()).toMatchObject({ finished: true, candidates: { done: 4, paid: 4, lost: 1 } })
  expect(world.account.questions).toEqual(asked('Acme', 'Bolt', 'Core', 'Dyne'))
})

test('a refused question costs nothing, and the others are asked', async () => {
  const world = worldWith({}, account => {
    account.refused = new Set(['Bolt'])
  })
  expect(await world.run()).toMatchObject({ finished: true, candidates: { done: 4, paid: 3, refused: 1 } })
})

test.each([403, 404, 501])(
  'an account without the operation (%s) is asked by search, and the first question again',
  async status => {
    const world = worldWith()
    let calls = 0
    world.account.before = call => {
      if (call === 'findCandidates' && calls++ === 0) throw new FettleError('FETTLE_FORBIDDEN', 'no right', { status })
    }
    expect(await world.run()).toMatchObject({ finished: true, candidates: { done: 4, paid: 4, by: 'search' } })
    expect(world.account.questions).toEqual(['Acme', 'Bolt', 'Core', 'Dyne'].map(name => `search ${name}`))
  },
)

test('an account with neither ends the stage with a warning, and the run goes on', async () => {
  const world = worldWith()
  world.account.before = call => {
    if (call === 'findCandidates') throw new FettleError('FETTLE_FORBIDDEN', 'no right', { status: 403 })
  }
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'warn', candidates: { done: 0, paid: 0, by: null, isProposed: true } })
  expect(state.issues[0]?.message).toContain('the account has neither')
})

test('a question that did not reach the service is asked by the next process', async () => {
  const world = worldWith()
  world.account.before = call => {
    if (call === 'findCandidates' && world.account.questions.length === 2) throw new FettleError('FETTLE_NETWORK', 'no route')
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, candidates: { done: 2, paid: 2, open: null } })
  const next = resumed(world)
  expect(await next.run()).toMatchObject({ finished: true, candidates: { done: 4, paid: 4, lost: 0 } })
  expect(next.account.questions).toEqual(asked('Acme', 'Bolt', 'Core', 'Dyne'))
})

test('a process that ends before or after any append: no question is asked twice, and none is paid beyond the budget', async () => {
  const make = () => worldWith({ candidates: { ...CANDIDATES, budget: 3 } })
  const points = await crashAfterOutputs(make, (state, next, where) => {
    expect(state, where).toMatchObject({
      finished: true,
      exitCode: 0,
      candidates: { isProposed: true, paid: 3, done: 3 },
    })
    const { questions } = next.account
    expect(new Set(questions).size, where).toBe(questions.length)
    expect(questions.length).toBeLessThanOrEqual(3)
    // Every answer that was recorded is proposed; one that was under way is lost at most.
    expect(Object.keys(next.results.proposed ?? {}).length).toBe(3 - state.candidates!.lost)
    expect(state.candidates!.lost).toBeLessThanOrEqual(1)
  })
  expect(points).toBeGreaterThan(15)
})
