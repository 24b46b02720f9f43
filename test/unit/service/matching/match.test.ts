import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildIndex, match, type Query } from '../../../../src/service/matching/index.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { COMPANIES, company } from './companies.ts'

const index = buildIndex(COMPANIES)
const answer = (query: Query) => {
  const found = match(index, query)
  return { ...found, id: COMPANIES[found.candidates[0]?.company ?? -1]?.id ?? null }
}

const CASTINGS = { name: 'Thornbury Castings', postcode: 'S9 2TX' }

describe('matched rows', () => {
  const rows: [string, Query, string][] = [
    ['the name as registered', { name: 'Thornbury Castings Limited' }, '08064685'],
    ['another legal form spelling and case', { name: 'THORNBURY CASTINGS LTD.' }, '08064685'],
    ['a typing mistake with the postcode', { name: 'Thornbury Catsings Ltd', postcode: 's92tx' }, '08064685'],
    ['a cut-off name with its town and country', { name: 'Thornbury Castin', town: 'Sheffield', country: 'UK' }, '08064685'],
    ['a number that has lost its zeros', { name: 'Ashdown Brewing', orgNumber: '145678', country: 'United Kingdom' }, '00145678'],
    ['the same without a country', { name: 'Ashdown Brewing', orgNumber: '145678' }, '00145678'],
    ['a number alone', { orgNumber: 'SC272838', country: 'GB' }, 'SC272838'],
    ['a connectId alone', { companyId: 'GB-X-08064685' }, '08064685'],
    ['a trading name', { tradingName: 'Farrow Carers', town: 'Glasgow' }, 'SC272838'],
    ['a former name', { name: 'Bluestone Computing', postcode: 'LS1 4AP' }, '07000001'],
    ['umlauts as two letters', { name: 'Mueller und Soehne Maschinenbau', countryCode: 'DE' }, 'DE1'],
    ['another spelling in one script', { name: 'Балтийский прибор', countryCode: 'RU' }, 'RU1'],
    ['words in another order', { name: 'Castings Thornbury', postcode: 'S9 2TX' }, '08064685'],
    [
      'a mail domain with the name',
      { name: 'Thornbury Castings Sheffield', email: 'info@thornbury-castings.example' },
      '08064685',
    ],
    ['the right one of a group', { name: 'Marwood Logistics Ltd', postcode: 'BH15 1AB' }, '04000002'],
    ['a dissolved company by name and number', { name: 'Pellworth Interiors', orgNumber: '06000001', country: 'GB' }, '06000001'],
  ]
  it.each(rows)('%s', (_, query, id) => {
    const found = answer(query)
    expect([found.decision, found.id, found.reason]).toEqual(['matched', id, null])
    expect(found.banding).toMatch(/[AB]/)
  })
})

