/** What a decision about one row shows about others: names in another spelling, and nothing where decisions disagree. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Answer, NOT_SENT } from '../../../src/results/answers.ts'
import { applyDecision, cellOf, learn } from '../../../src/results/decisions/apply-decisions.ts'
import type { Decision } from '../../../src/results/decisions/decision.ts'
import { Decisions } from '../../../src/results/decisions/decisions.ts'
import { LearnedNames } from '../../../src/results/decisions/learned-names.ts'
import type { EnrichedColumns } from '../../../src/results/enriched-columns.ts'

const TODAY = '2026-11-21'
const fingerprint = (n: number): string => `r${n.toString(16).padStart(32, '0')}`
let lines = 0
const line = (name: string, company: string, rest: Partial<Decision> = {}): Decision => ({
  fingerprint: fingerprint(++lines),
  decision: 'accept',
  company,
  companyName: 'Northwind Systems Ltd',
  name,
  by: 'ann',
  at: '2026-11-20T08:00:00.000Z',
  expires: '',
  ...rest,
})
const namesOf = (all: readonly Decision[], precision?: number) => new LearnedNames(new Decisions(all, TODAY), precision)
const ONE = 'CC-1'

describe('a row is the company that was accepted for', () => {
  const accepted = namesOf([line('Northwind Information Systems', ONE)])
  test.each([
    ['the same words', 'NORTHWIND INFORMATION SYSTEMS'],
    ['with a typing error', 'Northwind Informtion Systems'],
    ['with a word apart', 'Northwind Information Sys tems'],
    ['with a legal form', 'Northwind Information Systems Ltd'],
  ])('%s', (_, name) => expect(accepted.find(name, [ONE])?.name).toBe('Northwind Information Systems'))

  test.each([
    ['a different company', 'Northwind Information Systems', 'CC-2'],
    ['a sister by its number', 'Northwind Information Systems 2', ONE],
    ['a sister by its country', 'Northwind Information Systems UK', ONE],
    ['names that are not alike', 'Northwind Bakery', ONE],
    ['an empty name', '', ONE],
    ['a masked name', '***', ONE],
  ])('but not %s', (_, name, company) => expect(accepted.find(name, [company])).toBeNull())

  it('but not where legal forms are of different kinds', () => {
    const found = namesOf([line('Northwind Trading GmbH', ONE)])
    expect(found.find('Northwind Trading AG', [ONE])).toBeNull()
    expect(found.find('Northwind Trading', [ONE])).not.toBeNull()
  })

  it('but not short names in another spelling', () => {
    expect(namesOf([line('Akzo', ONE)]).find('Akz', [ONE])).toBeNull()
    expect(namesOf([line('Akzo', ONE)]).find('AKZO', [ONE])).not.toBeNull()
  })

  it('but not where nothing is proved about so high a precision', () => {
    const all = [line('Northwind Information Systems', ONE)]
    expect(namesOf(all, 0.98).find('Northwind Information System', [ONE])).not.toBeNull()
    expect(namesOf(all, 0.99).find('Northwind Information System', [ONE])).toBeNull()
  })
})

test.each([
  ['accept another company', line('Northwind Information Systm', 'CC-2')],
  ['reject the company', line('Northwind Information Systm', ONE, { decision: 'reject' })],
  ['reject all companies', line('Northwind Information Systm', '', { decision: 'reject' })],
])('nothing is learned where decisions about such names %s', (_, against) => {
  const all = [line('Northwind Information Systems', ONE), against]
  for (const list of [all, all.toReversed()]) expect(namesOf(list).find('Northwind Information System', [ONE])).toBeNull()
  const other = line('Northwind Information Systm', 'CC-3', { decision: 'reject' })
  expect(namesOf([all[0]!, other]).find('Northwind Information System', [ONE])).not.toBeNull()
})

describe('a row with the words by which an accepted name agrees with its company', () => {
  const accepted = [line('Northwind Bakery', ONE)]
  const best = { name: 'Northwind Systems Ltd', score: 0.4 }
  const find = (name: string, others: readonly { name: string; score: number }[], all: readonly Decision[] = accepted) =>
    namesOf(all).find(name, [ONE], [best, ...others])

  it('is that company as well', () => {
    expect(find('Northwind Health Clinics', [])?.name).toBe('Northwind Bakery')
    expect(find('Northwind Health Clinics', [{ name: 'Health Switch', score: 0.02 }])).toBeNull()
    expect(find('Northwind Health Clinics', [{ name: 'Switch Health', score: 0.02 }])).not.toBeNull()
  })

  test.each([
    ['lacks them', 'Health Clinics', []],
    ['may be a sister by its number', 'Northwind Health 2', []],
    ['has another candidate with these words', 'Northwind Health', [{ name: 'Northwind Homes', score: 0.001 }]],
    ['has another candidate that is nearly as likely', 'Northwind Health', [{ name: 'Switch Health', score: 0.03 }]],
    ['begins with another candidate', 'Contoso and Northwind', [{ name: 'Contoso Homes', score: 0.001 }]],
  ])('but not if it %s', (_, name, others) => expect(find(name, others)).toBeNull())

  it('but not where a name with these words was rejected, or accepted for another company', () => {
    const asked = ['Northwind Health', []] as const
    expect(find(...asked, [...accepted, line('Northwind Garage', ONE, { decision: 'reject' })])).toBeNull()
    expect(find(...asked, [...accepted, line('Northwind Garage', 'CC-2')])).toBeNull()
    expect(find(...asked, [...accepted, line('Contoso Garage', 'CC-2')])).not.toBeNull()
  })
})

test('what is learned does not depend on the order of decisions, and only ever is an accepted company', () => {
  const name = fc.constantFrom(
    'Northwind Systems',
    'Northwind System',
    'Nortwind Systems',
    'Contoso Bakery',
    'Contoso Bakeries',
    'Northwind Bakeries',
    'Systems of Contoso',
    'X',
  )
  const decision = fc.record({
    name,
    company: fc.constantFrom('CC-1', 'CC-2'),
    decision: fc.constantFrom('accept' as const, 'reject' as const),
  })
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 8 }), name, (given, asked) => {
      const all = given.map(one => line(one.name, one.company, { decision: one.decision }))
      for (const id of ['CC-1', 'CC-2']) {
        const candidates = [{ name: 'Northwind Systems Bakery', score: 0.5 }]
        const found = namesOf(all).find(asked, [id], candidates)
        expect(namesOf(all.toReversed()).find(asked, [id], candidates) === null).toBe(found === null)
        if (found !== null) expect([found.decision, found.company]).toEqual(['accept', id])
      }
    }),
  )
})

const HEADER = ['general.connectId', 'match.outcome', 'match.reason', 'match.score', 'match.why', 'match.candidates']
const COLUMNS: EnrichedColumns = { header: HEADER, received: HEADER, own: [], added: [], find: name => HEADER.indexOf(name) }
const inReview = (reason: string, why: string): Answer => ({
  ...NOT_SENT,
  outcome: 'review',
  serviceOutcome: 'review',
  columns: COLUMNS,
  row: [
    '',
    'review',
    reason,
    '0.500',
    why,
    JSON.stringify([{ id: ONE, name: 'Northwind Systems Ltd', score: 0.5, why, tags: { 'contact.city': 'Leeds' } }]),
  ],
})

describe('a row in review', () => {
  const decisions = new Decisions([line('Northwind Systems', ONE)], TODAY)
  const learned = (answer: Answer, name = 'Northwind System') =>
    learn(applyDecision(answer, [fingerprint(0)], decisions), name, new LearnedNames(decisions))

  it('gets the company with its tags, and shows by which name', () => {
    const found = learned(inReview('between-thresholds', 'name 0.80'))!
    expect(found).toMatchObject({
      outcome: 'manualMatched',
      serviceOutcome: 'review',
      decided: null,
      learned: { name: 'Northwind Systems' },
    })
    expect(['general.connectId', 'contact.city', 'match.why'].map(name => cellOf(found, name))).toEqual([
      ONE,
      'Leeds',
      'as "Northwind Systems" was accepted by ann, 2026-11-20 | name 0.80',
    ])
  })

  test.each([
    ['number-and-name-disagree', 'name 0.80'],
    ['between-thresholds', 'name 0.80 | postcode ≠'],
    ['ambiguous', 'name 0.80 | number ≠'],
    ['', 'name 0.80'],
  ])('stays there where more than its name is in question: %s, %s', (reason, why) =>
    expect(learned(inReview(reason, why))).toBeNull(),
  )

  it('is decided by words in common with the accepted name if its place was not compared', () => {
    const bakery = (why: string) => learned(inReview('between-thresholds', why), 'Northwind Bakery of York')
    expect(bakery('name 0.60')).toBeNull()
    const taught = new LearnedNames(new Decisions([line('Northwind Systems Leeds', ONE)], TODAY))
    const row = (why: string) =>
      learn(applyDecision(inReview('between-thresholds', why), [fingerprint(0)], null), 'Systems Northwind York', taught)
    expect(row('name 0.60')).not.toBeNull()
    expect(row('name 0.60 | town =')).toBeNull()
  })

  it('stays there if a person decided about the row itself', () => {
    const own = new Decisions(
      [line('Northwind Systems', ONE), { ...line('Northwind System', ''), decision: 'reject', fingerprint: fingerprint(0) }],
      TODAY,
    )
    const result = applyDecision(inReview('between-thresholds', 'name 0.80'), [fingerprint(0)], own)
    expect(learn(result, 'Northwind System', new LearnedNames(own))).toBeNull()
  })
})
