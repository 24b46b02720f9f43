/** The stages of a decision tree of the service: found before anything is sent, run once for each company and its fields. */
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { runEarlyStages } from '../../../src/run/index.ts'
import type { FakeAccount } from './fake-account.ts'
import { crashAfterOutputs, planOf, resumed, type World, worldOf } from './world.ts'

const TREE = { name: 'Supplier check', fields: { Amount: { from: 'Total' } }, budget: null }
const QUESTIONS = [1, 2, 3, 4].map(at => ({ id: `q${at}`, company: `GB-${at}`, inputs: { Amount: at } }))

const early = ({ journal, ports }: World) => runEarlyStages({ recorder: journal, ports })

function worldWith(change: Partial<Plan> = {}, prepare = (_: FakeAccount) => {}): World {
  const world = worldOf(planOf({ tree: TREE, ...change }))
  world.results.treeAsked = QUESTIONS
  prepare(world.account)
  return world
}

/** A world that has found its tree. */
function found(change: Partial<Plan> = {}, prepare = (_: FakeAccount) => {}): World {
  const world = worldWith(change, prepare)
  world.journal.append({ type: 'tree.found', id: 't-1', name: 'Supplier check', version: '' })
  return world
}

describe('tree', () => {
  test('finds the tree by name or by id, once', async () => {
    for (const name of ['Supplier check', 't-1']) {
      const world = worldWith({ tree: { ...TREE, name } })
      expect(await early(world)).toBe(true)
      expect(world.journal.state!.tree!.found).toEqual({ id: 't-1', name: 'Supplier check', version: '' })
    }
  })

  test.each<readonly [string, (account: FakeAccount) => void, RegExp]>([
    [
      'the service has no such tree',
      account => {
        account.trees = []
      },
      /has no decision tree "Supplier check"/,
    ],
    [
      'two trees have the name',
      account => void account.trees.push({ id: 't-2', name: 'Supplier check' }),
      /several decision trees are called "Supplier check": t-1, t-2/,
    ],
    [
      'the tree has no such field',
      account => {
        account.treeFields = [{ name: 'Amounts', isMandatory: false }]
      },
      /"Amount" is not a field of the tree "Supplier check"; did you mean "?Amounts/,
    ],
    [
      'the tree needs a field',
      account => void account.treeFields.push({ name: 'Sector', isMandatory: true }),
      /the tree "Supplier check" needs "Sector"/,
    ],
  ])('nothing is sent where %s', async (_, prepare, message) => {
    const world = worldWith({}, prepare)
    expect(await early(world)).toBe(false)
    expect(world.journal.state).toMatchObject({ finished: false, error: { code: 'FETTLE_DECISION_TREE', message } })
    expect(world.service.jobs).toEqual([])
  })
})

describe('ask', () => {
  test('runs the tree once for each question, then writes the outputs with the answers', async () => {
    const world = found()
    expect(await world.run()).toMatchObject({ status: 'success', tree: { done: 4, paid: 4, refused: 0, open: null } })
    expect(world.account.runs.map(({ company }) => company)).toEqual(QUESTIONS.map(({ company }) => company))
    expect(world.results.ruled?.map(([question]) => question)).toEqual(QUESTIONS.map(({ id }) => id))
  })

  test('a company that is refused costs nothing and is named, and its rows are referred with the reason', async () => {
    const world = found({}, account => {
      account.refused = new Set(['GB-2'])
    })
    const { status, issues, tree } = await world.run()
    expect([status, tree!.paid, tree!.refused]).toEqual(['warn', 3, 1])
    expect(issues).toMatchObject([{ code: 'FETTLE_DECIDE_REFUSED', count: 1, message: expect.stringContaining('GB-2') }])
    expect(new Map(world.results.ruled).get('q2')).toMatchObject({
      decision: 'refer',
      why: 'the service refused: no company GB-2',
    })
  })

  test('stops before the budget is exceeded: the outputs are written, the others are not asked about, and the run ends with 1', async () => {
    const world = found({ tree: { ...TREE, budget: 3 } })
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'fail', exitCode: 1, error: { code: 'FETTLE_BUDGET_DECIDE' } })
    expect(state.error!.message).toBe('3 of 4 companies decided about: one more would exceed decide.budget (3)')
    expect([world.account.runs.length, world.results.ruled?.length, state.outputs.length]).toEqual([3, 3, 1])
    expect(await found({ tree: { ...TREE, budget: 4 } }).run()).toMatchObject({ status: 'success' })
  })

  test('a result that a check rejected pays nothing', async () => {
    const fail = { text: '> 50%', operator: '>', value: 0.5, unit: 'share' } as const
    const world = found({ checks: [{ name: 'matched', warn: null, fail }] })
    expect(await world.run()).toMatchObject({ status: 'fail', tree: { paid: 0 } })
    expect([world.account.runs, world.results.ruled]).toEqual([[], []])
  })

  test('its answer lost after it took effect: found in the log by its key, paid once', async () => {
    const world = found({}, account => {
      account.lose = { runTree: 'after' }
    })
    expect(await world.run()).toMatchObject({ status: 'success', tree: { paid: 4 } })
    expect(world.journal.of('decide.made').map(({ adopted }) => adopted)).toEqual([true, false, false, false])
  })

  test('lost before it took effect: not repeated on a guess but left with 75, and made by the next process', async () => {
    const world = found({}, account => {
      account.lose = { runTree: 'before' }
    })
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    const next = resumed(world)
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0, tree: { paid: 4 } })
    expect(next.account.runs).toHaveLength(4)
  })

  test('a process ended before or after any line of the journal: each question is paid once', async () => {
    const points = await crashAfterOutputs(found, (state, { account, results }, where) => {
      expect(state, where).toMatchObject({ finished: true, status: 'success', tree: { done: 4, paid: 4 } })
      expect(account.runs.map(({ company }) => company).sort(), where).toEqual(QUESTIONS.map(({ company }) => company))
      expect(results.ruled, where).toHaveLength(4)
    })
    expect(points).toBeGreaterThan(20)
  })
})
