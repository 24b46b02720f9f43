/** A second look at matches: what holds for any row and company. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normaliseCountry } from '../../../../src/normalise/country.ts'
import { packageFile } from '../../../../src/package-file.ts'
import { auditByRegister, auditMatch, buildIndex, type Company, type Query } from '../../../../src/service/matching/index.ts'
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

const INDEX = buildIndex(REGISTER)
/** In a list of right answers at most one in so many is doubted. */
const MOST_DOUBTED = 50

test('with a register, right companies are rarely doubted, however their names are misspelt', () => {
  const misspell = (name: string, at: number): string => name.slice(0, at) + name.slice(at + 1)
  let doubted = 0
  const rows = REGISTER.filter((_, at) => at % 10 === 0).map(
    (found, at) => [found, misspell(found.name, at % found.name.length)] as const,
  )
  for (const [found, name] of rows) {
    for (const row of [{ name }, { name, country: found.country, town: found.town }])
      if (auditByRegister(INDEX, row, found).verdict === 'doubtful') doubted++
  }
  expect(doubted / (2 * rows.length)).toBeLessThan(1 / MOST_DOUBTED)
})

/** No other company has its name, or is at its address, as sister companies are: which one a row means is then unknown. */
const isOnlyOne = (own: Company): boolean =>
  REGISTER.filter(({ name, address1, postcode }) => name === own.name || (address1 === own.address1 && postcode === own.postcode))
    .length === 1

test('with a register, a wrong company is doubted, and the one in the row is named', () => {
  fc.assert(
    fc.property(aCompany, aCompany, fc.boolean(), (own, other, isKnown) => {
      fc.pre(own.name !== other.name && isOnlyOne(own))
      // A company that the register lacks has a name and a number of no other.
      const sold = isKnown ? other : { ...other, name: `${other.name} Qvortrup`, orgNumber: '' }
      const audit = auditByRegister(INDEX, { ...queryOf(own), orgNumber: '', vatNumber: '' }, sold)
      const base = auditMatch(queryOf(own), sold)
      fc.pre(base.verdict !== 'agreed')
      expect(audit).toMatchObject({ verdict: 'doubtful', better: { id: own.id } })
    }),
  )
})

test('with a register, a name alone neither agrees nor raises doubt where no other company fits better', () => {
  const index = buildIndex([company({ id: '1', name: 'Harrow Optics' }), company({ id: '2', name: 'Fenwick Tiles' })])
  const sold = company({ id: '9', name: 'Harrow Optics' })
  expect(auditByRegister(index, { name: 'Lensmakers' }, sold)).toEqual({
    verdict: 'not comparable',
    differs: ['name'],
    better: null,
  })
  expect(auditByRegister(index, { name: 'Lensmakers', town: 'York' }, { ...sold, town: 'Leeds' }).verdict).toBe('doubtful')
  expect(auditByRegister(index, { name: 'Fenwick Tile', country: 'GB' }, sold)).toMatchObject({ better: { id: '2' } })
  const empty = buildIndex([])
  expect(auditByRegister(empty, { name: 'Harrow Optics' }, sold)).toEqual({ verdict: 'agreed', differs: [], better: null })
})

test('a former name that the register has agrees', () => {
  const known = company({
    id: '1',
    name: 'Harrow Optics',
    orgNumber: '07654321',
    country: 'GB',
    previousNames: ['Lensmakers Ltd'],
  })
  const sold = { ...known, previousNames: [] }
  expect(auditMatch({ name: 'Lensmakers' }, sold).verdict).toBe('doubtful')
  expect(auditByRegister(buildIndex([known]), { name: 'Lensmakers' }, sold).verdict).toBe('agreed')
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
