import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTestFile, withExpectations } from '../../../src/pipeline/index.ts'

const VALID = `# a comment stays
register:
  - { id: 1, name: Harrow Optics Limited, orgNumber: 01234567 }
tests:
  - name: finds a company
    rows: [{ No: 0012, Company: Harrow Optics Ltd, Reg: ~ }]   # as written
    expect:
      "0012": matched
    faults: [upload-lost]
  - name: lists
    rows: list.csv
    output: expected.csv
  - { "name": "flow", "rows": "list.csv", "expect": { "1": "review" } }
`

test('cells are text, unchanged', () => {
  const { tests, issues } = parseTestFile(VALID, 'a.test.yml')
  expect(issues).toEqual([])
  expect(tests?.register).toEqual([{ id: '1', name: 'Harrow Optics Limited', orgNumber: '01234567' }])
  expect(tests?.tests[0]).toMatchObject({
    rows: [{ No: '0012', Company: 'Harrow Optics Ltd', Reg: '' }],
    faults: ['upload-lost'],
  })
})

test('all problems of a file are reported at once, each with its place', () => {
  const text = `pipelin: a.yml
tests:
  - rows: []
    expect: { "1": match, "2": { outcom: matched } }
    faults: [upload-lot]
  - name: x
`
  const { tests, issues } = parseTestFile(text, 'a.test.yml')
  expect(tests).toBeNull()
  expect(issues.map(({ at, message }) => `${at?.line}:${at?.column} ${message.split(',')[0]}`).sort()).toEqual([
    '1:1 "pipelin" is not part of the test file; did you mean pipeline?',
    '3:11 tests.0.rows: expected at least one record',
    '3:5 tests.0.name is missing',
    '4:20 tests.0.expect.1: expected one of matched',
    '4:34 "outcom" is not part of tests.0.expect.2; did you mean outcome?',
    '5:14 tests.0.faults.0: expected one of create-lost',
    '6:5 tests.1.rows is missing',
  ])
  for (const broken of ['', '- a', 'tests: [', '{"tests": 1}'])
    for (const file of ['a.test.yml', 'a.test.json'])
      expect(parseTestFile(broken, file).issues.map(one => one.code)).toContain('FETTLE_TEST_FILE')
})

test('an update replaces expectations and no other byte', () => {
  const changed = withExpectations(
    VALID,
    new Map<number, Parameters<typeof withExpectations>[1] extends ReadonlyMap<number, infer T> ? T : never>([
      [0, { '0012': { outcome: 'review' as const, company: 'GB-X-1', cells: { 'general.name': 'A "B": c' } } }],
      [1, { '1': 'unmatched' }],
      [2, { '1': 'matched' }],
    ]),
  )
  expect(changed).toBe(
    VALID.replace('"0012": matched', '"0012": { outcome: review, company: GB-X-1, cells: { general.name: "A \\"B\\": c" } }')
      .replace('name: lists', 'name: lists\n    expect:\n      "1": unmatched')
      .replace('{ "1": "review" }', '{ "1": "matched" }'),
  )
})

test('what an update writes is read again unchanged', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 12 })
  const outcome = fc.constantFrom('matched' as const, 'review' as const, 'unmatched' as const)
  const expected = fc.dictionary(
    cell.filter(key => key.trim() !== '' && key !== '__proto__'),
    fc.oneof(outcome, fc.record({ outcome, company: cell, cells: fc.dictionary(fc.constantFrom('a.b', 'null', 'No 1'), cell) })),
    { minKeys: 1, maxKeys: 4, noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(expected, { minLength: 3, maxLength: 3 }), all => {
      const text = withExpectations(VALID, new Map(all.map((one, at) => [at, one])))
      const { tests, issues } = parseTestFile(text, 'a.test.yml')
      expect(issues).toEqual([])
      expect(tests?.tests.map(one => one.expect)).toEqual(all)
    }),
    { numRuns: 100 },
  )
})
