/** The confidence of a match and the letters of its fields. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeQuery, matchedCompany, rateConfidence } from '../../../../src/service/companies/routes.ts'
import { THRESHOLDS } from '../../../../src/service/matching/index.ts'
import { engine } from '../engine.ts'

const REVIEW_FROM = THRESHOLDS.review

test('a confidence is a whole number from 893 to 999 that never falls as the score rises', () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(score, score, (a, b) => {
      const [low, high] = a < b ? [a, b] : [b, a]
      expect(rateConfidence(low)).toBeLessThanOrEqual(rateConfidence(high))
      for (const one of [rateConfidence(low), rateConfidence(high)]) {
        expect(Number.isInteger(one) && one >= 893 && one <= 999).toBe(true)
      }
    }),
  )
  expect([0, REVIEW_FROM - 1e-9, REVIEW_FROM, 1].map(rateConfidence)).toEqual([893, 899, 900, 999])
})

test('every letter is A to F, or Z without a value on one side', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  const query = fc.record({
    matchThreshold: fc.constant(893),
    country: fc.constantFrom('GB', 'DE'),
    name: fc.string({ minLength: 1, maxLength: 30 }),
    regNo: text,
    vatNo: text,
    street: text,
    houseNo: text,
    city: text,
    postCode: text,
    province: text,
    phoneNo: text,
  })
  fc.assert(
    fc.property(query, asked => {
      const { matchScoreExplainPlan: plan = {} } = matchedCompany(asked, engine.at(0), 0.5)
      const letters = Object.entries(plan).filter(([key]) => key !== 'matchScore' && key !== 'matchScoreNum')
      expect(letters).toHaveLength(14)
      for (const [, letter] of letters) expect(letter).toMatch(/^[A-DFZ]$/)
    }),
  )
})

test.each([
  ['GB', 'High Street', '12', '12 High Street'],
  ['DK', 'Odensevej', '19', 'Odensevej 19'],
  ['DE', 'Hauptstr.', '', 'Hauptstr.'],
])('a query of %s has street and number in the order of the country', (country, street, houseNo, line) => {
  const query = { matchThreshold: 893, country, name: 'A', street, houseNo }
  expect(makeQuery(query)).toMatchObject({ address1: line })
  const company = { ...engine.at(0), country, address1: line, address2: '', town: '', postcode: '' }
  expect(matchedCompany(query, company, 0.5).matchScoreExplainPlan).toMatchObject({ matchScoreSimpleValue: 'A' })
})

test.each(['19 Odensevej', 'Odensevej 19', 'Hauptstr. 5', '12a High Street', 'Unit 3, Mill Lane'])(
  'the street of a match is the line of the register: %s',
  address1 => {
    const query = { matchThreshold: 893, country: 'DK', name: 'A' }
    const { address } = matchedCompany(query, { ...engine.at(0), address1 }, 0.5)
    expect(address?.street).toBe(address1)
  },
)
