/** Decision tables as text: every problem at once, each with its place. */
import { expect, test } from 'vitest'
import { columnProblems } from '../../../src/decide/problems.ts'
import { parseDecisionTable, testProblems } from '../../../src/pipeline/decision-file.ts'

const DAY = '2026-11-27'

/** `line:column message`, of the text and of its tests. */
function problemsOf(text: string, columns?: readonly string[]): string[] {
  const { table, issues, issuesOf } = parseDecisionTable(text, 'limit.yml')
  const later =
    table === null
      ? []
      : [
          ...(columns === undefined ? [] : columnProblems(table, { known: columns, what: 'list.csv' })),
          ...testProblems(table, DAY),
        ]
  return [...issues, ...issuesOf(later)].map(({ at, message }) => `${at?.line}:${at?.column} ${message}`)
}

const GOOD = `
fields:
  Order Value: { type: number, unit: GBP }
rules:
  - name: inactive
    when: { general.status: { not: Active } }
    decision: decline
    because: the company is not active
  - name: large
    when: { Order Value: { ">": 5000 GBP } }
    decision: refer
otherwise: accept
tests:
  - { name: a dissolved company, row: { general.status: Dissolved }, expect: decline }
  - { name: a large order, row: { general.status: Active, Order Value: "5,000.01" }, expect: { decision: refer, rule: large } }
  - { name: no order, row: { general.status: Active }, expect: { decision: refer, rule: large } }
`

test('reads a table without problems, and its tests pass', () => {
  expect(problemsOf(GOOD, ['Order Value', 'general.status'])).toEqual([])
})

test('reads the same table as JSON', () => {
  const { table } = parseDecisionTable(GOOD, 'limit.yml')
  expect(parseDecisionTable(JSON.stringify(table), 'limit.json')).toMatchObject({ table, issues: [] })
})

test('names every problem of a table at once', () => {
  const text = `
fields:
  Order Value: { type: number, unit: GBP, order: dmy }
  Ordr Value: { type: number }
rules:
  - name: text
    when: { general.score: { "<": 50 } }
    decision: decline
  - name: units
    when: { Order Value: { between: [5 USD, "1,5"] } }
    decision: declined
  - name: unit
    when: { Order Value: { "<": 5 USD } }
    decision: decline
  - { name: unit, when: { country: [] }, decision: refer, becuase: x }
  - { name: never, when: { Order Value: { ">": 10, "<": 5 } }, decision: refer, from: 2026-02-01, until: 2026-01-01 }
tests:
  - { name: t, row: {}, expect: maybe }
`
  expect(problemsOf(text)).toEqual([
    '2:1 otherwise is missing',
    '3:43 fields.Order Value: order is for type: date or age, and the field is number',
    '4:3 no rule reads the field "Ordr Value"; did you mean Order Value?',
    '7:30 "general.score" is text, and < compares numbers or dates',
    '10:38 "Order Value" is compared with "5 USD", which is not a number in GBP',
    '10:45 "Order Value" is compared with "1,5", which is not a number in GBP',
    '11:15 rules.1.decision: expected one of accept, refer, decline, found the text "declined"; did you mean decline?',
    '13:33 "Order Value" is compared with "5 USD", which is not a number in GBP',
    '15:36 rules.3.when.country: expected at least one value, found an empty list',
    '15:59 "becuase" is not part of rules.3; did you mean because?',
    '16:41 "Order Value" < 5 and > 10: no value can be that',
    '16:106 the rule "never" never applies: 2026-01-01 is before 2026-02-01',
    '18:33 tests.0.expect: expected one of accept, refer, decline, found the text "maybe"',
  ])
})

test('a rule of a wrong form reads its fields, and its conditions are checked as well', () => {
  const text = `fields: { day: { type: date } }
rules: [{ name: a, when: { day: { "<": 2026-13-01 } }, decision: refer, from: 2026-02-30 }]
otherwise: accept
`
  expect(problemsOf(text)).toEqual([
    '2:40 "day" is compared with "2026-13-01", which is not a date',
    '2:79 rules.0.from: expected a day such as 2026-01-31, found the text "2026-02-30"',
  ])
})

test.each<[string, string]>([
  ['{ between: [0, 1000] }', '{ between: [1000, 5000] }'],
  ['{ between: [0, 1000] }', '{ ">": 900 }'],
  ['{ between: [0, 1000] }', '{ present: true, ">": 900 }'],
])('ranges that overlap by a part: %s and %s', (first, second) => {
  const text = `fields: { v: { type: number } }
rules:
  - { name: small, when: { v: ${first} }, decision: accept }
  - { name: medium, when: { v: ${second} }, decision: refer }
otherwise: decline
`
  expect(problemsOf(text)).toEqual([
    '4:32 the ranges of "v" overlap: the rule "small" (accept) takes rows of "medium" (refer) (line 3)',
  ])
})

