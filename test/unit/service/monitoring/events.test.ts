/** Events from changes and active rules. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ActiveRule, findRule, listEvents, listRules, RULES } from '../../../../src/service/monitoring/events.ts'
import { differences, type Facts, FIELDS, type Field, GONE, readFacts } from '../../../../src/service/portfolios/company-facts.ts'
import { engine } from '../engine.ts'

const active = (portfolio: number, ...codes: number[]): ActiveRule[] =>
  codes.map(code => ({ portfolio, code, params: ['', '', ''] }))
const everything = active(1, ...RULES.map(rule => rule.code))
const codesOf = (field: Field, old: string, now: string, country = 'GB', rules = everything): number[] =>
  listEvents({ field, old, new: now }, country, rules).map(made => made.rule.code)
const ceasedIn = (country: string): number => listRules(country).find(rule => rule.field === 'status')?.code ?? 0

describe('a change creates the events of the rules for its field', () => {
  test.each<[Field, number]>([
    ['status', 900_103],
    ['name', 900_104],
    ['address', 105],
    ['legalForm', 900_106],
    ['directors', 900_107],
    ['activities', 900_108],
    ['turnover', 900_109],
    ['profit', 900_110],
    ['equity', 900_111],
    ['employees', 900_112],
    ['rating', 101],
    ['limit', 102],
  ])('%s: %i', (field, code) => {
    expect(codesOf(field, 'a', 'b')).toEqual(expect.arrayContaining([code]))
    expect(codesOf(field, 'a', 'b', 'GB', active(1, code))).toEqual([code])
    expect(codesOf(field, 'a', 'b', 'GB', [])).toEqual([])
    expect(codesOf(field, 'a', 'b', 'GB', active(1, 99))).toEqual([])
  })

  test('the score of one country is reported in that country alone', () => {
    expect(codesOf('score', '60', '40', 'BE', active(1, 1703))).toEqual([1703])
    expect(codesOf('score', '60', '40', 'GB', active(1, 1703))).toEqual([])
  })

  test.each<[number, Field, string, string, string[], boolean]>([
    [101, 'rating', 'A', 'B', ['', 'Any', ''], true],
    [101, 'rating', 'C', 'A', ['2', 'Any', ''], true],
    [101, 'rating', 'A', 'B', ['2', '', ''], false],
    [101, 'rating', 'A', 'C', ['2', '', ''], true],
    [101, 'rating', 'C', 'A', ['1', '', ''], false],
    [101, 'rating', 'B', 'D', ['', 'D', ''], true],
    [101, 'rating', 'B', 'C', ['', 'D', ''], false],
    [101, 'rating', 'E', 'D', ['', 'D', ''], false],
    [101, 'rating', 'A', 'C', ['3', 'C', ''], true],
    [101, 'rating', 'A', 'unrated', ['4', '', ''], true],
    [102, 'limit', '1000', '2000', ['true', '', ''], true],
    [102, 'limit', '1000', '2000', ['', '10', ''], false],
    [102, 'limit', '1000', '900', ['', '10', ''], true],
    [102, 'limit', '1000', '901', ['', '10', ''], false],
    [102, 'limit', '1,000', '499', ['false', '', '500'], true],
    [102, 'limit', '400', '450', ['', '', '500'], false],
    [102, 'limit', '1000', '800', ['', '50', '500'], false],
    [1703, 'score', '60', '54', ['10', '', ''], true],
    [1703, 'score', '60', '55', ['10', '', ''], false],
    [1703, 'score', '60', '70', ['10', '', ''], false],
  ])('rule %i about %s: %s -> %s with %j is reported: %s', (code, field, old, now, params, isReported) => {
    const made = listEvents({ field, old, new: now }, 'BE', [{ portfolio: 1, code, params }])
    expect(made.map(({ rule }) => rule.code)).toEqual(isReported ? [code] : [])
  })

  test('a portfolio whose parameters leave the change out has no notice of it', () => {
    const rules = [
      { portfolio: 1, code: 101, params: ['4', '', ''] },
      { portfolio: 2, code: 101, params: ['1', '', ''] },
    ]
    const [made] = listEvents({ field: 'rating', old: 'A', new: 'B' }, 'GB', rules)
    expect(made?.notices).toEqual([{ portfolio: 2, text: 'International Rating | Reduce by 1 Band(s)' }])
  })

  test('a national rule reports only companies of its country that become inactive', () => {
    const [british, french] = [ceasedIn('GB'), ceasedIn('FR')]
    const rules = active(1, british, french)
    expect(codesOf('status', 'active', 'liquidation', 'GB', rules)).toEqual([british])
    expect(codesOf('status', 'active', 'liquidation', 'FR', rules)).toEqual([french])
    expect(codesOf('status', 'active', 'liquidation', 'DE', rules)).toEqual([])
    expect(codesOf('status', 'liquidation', 'dissolved', 'GB', rules)).toEqual([])
    expect(codesOf('status', 'liquidation', 'active', 'GB', rules)).toEqual([])
  })

  test('a first value is not a change, except an inactive status', () => {
    expect(codesOf('address', '', '1 Mill Lane')).toEqual([])
    expect(codesOf('legalForm', '', 'Ltd')).toEqual([])
    expect(codesOf('status', '', 'active')).toEqual([])
    expect(codesOf('status', '', 'liquidation')).toEqual([900_103, ceasedIn('GB')])
  })

  test('creates one event for all portfolios and a notice for each, with its parameters filled in', () => {
    const rules = [...active(1, 105), ...active(2, 105), ...active(3, 900_103)]
    const made = listEvents({ field: 'address', old: 'a', new: 'b' }, 'GB', rules)
    expect(made).toHaveLength(1)
    expect(made[0]?.notices).toEqual([
      { portfolio: 1, text: 'Address' },
      { portfolio: 2, text: 'Address' },
    ])
  })
})

describe('the table of rules', () => {
  test('numbers are unique and identify their rule', () => {
    expect(new Set(RULES.map(rule => rule.code)).size).toBe(RULES.length)
    for (const rule of RULES) expect(findRule(rule.code)).toBe(rule)
    expect(findRule(1)).toBeNull()
  })
  test('those that are not documented have numbers from 900,000 on', () => {
    const documented = [101, 102, 105, 1703]
    expect(RULES.filter(({ code }) => code < 900_000).map(({ code }) => code)).toEqual(documented)
    expect(RULES.every(({ code }) => code <= 1_000_000)).toBe(true)
    expect(new Set(RULES.map(({ field }) => field))).toEqual(new Set(FIELDS))
  })
  test('documented rules agree with the documentation', () => {
    expect(findRule(101)).toMatchObject({ country: 'XX', type: 4, typeName: 'Rating band change - 3 input' })
    expect(findRule(102)).toMatchObject({ country: 'XX', name: 'Credit Limit Change', localCode: 'CL', globalCode: 'CL' })
    expect(findRule(105)).toMatchObject({ country: 'XX', summary: 'Address Change reported', localCode: 'LI2013' })
    expect(findRule(1703)).toMatchObject({ country: 'BE' })
    expect(listRules('ZZ')).toEqual([])
  })
  test.each<[number, string[], boolean]>([
    [101, ['1', 'A', 'true'], true],
    [101, ['', 'Any', ''], true],
    [101, ['5', '', ''], false],
    [101, ['', 'E', ''], false],
    [102, ['true', '25', '1000'], true],
    [102, ['', '101', ''], false],
    [1703, ['10', '', ''], true],
    [105, ['1', '', ''], false],
  ])('%i takes %j: %s', (code, params, fits) => {
    expect(params.every((param, place) => findRule(code)?.params[place]?.test(param))).toBe(fits)
  })
})

describe('differences of two states', () => {
  const company = engine.at(0)
  const facts = readFacts(company)
  test('compare status, name, address, legal form and directors', () => {
    expect(facts).toEqual({
      status: 'active',
      name: 'ACME LTD',
      address: '1 High Street, Leeds, LS1 1AA',
      ...Object.fromEntries(FIELDS.slice(3).map(field => [field, ''])),
    })
    const more = { ...company, legalForm: 'Ltd', directors: ['B', 'A'], activities: ['62012 Software'], figures: { rating: 'A' } }
    expect(readFacts(more)).toMatchObject({ legalForm: 'Ltd', directors: 'A; B', activities: '62012 Software', rating: 'A' })
    expect(differences(readFacts(more), readFacts({ ...more, directors: ['A', 'B'] }))).toEqual([])
  })
  test('ignore case, spaces and missing values', () => {
    expect(differences(facts, { ...facts, name: ' Acme  Ltd' })).toEqual([])
    expect(differences(facts, { ...facts, address: '' })).toEqual([])
    expect(differences(facts, { ...facts, name: 'ACME PLC' })).toEqual([{ field: 'name', old: 'ACME LTD', new: 'ACME PLC' }])
  })
  test('leaving and returning to the register change only the status', () => {
    const left = differences(facts, GONE)
    expect(left).toEqual([{ field: 'status', old: 'active', new: GONE.status }])
    const gone = { ...facts, status: GONE.status }
    expect(differences(gone, GONE)).toEqual([])
    expect(differences(gone, facts)).toEqual([{ field: 'status', old: GONE.status, new: 'active' }])
    expect(differences(gone, { ...facts, status: '' })).toEqual([{ field: 'status', old: GONE.status, new: '' }])
  })
  test('applied to the old state, give the new state', () => {
    const word = fc.constantFrom('', 'a', 'A ', 'b', 'c d', GONE.status)
    const state = fc.record(Object.fromEntries(FIELDS.map(field => [field, word])) as Record<Field, typeof word>)
    fc.assert(
      fc.property(state, state, (before: Facts, after: Facts) => {
        const applied = { ...before, ...Object.fromEntries(differences(before, after).map(one => [one.field, one.new])) }
        expect(differences(applied, after)).toEqual([])
      }),
    )
  })
})