describe('rows in review', () => {
  const rows: [string, Query, string][] = [
    [
      'a number whose company has quite another name',
      { name: 'Westmark Semiconductor', orgNumber: '08064685', country: 'GB' },
      'number-and-name-disagree',
    ],
    [
      'a name whose company has another number',
      { ...CASTINGS, orgNumber: '99999999', country: 'GB' },
      'number-and-name-disagree',
    ],
    [
      'a name and a number of another company at its address',
      { name: 'Zealand Optics', orgNumber: '99999999', country: 'GB', address1: 'Unit 4, Foundry Lane', postcode: 'S9 2TX' },
      'address-alone',
    ],
    ['a dissolved company by its name alone', { name: 'Pellworth Interiors Ltd' }, 'dissolved'],
  ]
  it.each(rows)('%s', (_, query, reason) => {
    const found = answer(query)
    expect([found.decision, found.reason]).toEqual(['review', reason])
    expect(found.banding).toMatch(/[CD]/)
  })

  it('two companies of one name', () => {
    const twins = [1, 2].map(at =>
      company({ id: `T${at}`, country: 'GB', name: 'Harrowfield Joinery Ltd', town: at === 1 ? 'Ripon' : 'Truro' }),
    )
    const both = buildIndex([...COMPANIES, ...twins])
    expect(match(both, { name: 'Harrowfield Joinery' })).toMatchObject({ decision: 'review', reason: 'ambiguous', margin: 0 })
    const told = match(both, { name: 'Harrowfield Joinery', town: 'Truro' })
    expect([told.decision, both.companies.id(told.candidates[0]?.company ?? 0)]).toEqual(['matched', 'T2'])
  })

  it('one word that is less alike than by a typing error, where nothing else agrees', () => {
    const words = ['Tarvex', 'Dolian', 'Weatherhallow'].map((name, at) =>
      company({ id: `W${at}`, country: 'CA', name, town: 'Guelph' }),
    )
    const found = buildIndex([...COMPANIES, ...words])
    const list = { inRegister: { from: 0.5, to: 1, matchingOdds: 5, startingOdds: 2.75 }, companyNumbers: 'reliable' } as const
    const isMatched = (query: Query) => match(found, query, undefined, list).decision === 'matched'
    expect(['Trvex', 'Bolian', 'Weaterhallow'].map(name => isMatched({ name }))).toEqual([false, false, true])
    expect(isMatched({ name: 'Trvex', town: 'Guelph' })).toBe(true)
    // A short word with a letter more is as often another name.
    expect(['Tarvexa', 'Dolians', 'Weatherhallows', 'Tarvex Inc'].filter(name => !isMatched({ name }))).toEqual([
      'Tarvexa',
      'Dolians',
    ])
    expect(isMatched({ name: 'Tarvexa', town: 'Guelph' })).toBe(true)
    // So is one behind which further words stand.
    expect(['Tarvex Media', 'Tarvexa Media', 'Weatherhallows Media'].map(name => isMatched({ name }))).toEqual([
      true,
      false,
      false,
    ])
    expect(isMatched({ name: 'Tarvexa Media', town: 'Guelph' })).toBe(true)
  })

  it('many unlikely companies lower the score, and none fits almost as well', () => {
    const others = Array.from({ length: 60 }, (_, at) =>
      company({
        id: `G${at}`,
        country: 'CA',
        name: `${String.fromCharCode(65 + (at % 26), 97 + (at % 7))}evorin${at} Consulting Canada`,
      }),
    )
    const many = buildIndex([company({ id: 'R', country: 'CA', name: 'Tavistel' }), ...others])
    const list = { inRegister: { from: 0.5, to: 1, matchingOdds: 4, startingOdds: 2 }, companyNumbers: 'reliable' } as const
    const found = match(many, { name: 'Tavistel Consulting Canada' }, undefined, list)
    expect(found).toMatchObject({ decision: 'review', reason: 'between-thresholds' })
    expect(found.margin).toBeGreaterThan(1)

    const proven = { ...list, inRegister: { ...list.inRegister, wholeNameOdds: 6 } }
    const isMatched = (name: string) => match(many, { name }, undefined, proven).decision === 'matched'
    expect(isMatched('Tavistel Consulting Canada')).toBe(true)
    expect(['Canada Consulting Tavistel', 'Tavistel Holdings', 'Tavistal Consulting Canada'].filter(isMatched)).toEqual([])
  })
})

describe('a name whose initials are the name of a company', () => {
  const index = buildIndex([company({ id: 'KRV', country: 'GB', name: 'KRV Limited', town: 'Leeds', phone: '+44 113 4960123' })])
  it.each([
    ['and nothing else', {}, ['review', 'initials-alone']],
    ['and its country', { country: 'GB' }, ['review', 'initials-alone']],
    ['and its town', { country: 'GB', town: 'Leeds' }, ['matched', null]],
    ['and its phone', { phone: '0113 496 0123' }, ['matched', null]],
  ] as [string, Query, [string, string | null]][])('%s', (_, more, expected) => {
    const { decision, reason } = match(index, { name: 'Kolar Rivet Valley Limited', ...more })
    expect([decision, reason]).toEqual(expected)
  })
})

describe('unmatched rows', () => {
  it.each([
    ['a sister company that the register lacks', { name: 'Marwood Catering Limited', postcode: 'BH15 1AB' }],
    ['the bare name of a group', { name: 'Marwood' }],
    ['the next fund of a series', { name: 'Quillon Infrastructure Fund IV LP', postcode: 'EC2V 7AN' }],
    ['a name of common words', { name: 'National Traffic' }],
    ['a stranger', { name: 'Zyqqra Plumbing', country: 'GB' }],
  ] as [string, Query][])('%s', (_, query) => {
    expect(answer(query).decision).not.toBe('matched')
  })

  it.each([
    ['no name', {}, 'no-name'],
    ['an empty name', { name: '' }, 'no-name'],
    ['only punctuation', { name: '*** --- !!!' }, 'no-name'],
    ['only a postcode', { postcode: 'S9 2TX' }, 'no-name'],
    ['nothing alike', { name: '777' }, 'no-candidate'],
    ['little alike', { name: 'Castle Hotels' }, 'below-threshold'],
    ['another country', { name: 'Thornbury Castings', countryCode: 'NZ' }, 'wrong-country'],
  ] as [string, Query, string][])('%s', (_, query, reason) => {
    expect(answer(query)).toMatchObject({ decision: 'unmatched', reason })
  })

  it('any row against an empty register', () => {
    expect(match(buildIndex([]), CASTINGS)).toMatchObject({
      decision: 'unmatched',
      reason: 'no-candidate',
      score: 0,
      banding: 'F',
      candidates: [],
    })
  })
})

