/** A second look at matches: what holds for any row and company. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normaliseCountry } from '../../../../src/normalise/country.ts'
import { packageFile } from '../../../../src/package-file.ts'
import { auditMatch, type Company, type Query } from '../../../../src/service/matching/index.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { company } from './companies.ts'

type Cells = Record<string, string>
const REGISTER = (parse(readFileSync(packageFile('samples/register.csv')), { columns: true, bom: true }) as Cells[]).map(cells =>
  company({
    id: cells.id!,
    name: cells.name!,
    country: cells.country!,
    orgNumber: cells.orgNumber!,
    address1: cells.address1!,
    town: cells.town!,
    postcode: cells.postcode!,
  }),
)
const aCompany = fc.constantFrom(...REGISTER)
const FIELDS = ['name', 'country', 'orgNumber', 'vatNumber', 'address1', 'town', 'postcode', 'phone', 'email'] as const
const queryOf = (found: Company): Query => Object.fromEntries(FIELDS.map(field => [field, String(found[field])]))

test('a row agrees with its own data, with any cells', () => {
  const cell = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 30 }), fc.string({ maxLength: 12 }), fc.constant(''))
  fc.assert(
    fc.property(fc.record(Object.fromEntries(FIELDS.map(field => [field, cell]))), cells => {
      const row = cells as Record<(typeof FIELDS)[number], string>
      expect(auditMatch(row, company({ ...row, country: normaliseCountry(row.country), id: '1' })).verdict).not.toBe('doubtful')
    }),
  )
  for (const found of REGISTER.slice(0, 300)) {
    expect(auditMatch(queryOf(found), found).verdict).toBe('agreed')
    expect(auditMatch({ ...queryOf(found), orgNumber: '' }, found).verdict).toBe('agreed')
  }
})

test('case, accents and another spelling of the legal form raise no doubt', () => {
  const spell = fc.constantFrom(
    (name: string) => name.toUpperCase(),
    (name: string) => name.toLowerCase(),
    (name: string) => name.replace(/e/g, 'é').replace(/o/g, 'ö'),
    (name: string) => name.replace(/ Limited$/, ' Ltd.').replace(/ GmbH$/, ' Gesellschaft mbH'),
    (name: string) => name.normalize('NFD').replace(/\p{M}/gu, ''),
  )
  fc.assert(
    fc.property(aCompany, spell, fc.subarray(['country', 'address1', 'town', 'postcode'] as const), (found, change, kept) => {
      const row: Query = { name: change(found.name) }
      for (const field of kept) row[field] = found[field]
      expect(auditMatch(row, found).verdict).toBe('agreed')
    }),
  )
})

test('a different number is doubtful, by the number, also under the same name', () => {
  const digits = fc.stringMatching(/^[1-9]\d{7}$/)
  fc.assert(
    fc.property(aCompany, digits, digits, (found, own, other) => {
      // A typing error, such as one different digit, may be the same number.
      fc.pre([...own].filter((digit, at) => digit !== other[at]).length > 3)
      const inBritain = { ...found, country: 'GB', orgNumber: other }
      const audit = auditMatch({ ...queryOf(inBritain), orgNumber: own }, inBritain)
      expect(audit).toMatchObject({ verdict: 'doubtful', differs: expect.arrayContaining(['number']) })
    }),
  )
})

test('a doubt has its reasons, and the same row and company always get the same', () => {
  fc.assert(
    fc.property(aCompany, aCompany, (own, other) => {
      const audit = auditMatch(queryOf(own), other)
      expect(audit.differs.length > 0).toBe(audit.verdict === 'doubtful')
      expect(auditMatch(queryOf(own), other)).toEqual(audit)
    }),
  )
})

test.each([
  ['names of two scripts', { name: 'Honda Motor' }, { name: '本田技研工業株式会社' }, 'not comparable'],
  [
    'the same name in a second script',
    { name: 'Honda Motor' },
    { name: '本田技研工業', tradingNames: ['Honda Motor'] },
    'agreed',
  ],
  ['a row without a name', { postcode: 'M1 1AA' }, { name: 'Harrow Optics', postcode: 'M1 1AA' }, 'not comparable'],
  ['a company without a name', { name: 'Harrow Optics' }, { name: '' }, 'not comparable'],
  ['a different name, and nothing else', { name: 'Dunmore Mills' }, { name: 'Harrow Optics' }, 'doubtful'],
  [
    'the same name elsewhere: companies move',
    { name: 'Harrow Optics', town: 'York' },
    { name: 'Harrow Optics', town: 'Leeds' },
    'agreed',
  ],
  [
    'the same name in a different country',
    { name: 'Harrow Optics', country: 'IE' },
    { name: 'Harrow Optics', country: 'GB' },
    'doubtful',
  ],
] as const)('%s: %s', (_, row, found, verdict) => {
  expect(auditMatch(row, company({ id: '1', ...found })).verdict).toBe(verdict)
})
