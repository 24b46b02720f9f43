import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeDropped, MERGE_RULES, Merger } from '../../../src/dedupe/merge.ts'

const RULES = { rest: 'first-filled', columns: new Map() } as const
const cell = fc.constantFrom('', '', 'a', 'bb', 'ccc', 'bb ')
const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 })

test('no value of a group is lost: the merged row has it, or names it', () => {
  const rules = fc.tuple(fc.constantFrom(...MERGE_RULES), fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...MERGE_RULES))))
  fc.assert(
    fc.property(rows, rules, (group, [rest, chosen]) => {
      const merger = new Merger({ rest, columns: new Map(chosen) }, { address1: [1], town: [2] })
      const { cells, dropped } = merger.merge(group)
      for (const at of [0, 1, 2]) {
        const values = new Set(group.map(row => row[at]!.trim()).filter(value => value !== ''))
        const shown = new Set([...cells[at]!.split(' | '), ...(dropped.get(at) ?? [])].map(value => value.trim()))
        shown.delete('')
        expect(shown).toEqual(values)
        expect(merger.conflicts.get(at) ?? 0).toBe(dropped.has(at) ? 1 : 0)
      }
    }),
  )
})

test.each([
  ['first-filled', ['Acme', '1', '']],
  ['longest', ['Acme Limited', '1', '']],
  ['most', ['Acme Ltd', '2', '']],
  ['all', ['Acme | Acme Ltd | Acme Limited', '1 | 2', '']],
] as const)('rule %s', (rest, expected) => {
  const group = [
    ['Acme', '', ''],
    ['Acme Ltd', '1', ''],
    ['Acme Limited', '2', ''],
    ['Acme Ltd', '2', ''],
  ]
  expect(new Merger({ ...RULES, rest }, {}).merge(group).cells).toEqual(expected)
})

test('an address is of one row, unless a rule is given for a part of it', () => {
  const group = [
    ['Acme', '', 'Leeds'],
    ['Acme', '1 High St', 'York'],
  ]
  const columns = { name: [0], address1: [1], town: [2] }
  const merged = new Merger(RULES, columns).merge(group)
  expect(merged.cells).toEqual(['Acme', '1 High St', 'York'])
  expect(describeDropped(merged, ['Name', 'Street', 'Town'])).toBe('Town: Leeds')
  const chosen = new Merger({ ...RULES, columns: new Map([[2, 'all']]) }, columns).merge(group)
  expect(chosen.cells).toEqual(['Acme', '1 High St', 'Leeds | York'])
})