describe('explanations', () => {
  it('name agreement, difference and status', () => {
    const found = answer({ name: 'Thornbury Castings', orgNumber: '8064685', postcode: 'S9 2TX', town: 'Leeds', country: 'GB' })
    expect(found.why).toBe('name 1.00 | number = | postcode = | town ≠ | country =')
    expect(found.pattern).toBe('number+name+postcode')
    expect(answer({ name: 'Pellworth Interiors Ltd', town: 'Derby' }).why).toContain('dissolved')
    expect(answer({ name: 'Bluestone Computing' }).why).toContain('former name 1.00')
  })

  it('keep their features when later rows are matched', () => {
    const query = { name: 'Marwood Logistics', country: 'GB', postcode: 'BH15 1AB' }
    const early = match(index, query)
    match(index, { name: 'Ashdown Brewing' })
    expect(early.candidates.map(one => one.features)).toEqual(match(index, query).candidates.map(one => one.features))
  })

  it('list at most five candidates, best first, with named features', () => {
    const { candidates } = answer({ name: 'Marwood Services', postcode: 'BH15 1AB' })
    expect(candidates.length).toBeGreaterThan(2)
    expect(candidates.length).toBeLessThanOrEqual(5)
    expect(candidates.map(one => one.score)).toEqual([...candidates.map(one => one.score)].sort((a, b) => b - a))
    expect(candidates[0]?.features.postcodeEqual).toBe(1)
  })
})

describe('bounds', () => {
  it('a query has the same answer in any order of the register', () => {
    const reversed = buildIndex([...COMPANIES].reverse())
    for (const name of ['Marwood Services', 'National Trading', 'Quillon Fund']) {
      const [one, other] = [match(index, { name }), match(reversed, { name })]
      expect(match(index, { name })).toEqual(one)
      expect(other.candidates.slice(0, 3).map(found => reversed.companies.id(found.company))).toEqual(
        one.candidates.slice(0, 3).map(found => index.companies.id(found.company)),
      )
      expect(other.decision).toBe(one.decision)
    }
  })

  it.each([
    ['10,000 letters', 'a'.repeat(10_000)],
    ['10,000 words', 'ab '.repeat(10_000)],
    ['10,000 dots', '.'.repeat(10_000)],
    ['500 dots and blanks', ' .'.repeat(250)],
    ['500 single letters', 'a '.repeat(250)],
    ['a tail without end', `x DL-${',0'.repeat(240)}`],
    ['500 emoji', '🏭'.repeat(250)],
  ])('%s are matched in time', (_, name) => {
    // The fastest of some: other processes may take the processor meanwhile.
    const times = Array.from({ length: 10 }, () => {
      const started = performance.now()
      expect(match(index, { name }).decision).toBe('unmatched')
      return performance.now() - started
    })
    expect(Math.min(...times)).toBeLessThan(50)
  })

  it('any row has an answer with a score from 0 to 1 and a consistent decision and reason', () => {
    const cell = fc.string({ unit: anyCharacter, maxLength: 60 })
    const name = fc.oneof(cell, fc.constantFrom(...COMPANIES.map(one => one.name)))
    fc.assert(
      fc.property(
        fc.record(
          { name, town: cell, postcode: cell, orgNumber: cell, country: cell, email: cell, address1: cell },
          { requiredKeys: [] },
        ),
        query => {
          const found = match(index, query)
          expect(found.score).toBeGreaterThanOrEqual(0)
          expect(found.score).toBeLessThanOrEqual(1)
          expect(found.margin).toBeGreaterThanOrEqual(0)
          expect(found.margin).toBeLessThanOrEqual(20)
          expect(found.reason === null).toBe(found.decision === 'matched')
          for (const one of found.candidates)
            for (const value of Object.values(one.features)) expect(Number.isFinite(value)).toBe(true)
        },
      ),
    )
  })
})
