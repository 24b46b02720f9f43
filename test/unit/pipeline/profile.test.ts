/** Profiles of columns with masking, and mapping lines in hints. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CellCounts, PlannedMapping } from '../../../src/pipeline/model/types.ts'
import { explainPlan, profileLines } from '../../../src/pipeline/planning/explain.ts'
import { mappingLine } from '../../../src/pipeline/propose/mapping-line.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'
import { BASE, pipelineOf, planOf } from './support.ts'

const NONE = { count: 0, rows: [] }

/** The counts of a column of ten rows. */
const counts = (index: number, rest: Partial<CellCounts> = {}): CellCounts => ({
  index,
  empty: NONE,
  distinct: { count: 10, isEstimate: false },
  examples: ['a', 'b', 'c'],
  digits: [],
  leadingZeros: 0,
  notDigits: NONE,
  noNames: NONE,
  exponents: NONE,
  formulas: NONE,
  tooLong: NONE,
  repeated: NONE,
  kinds: { numbers: 0, dates: 0 },
  values: [],
  ...rest,
})

const CELLS = [
  counts(0, { distinct: { count: 11, isEstimate: true } }),
  counts(1, { empty: { count: 4, rows: [1, 2, 3] }, distinct: { count: 3, isEstimate: false } }),
  counts(2, { empty: { count: 10, rows: [1, 2, 3] }, distinct: { count: 0, isEstimate: false }, examples: [] }),
]
const WITH_KEY = BASE.replace('input: in.csv', 'input: { path: in.csv, key: Id }')

describe('the profile of a plan', () => {
  test('has the mapped columns and the key; an estimate never exceeds the rows', () => {
    expect(planOf(WITH_KEY, {}, { cells: CELLS }).profile).toEqual([
      {
        mapping: 'name',
        header: 'Name',
        index: 1,
        isKey: false,
        filled: 6,
        distinct: 3,
        isEstimate: false,
        examples: ['a', 'b', 'c'],
      },
      { mapping: 'country', header: 'Country', index: 2, isKey: false, filled: 0, distinct: 0, isEstimate: false, examples: [] },
      {
        mapping: null,
        header: 'Id',
        index: 0,
        isKey: true,
        filled: 10,
        distinct: 10,
        isEstimate: true,
        examples: ['a', 'b', 'c'],
      },
    ])
    const mappedKey = planOf(WITH_KEY.replace('key: Id', 'key: Name'), {}, { cells: CELLS }).profile
    expect(mappedKey?.map(({ mapping, isKey }) => [mapping, isKey])).toEqual([
      ['name', true],
      ['country', false],
    ])
  })

  test.each([
    ['mask: [name]', [['***'], [], ['a', 'b', 'c']]],
    ['mask: [Name, Id]', [['***'], [], ['***']]],
    ['mask: [Country]', [['a', 'b', 'c'], [], ['a', 'b', 'c']]],
    ['rows: none', [[], [], []]],
    ['rows: none, mask: [name]', [[], [], []]],
  ])('shows of row content what report: { %s } allows', (report, examples) => {
    const plan = planOf(`${WITH_KEY}report: { ${report} }`, {}, { cells: CELLS })
    expect(plan.profile?.map(one => one.examples)).toEqual(examples)
  })

  test('a masked mapping masks a key of the same column', () => {
    const text = `${WITH_KEY.replace('key: Id', 'key: Name')}report: { mask: [name] }`
    expect(planOf(text, {}, { cells: CELLS }).profile?.[0]).toMatchObject({ isKey: true, examples: ['***'] })
  })

  test('is not part of the fingerprint', () => {
    expect(planOf(WITH_KEY, {}, { cells: CELLS }).fingerprint).toBe(planOf(WITH_KEY).fingerprint)
  })

  test('is shown as a table', () => {
    expect(profileLines(planOf(WITH_KEY, {}, { cells: CELLS }))).toEqual([
      'mapping  header     filled        different        such as',
      'name     "Name"     6       60%   3          50%   "a", "b", "c"',
      'country  "Country"  0       0%    0',
      'key      "Id"       10      100%  ≈ 10       100%  "a", "b", "c"',
    ])
    expect(explainPlan(planOf(WITH_KEY, {}, { cells: CELLS }))).toContain('\n\nprofile\n  mapping  header')
    expect(explainPlan(planOf(WITH_KEY))).not.toContain('profile')
  })
})

describe('a mapping as a line', () => {
  const mapping: PlannedMapping = { mapping: 'orgNumber', header: 'Reg No', index: 2, pad: 8 }

  test.each<[string, Partial<PlannedMapping>, readonly string[]]>([
    ['orgNumber: { from: Reg No, pad: 8 }', {}, ['Reg No']],
    ['orgNumber: Reg No', { pad: null }, ['Reg No']],
    ['orgNumber: { index: 2, pad: 8 }', { header: null }, []],
    ['orgNumber: { index: 2 }', { header: null, pad: null }, []],
    ['orgNumber: { index: 2, pad: 8 }', {}, ['Reg No', 'x', 'Reg No']],
    ['orgNumber: { index: 2, pad: 8 }', { header: 'Reg\u00a0No' }, ['Reg\u00a0No']],
    ['orgNumber: { index: 2, pad: 8 }', { header: '' }, ['']],
    ['orgNumber: { from: "a, b: c", pad: 8 }', { header: 'a, b: c' }, ['a, b: c']],
  ])('%s', (line, rest, headers) => {
    expect(mappingLine({ ...mapping, ...rest }, headers)).toBe(line)
  })

  test('parses to the mapping that it was made of, for any header', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.option(fc.integer({ min: 1, max: 32 })), (header, pad) => {
        const line = mappingLine({ ...mapping, header, pad }, [header])
        const [rule] = pipelineOf(`name: x\ninput: in.csv\nmappings:\n  ${line}\n`).mappings
        expect(rule?.pad).toBe(pad)
        if (rule?.index === null) expect(rule.from).toEqual([header])
        else expect(rule?.index).toBe(2)
      }),
      { numRuns: runs(60, 300) },
    )
  })
})
