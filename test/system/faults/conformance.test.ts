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