test.each<[string, string]>([
  ['{ "<": 1000 }', '{ between: [1000, 5000] }'],
  ['{ ">": 100 }', '{ ">": 50 }'],
  ['{ between: [5, 6] }', '{ between: [1, 10] }'],
  ['{ not: { "<": 5 } }', '{ "<": 6 }'],
])('ranges that do not share values, and a narrower one before a wider one: %s and %s', (first, second) => {
  const text = `fields: { v: { type: number } }
rules:
  - { name: small, when: { v: ${first} }, decision: accept }
  - { name: medium, when: { v: ${second} }, decision: refer }
otherwise: decline
`
  expect(problemsOf(text)).toEqual([])
})

test.each<[string, string]>([
  ['{ v: { ">": 50 } }', '{ v: { ">": 100 }, w: A }'],
  ['{ w: [A, B] }', '{ w: b }'],
  ['{ w: { not: A } }', '{ w: { not: A }, v: 5 }'],
])('a rule that an earlier one covers is never reached: %s and %s', (first, second) => {
  const text = `fields: { v: { type: number } }
rules:
  - { name: wide, when: ${first}, decision: decline }
  - { name: narrow, when: ${second}, decision: refer }
  - { name: both, when: { v: 1, w: Z }, decision: refer }
otherwise: accept
`
  expect(problemsOf(text)[0]).toBe('4:13 the rule "narrow" is never reached: "wide" before it holds for all of its rows (line 3)')
})

test.each<[string, string, string]>([
  ['{ w: [A, B] }', '{ w: [B, C] }', '"w"'],
  ['{ v: { between: [0, 9] }, w: [A, B] }', '{ v: { between: [5, 20] }, w: [B, C] }', '"v", "w"'],
  ['{ v: { between: [0, 9] }, w: A }', '{ w: [A, B], v: { between: [2, 3] } }', '"v", "w"'],
])('a note names the rule that takes a part of the rows of a later one: %s and %s', (first, second, fields) => {
  const text = `fields: { v: { type: number } }
rules:
  - { name: one, when: ${first}, decision: decline }
  - { name: two, when: ${second}, decision: refer }
  - { name: other, when: { v: 77, w: Z }, decision: refer }
otherwise: accept
`
  const { table, issues } = parseDecisionTable(text, 'd.yml')
  expect(table).not.toBeNull()
  expect(issues).toMatchObject([{ severity: 'info', at: { line: 4 } }])
  expect(issues[0]?.message).toBe(
    `the rules overlap in ${fields}: the rule "one" (decline) takes a part of the rows of "two" (refer) (line 3)`,
  )
  expect(parseDecisionTable(text.replace('decision: decline', 'decision: refer'), 'd.yml').issues).toEqual([])
})

test.each<[string, string]>([
  ['{ v: { between: [0, 4] }, w: [A, B] }', '{ v: { between: [5, 20] }, w: [B, C] }'],
  ['{ v: { between: [5, 9] }, w: A }', '{ v: { between: [5, 20] }, w: [A, C] }'],
  ['{ w: [A, B] }', '{ v: 5 }'],
])('rules that share no rows, a narrower one first, and rules about other fields are not noted: %s and %s', (first, second) => {
  const text = `fields: { v: { type: number } }
rules:
  - { name: one, when: ${first}, decision: decline }
  - { name: two, when: ${second}, decision: refer }
  - { name: other, when: { v: 77, w: Z }, decision: refer }
otherwise: accept
`
  expect(parseDecisionTable(text, 'd.yml').issues).toEqual([])
})

test('rules of different times neither cover nor overlap each other', () => {
  const text = `rules:
  - { name: before, when: { w: A }, decision: decline, until: 2026-06-30 }
  - { name: after, when: { w: A }, decision: refer, from: 2026-07-01 }
otherwise: accept
`
  expect(problemsOf(text)).toEqual([])
})

test('a column that does not exist, and a test that fails', () => {
  const text = `${GOOD}  - { name: an active company, row: { general.status: Active, Ordr Value: 1 }, expect: accept }
  - { name: a small order, row: { general.status: active, Order Value: 1 }, expect: decline }
`
  expect(problemsOf(text, ['Order Val', 'general.status'])).toEqual([
    '3:3 "Order Value" is not a column of list.csv; did you mean Order Val?',
    '17:63 no rule reads the field "Ordr Value"; did you mean Order Value?',
    '18:85 the test "a small order" fails: expected decline, found accept by otherwise: no rule holds',
  ])
})

test.each<[string, string]>([
  ['', '1:1 the decision table is empty: it needs rules and otherwise'],
  ['- a', '1:1 a decision table: expected a decision table, found a list'],
  ['rules: [', '1:9'],
])('a text without a table: %j', (text, message) => {
  expect(problemsOf(text)[0]).toContain(message.replace('1:1 ', ''))
})
