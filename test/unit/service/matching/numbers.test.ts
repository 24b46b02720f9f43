/** Organisation and VAT numbers as evidence: with its number a row never finds less than without. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildIndex, match, type Query } from '../../../../src/service/matching/index.ts'
import { COMPANIES, company } from './companies.ts'

const register = [
  ...COMPANIES,
  company({
    id: 'BE1',
    country: 'BE',
    orgNumber: '0403170701',
    name: 'Vermeulen Transport NV',
    postcode: '2000',
    town: 'Antwerpen',
  }),
  company({ id: 'FR2', country: 'FR', orgNumber: '732829320', name: 'Ateliers Beaumont SAS', postcode: '69002', town: 'Lyon' }),
  company({
    id: 'IT1',
    country: 'IT',
    orgNumber: 'MI-2079384',
    vatNumber: 'IT01234567897',
    name: 'Fonderie Riva SpA',
    postcode: '20121',
  }),
  company({
    id: 'SE1',
    country: 'SE',
    orgNumber: '556016-0680',
    name: 'Norrskog Kraft AB',
    postcode: '11432',
    town: 'Stockholm',
  }),
  company({
    id: 'ES1',
    country: 'ES',
    vatNumber: 'ESB12345674',
    name: 'Talleres Monteverde SL',
    postcode: '28001',
    town: 'Madrid',
  }),
  company({
    id: 'CH1',
    country: 'CH',
    orgNumber: 'CHE-116.281.710',
    name: 'Alpwerk Maschinen AG',
    postcode: '8001',
    town: 'Zürich',
  }),
  company({ id: 'NO1', country: 'NO', orgNumber: '923609016', name: 'Fjordheim Sjømat AS', postcode: '5003', town: 'Bergen' }),
]
const index = buildIndex(register)
const answer = (query: Query) => {
  const found = match(index, query)
  return { ...found, id: register[found.candidates[0]?.company ?? -1]?.id ?? null }
}

describe('a number that agrees', () => {
  it.each([
    [
      'at the same postcode is a match with another name',
      { name: 'Sandmoor Foundry', orgNumber: '08064685', postcode: 'S9 2TX' },
    ],
    [
      'at the same address is a match with another name',
      { name: 'Sandmoor Foundry', orgNumber: '8064685', address1: 'Unit 4 Foundry Lane', town: 'Sheffield' },
    ],
  ] as [string, Query][])('%s', (_, query) => {
    expect(answer({ country: 'GB', ...query })).toMatchObject({ decision: 'matched', id: '08064685', banding: 'A' })
  })

  it.each([
    ['without a place', { name: 'Sandmoor Foundry', orgNumber: '08064685' }],
    ['at another place', { name: 'Sandmoor Foundry', orgNumber: '08064685', postcode: 'LS1 4AP' }],
    [
      'of a company beside the one of that name',
      { name: 'Marwood Logistics', orgNumber: '04000001', postcode: 'BH15 1AB', town: 'Poole' },
    ],
    [
      'beside a VAT number alone, which a group may share',
      { name: 'Sandmoor Foundry', vatNumber: '123456782', postcode: 'S9 2TX' },
    ],
  ] as [string, Query][])('is for a person with another name %s', (_, query) => {
    const found = answer({ country: 'GB', ...query })
    if (query.name === 'Marwood Logistics') expect(found.decision === 'matched' && found.id === '04000002').toBe(false)
    else expect(found).toMatchObject({ decision: 'review', reason: 'number-and-name-disagree' })
  })

  it.each([
    ['a VAT number in the column of numbers', { orgNumber: 'BE 0403.170.701' }, 'BE1'],
    ['an organisation number in the column of VAT numbers', { vatNumber: '0403.170.701', country: 'BE' }, 'BE1'],
    ['a French VAT number', { vatNumber: 'FR44 732 829 320' }, 'FR2'],
    ['a SIREN where the register has a SIREN', { orgNumber: 'RCS Lyon B 732 829 320', country: 'FR' }, 'FR2'],
    [
      'a VAT number in the column of numbers, beside the number of a chamber',
      { orgNumber: 'P.IVA 01234567897', country: 'IT' },
      'IT1',
    ],
    ['a Swedish VAT number', { vatNumber: 'SE556016068001' }, 'SE1'],
    ['a Spanish number where the register has the VAT number', { orgNumber: 'CIF B-12345674', country: 'Spain' }, 'ES1'],
    ['a Swiss number without its letters', { orgNumber: '116.281.710 MWST', country: 'CH' }, 'CH1'],
    ['a Norwegian number as VAT number', { vatNumber: 'NO 923 609 016 MVA' }, 'NO1'],
    ['a tax code', { taxCode: '01234567897', country: 'IT' }, 'IT1'],
  ] as [string, Query, string][])('is found without a name: %s', (_, query, id) => {
    expect(answer(query)).toMatchObject({ decision: 'matched', id })
  })
})

describe('a number that differs', () => {
  it('by a typing error that the check digits show does not count against the name', () => {
    for (const [orgNumber, country, name, id] of [
      ['0403170710', 'BE', 'Vermeulen Transport', 'BE1'],
      ['732829230', 'FR', 'Ateliers Beaumont', 'FR2'],
      ['556016-0689', 'SE', 'Norrskog Kraft', 'SE1'],
      ['CHE-116.281.711', 'CH', 'Alpwerk Maschinen', 'CH1'],
    ] as const) {
      const found = answer({ name, orgNumber, country })
      expect(found).toMatchObject({ decision: 'matched', id })
      expect(found.why).toContain('number ≈')
    }
  })

  it('by one digit is a typing error where the country has no check digits, at the same place', () => {
    const typing = { name: 'Thornbury Castings', orgNumber: '08064658', country: 'GB' }
    expect(answer({ ...typing, postcode: 'S9 2TX' })).toMatchObject({ decision: 'matched', id: '08064685' })
    expect(answer(typing)).toMatchObject({ decision: 'review', reason: 'number-and-name-disagree' })
  })

  it('and is right in itself is another company', () => {
    // Both numbers are valid, one digit and its check digit apart.
    expect(answer({ name: 'Norrskog Kraft', orgNumber: '556016-1688', country: 'SE' })).toMatchObject({
      decision: 'review',
      reason: 'number-and-name-disagree',
    })
  })

  it('in kind does not count: a number of the tax office next to a number of a court', () => {
    const muller = { name: 'Müller & Söhne Maschinenbau GmbH', country: 'DE', town: 'Göttingen' }
    expect(answer({ ...muller, orgNumber: '20/815/08150' })).toMatchObject({ decision: 'matched', id: 'DE1' })
    expect(answer({ ...muller, taxCode: '2081508150' })).toMatchObject({ decision: 'matched', id: 'DE1' })
  })
})

it('a row with its right number never finds less than without, however number and name are written', () => {
  const numbered = register.filter(one => one.orgNumber !== '' && one.status !== 'Dissolved')
  const written = [
    (text: string) => text,
    (text: string) => `No. ${text}`,
    (text: string) => text.replace(/(\d{3})(?=\d)/g, '$1 '),
    (text: string) => text.replace(/^0+/, ''),
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...numbered),
      fc.constantFrom(...written),
      fc.constantFrom(...register.map(one => one.name), 'Sandmoor Foundry', ''),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (own, write, other, isRenamed, hasPlace, hasCountry) => {
        const query: Query = {
          name: isRenamed ? other : own.name,
          ...(hasPlace ? { postcode: own.postcode, town: own.town, address1: own.address1 } : {}),
          ...(hasCountry ? { country: own.country } : {}),
        }
        const isRight = (asked: Query): boolean => {
          const found = answer(asked)
          return found.decision === 'matched' && found.id === own.id
        }
        const numbers = { ...query, orgNumber: write(own.orgNumber) }
        if (isRight(query)) expect(isRight(numbers)).toBe(true)
        if (!isRenamed) expect(isRight(numbers)).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})
