/** The evaluator of decision tables: what each condition means, values that are missing, and one decision for every row. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decider } from '../../../src/decide/decide.ts'
import { tableProblems } from '../../../src/decide/problems.ts'
import { type Condition, DECISIONS, type DecisionTable, type Field, tableSchema } from '../../../src/decide/table.ts'

const DAY = '2026-11-27'

function decideBy(table: DecisionTable, row: Readonly<Record<string, string>>, asOf = DAY) {
  const decider = new Decider(table, asOf)
  return decider.decide(decider.fields.map(name => row[name]))
}

const oneRule = (when: Record<string, Condition>, fields: Record<string, Field> = {}): DecisionTable =>
  tableSchema.parse({ fields, rules: [{ name: 'r', when, decision: 'decline', because: 'so' }], otherwise: 'accept' })

const AMOUNT: Field = { type: 'number', unit: 'EUR' }
const GERMAN: Field = { type: 'number', decimal: ',' }
const BORN: Field = { type: 'date', order: 'dmy' }

test.each<[string, Field, Condition, string, string]>([
  ['text is equal regardless of case and space', {}, 'Active', ' ACTIVE ', 'decline'],
  ['text differs', {}, 'Active', 'Activ', 'accept'],
  ['composed letters are the same', {}, 'Müller', 'Mu\u0308ller', 'decline'],
  ['zeros of a number that is text count', {}, '0012', '12', 'accept'],
  ['a list', {}, ['D', 'E'], 'e', 'decline'],
  ['in', {}, { in: ['D', 'E'] }, 'C', 'accept'],
  ['not a value', {}, { not: 'Active' }, 'Dissolved', 'decline'],
  ['not a list', {}, { not: ['A', 'B'] }, 'B', 'accept'],
  ['less', AMOUNT, { '<': 5000 }, '4,999.99', 'decline'],
  ['less, the bound itself', AMOUNT, { '<': 5000 }, '5,000.00', 'accept'],
  ['greater', AMOUNT, { '>': '5000 EUR' }, 'EUR 5 000,01'.replace(',', '.'), 'decline'],
  ['between has both ends', AMOUNT, { between: [1, 2] }, '2 eur', 'decline'],
  ['between, outside', AMOUNT, { between: [1, 2] }, '2.01', 'accept'],
  ['not between', AMOUNT, { not: { between: [1, 2] } }, '3', 'decline'],
  ['two bounds', AMOUNT, { '>': 1, '<': 2 }, '1.5', 'decline'],
  ['numbers are equal in any form', AMOUNT, 1000, '1,000.0', 'decline'],
  ['a decimal comma', GERMAN, { '>': 1000 }, '1.234,50', 'decline'],
  ['a comma is a decimal mark', GERMAN, { '>': 1000 }, '1,234', 'accept'],
  ['a negative number', GERMAN, { '<': 0 }, '-0,5', 'decline'],
  ['a date, the day first', BORN, { '<': '2020-02-01' }, '31/01/2020', 'decline'],
  ['a date with its time', BORN, { '>': '2020-01-01' }, '2020-01-02T10:00:00Z', 'decline'],
  ['years that are complete', { type: 'age', unit: 'years' }, { '<': 2 }, '2024-11-28', 'decline'],
  ['years that have just passed', { type: 'age', unit: 'years' }, { '<': 2 }, '2024-11-27', 'accept'],
  ['months', { type: 'age', unit: 'months' }, 1, '2026-10-27', 'decline'],
  ['days over a leap year', { type: 'age', unit: 'days' }, 366, '2025-11-26', 'decline'],
  ['a value that is present', {}, { present: true }, 'x', 'decline'],
  ['a value that is absent', {}, { present: false }, ' ', 'decline'],
  ['absent is no reason to refer', {}, { present: true }, '', 'accept'],
])('%s', (_, field, condition, cell, decision) => {
  const table = oneRule({ f: condition }, { f: field })
  expect(tableProblems(table)).toEqual([])
  expect(decideBy(table, { f: cell })).toMatchObject({ decision, missing: null })
})

test.each<[string, Field, Condition, string, string]>([
  ['nothing', {}, 'A', '', 'f is missing'],
  ['nothing, with not', {}, { not: 'A' }, '  ', 'f is missing'],
  ['a word', AMOUNT, { '<': 5 }, 'n/a', 'f is not a number in EUR: "n/a"'],
  ['another unit', AMOUNT, { '<': 5 }, '3 USD', 'f is not a number in EUR: "3 USD"'],
  ['a unit on both sides', AMOUNT, { '<': 5 }, 'EUR 3 EUR', 'f is not a number in EUR: "EUR 3 EUR"'],
  ['a decimal comma that is not declared', AMOUNT, { '<': 5 }, '1,5', 'f is not a number in EUR: "1,5"'],
  ['groups of the wrong size', AMOUNT, { '<': 5 }, '1,00,000', 'f is not a number in EUR: "1,00,000"'],
  ['more digits than a double holds', AMOUNT, 5, '12345678901234567', 'f is not a number in EUR: "12345678901234567"'],
  ['a day that does not exist', BORN, { '<': '2020-01-01' }, '30/02/2019', 'f is not a date: "30/02/2019"'],
  ['a serial number of Excel', BORN, { '<': '2020-01-01' }, '43831', 'f is not a date: "43831"'],
])('refers where a value cannot be judged: %s', (_, field, condition, cell, why) => {
  const decision = decideBy(oneRule({ f: condition }, { f: field }), { f: cell })
  expect(decision).toEqual({ decision: 'refer', rule: 'r', why, missing: 'f' })
})

test('a rule whose other condition does not hold is passed over, in either order', () => {
  const both: Record<string, Condition>[] = [
    { status: 'Dissolved', limit: { '<': 5 } },
    { limit: { '<': 5 }, status: 'Dissolved' },
  ]
  for (const when of both) {
    const table = oneRule(when, { limit: AMOUNT })
    expect(decideBy(table, { status: 'Active' }).decision).toBe('accept')
    expect(decideBy(table, { status: 'Dissolved' })).toMatchObject({ decision: 'refer', why: 'limit is missing' })
  }
})

test('two fields are compared, and both values are in the reason', () => {
  const fields = { order: AMOUNT, limit: AMOUNT }
  const table = oneRule({ limit: { '<': { field: 'order' } } }, fields)
  expect(decideBy(table, { order: '12,000 EUR', limit: '5000' })).toMatchObject({
    decision: 'decline',
    why: 'so (limit 5000, order 12,000 EUR)',
  })
  expect(decideBy(table, { order: '', limit: '5000' })).toMatchObject({ decision: 'refer', missing: 'order' })
})

test('a rule without a sentence has one of its conditions', () => {
  const rules = [{ name: 'band', when: { rating: { not: ['A', 'B'] } }, decision: 'decline' }]
  const table = tableSchema.parse({ rules, otherwise: { decision: 'accept', because: 'all is well' } })
  expect(decideBy(table, { rating: 'E' }).why).toBe('rating not: is one of A, B (rating E)')
  expect(decideBy(table, { rating: 'A' })).toMatchObject({ rule: 'otherwise', why: 'all is well' })
})

test('a rule applies from its first to its last day', () => {
  const rules = [{ name: 'r', when: { f: 'x' }, decision: 'decline', from: '2026-01-01', until: '2026-06-30' }]
  const table = tableSchema.parse({ rules, otherwise: 'accept' })
  const decisions = ['2025-12-31', '2026-01-01', '2026-06-30', '2026-07-01'].map(day => decideBy(table, { f: 'x' }, day).decision)
  expect(decisions).toEqual(['accept', 'decline', 'decline', 'accept'])
})

const NAMES = ['a', 'b', 'c', 'constructor', '__proto__']
const types = fc.record({ a: fc.constantFrom('text', 'number'), b: fc.constantFrom('number', 'date', 'age') })
const cells = fc.oneof(
  fc.constantFrom('', ' ', '5', '5.5', '1,000', 'x', 'X', '2026-01-31', '31/01/2026', '٣', '1e5', '5 EUR', '\u0000'),
  fc.string(),
)
const word = fc.constantFrom('x', 'y', '5')
const limit = fc.integer({ min: -10, max: 10 })

function conditionFor(type: string): fc.Arbitrary<Condition> {
  const plain: fc.Arbitrary<Condition>[] = [fc.boolean().map(present => ({ present }))]
  if (type === 'text')
    plain.push(
      word,
      fc.array(word, { minLength: 1 }),
      word.map(value => ({ '=': value })),
    )
  else if (type === 'date') plain.push(fc.constantFrom('2026-01-31', '2020-02-29').map(value => ({ '<': value })))
  else
    plain.push(
      limit,
      limit.map(value => ({ '>': value })),
      fc.tuple(limit, limit).map(pair => ({ between: pair.sort((x, y) => x - y) })),
    )
  const one = fc.oneof(...plain)
  return fc.oneof(one, one.map(not => ({ not })) as fc.Arbitrary<Condition>)
}

const tables = types.chain(({ a, b }) => {
  const fields: Record<string, Field> = {
    a: { type: a as 'text' },
    b: { type: b as 'date', unit: b === 'age' ? 'days' : undefined },
  }
  const typeOf = (name: string): string => (name === 'a' ? a : name === 'b' ? b : 'text')
  const when = fc
    .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
    .chain(names => fc.tuple(...names.map(name => conditionFor(typeOf(name)).map(condition => [name, condition] as const))))
    .map(entries => Object.fromEntries(entries))
  const rule = fc.record({ when, decision: fc.constantFrom(...DECISIONS) })
  return fc
    .record({ rules: fc.array(rule, { minLength: 1, maxLength: 6 }), otherwise: fc.constantFrom(...DECISIONS) })
    .map(({ rules, otherwise }) => ({ fields, rules: rules.map((given, at) => ({ name: `r${at}`, ...given })), otherwise }))
})
const rows = fc.dictionary(fc.constantFrom(...NAMES), cells)

test('any table decides any row exactly once, by a rule that it has', () => {
  fc.assert(
    fc.property(tables, rows, (table, row) => {
      const decider = new Decider(table, DAY)
      const given = decider.fields.map(name => (Object.hasOwn(row, name) ? row[name] : undefined))
      const decision = decider.decide(given)
      expect(DECISIONS).toContain(decision.decision)
      expect([...table.rules.map(({ name }) => name), 'otherwise']).toContain(decision.rule)
      expect(decision.why).not.toBe('')
      if (decision.missing !== null) expect(decision.decision).toBe('refer')
    }),
  )
})

test('the decision about a row depends on no other row', () => {
  fc.assert(
    fc.property(tables, fc.array(rows, { maxLength: 5 }), (table, list) => {
      const decider = new Decider(table, DAY)
      const decide = (row: Readonly<Record<string, string>>, by = decider) =>
        by.decide(by.fields.map(name => (Object.hasOwn(row, name) ? row[name] : undefined)))
      const inOrder = list.map(row => decide(row))
      expect(list.map(row => decide(row, new Decider(table, DAY)))).toEqual(inOrder)
      expect(list.toReversed().map(row => decide(row))).toEqual(inOrder.toReversed())
    }),
  )
})

test('a row accepted with an empty cell is accepted regardless of that cell, if no rule asks whether it is present', () => {
  const plain = tables.filter(({ rules }) => !JSON.stringify(rules).includes('present'))
  fc.assert(
    fc.property(plain, rows, fc.constantFrom(...NAMES), cells, (table, row, name, cell) => {
      const decider = new Decider(table, DAY)
      const decide = (value: string) =>
        decider.decide(decider.fields.map(field => (field === name ? value : Object.hasOwn(row, field) ? row[field] : undefined)))
      const empty = decide('')
      if (empty.missing === null) expect(decide(cell).rule).toBe(empty.rule)
    }),
  )
})
