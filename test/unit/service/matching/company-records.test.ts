/** A company in several registers. */
import { expect, it } from 'vitest'
import { listRecords } from '../../../../src/service/matching/blocking/company-records.ts'
import { type Company, IndexBuilder, match, pack, viewIndex } from '../../../../src/service/matching/index.ts'
import { company } from './companies.ts'

type Facts = Partial<Company> & { readonly name: string }

/** An index over registers; the ids of their companies are a0, a1 … of the first register, b0 … of the second. */
function indexOf(...registers: readonly (readonly Facts[])[]) {
  const builder = new IndexBuilder()
  for (const [register, companies] of registers.entries()) {
    builder.startRegister()
    for (const [at, facts] of companies.entries()) builder.add(company({ id: `${'abc'[register]}${at}`, ...facts }))
  }
  return viewIndex(pack(builder.finish()))
}

const NAME = { name: 'Northgate Fasteners Ltd', country: 'GB' }
const PLACE = { town: 'Leeds', postcode: 'LS1 1AA' }

const SAME: [string, Facts, Facts][] = [
  [
    'the number, spelled differently',
    { ...NAME, orgNumber: '01234567' },
    { name: 'Newname', country: 'GB', orgNumber: '1234567' },
  ],
  ['name and country', NAME, { ...NAME, name: 'NORTHGATE FASTENERS LIMITED' }],
  ['name, country and postcode', { ...NAME, ...PLACE }, { ...NAME, town: 'Bradford', postcode: 'ls11aa' }],
  ['an article at the end', { ...NAME, name: 'Boeing Company (The)' }, { name: 'THE BOEING COMPANY' }],
  ['the name where one register has no other field', { ...NAME, ...PLACE, orgNumber: '01234567' }, { name: NAME.name }],
]

const DIFFERENT: [string, Facts, Facts][] = [
  ['numbers', { ...NAME, orgNumber: '01234567' }, { ...NAME, orgNumber: '07654321' }],
  ['countries', NAME, { ...NAME, country: 'IE' }],
  ['numbers of two countries', { ...NAME, orgNumber: '01234567' }, { ...NAME, country: 'IE', orgNumber: '01234567' }],
  ['postcodes', { ...NAME, ...PLACE }, { ...NAME, ...PLACE, postcode: 'LS2 2BB' }],
  ['towns', { ...NAME, town: 'Leeds' }, { ...NAME, town: 'Hull' }],
  ['legal forms', NAME, { ...NAME, name: 'Northgate Fasteners LLP' }],
  ['one legal form where a country is missing', NAME, { name: 'Northgate Fasteners' }],
  ['statuses', NAME, { ...NAME, status: 'Dissolved' }],
  ['names', NAME, { ...NAME, name: 'Northgate Fastenings Ltd' }],
  ['a former name', NAME, { ...NAME, name: 'Newname Ltd', previousNames: [NAME.name] }],
]

it.each(SAME)('recognises a company in two registers by %s', (_, one, other) => {
  const index = indexOf([one], [other])
  expect([listRecords(index, 0), listRecords(index, 1)]).toEqual([
    [0, 1],
    [0, 1],
  ])
})

it.each(DIFFERENT)('keeps companies apart that differ in %s', (_, one, other) => {
  const index = indexOf([one], [other])
  expect([listRecords(index, 0), listRecords(index, 1)]).toEqual([[0], [1]])
})

it('keeps companies apart where a register has two that may be meant, and within one register', () => {
  const twice = indexOf([NAME], [NAME, NAME])
  expect([0, 1, 2].map(at => listRecords(twice, at))).toEqual([[0], [1], [2]])
  const numbered = { name: 'Jung', country: 'DE', orgNumber: 'HRB 1' }
  const courts = indexOf([numbered], [{ ...numbered, name: 'Alt' }, numbered])
  expect([0, 1, 2].map(at => listRecords(courts, at))).toEqual([[0, 2], [1], [0, 2]])
  expect(listRecords(indexOf([NAME, NAME]), 0)).toEqual([0])
  const unclear = indexOf([{ name: NAME.name }], [NAME], [{ ...NAME, country: 'IE' }])
  expect([0, 1, 2].map(at => listRecords(unclear, at))).toEqual([[0], [1], [2]])
})

it('answers with the record of the register named first and the positions of the others', () => {
  const other = { name: 'Harbour Bakery Ltd', country: 'GB' }
  const index = indexOf([NAME], [other, { ...NAME, ...PLACE }], [{ ...NAME, ...PLACE }])
  const found = match(index, { ...NAME, ...PLACE })
  expect(found).toMatchObject({ decision: 'matched', candidates: [{ company: 0, others: [2, 3] }] })
  expect(found.candidates.map(one => one.company)).not.toContain(2)
  expect(match(index, { name: other.name })).toMatchObject({ decision: 'matched', candidates: [{ company: 1, others: [] }] })
})

it('does not join records when the row contradicts one of them', () => {
  const index = indexOf([{ ...NAME, country: 'US' }], [{ name: NAME.name }])
  expect(listRecords(index, 0)).toEqual([0, 1])
  const found = match(index, { ...NAME, country: 'GB' })
  expect(found.candidates.map(({ company, others }) => [company, others])).toEqual([
    [1, []],
    [0, []],
  ])
})

it('finds a company by its postcode alone when every register has it', () => {
  const place = { ...PLACE, address1: '7 Quay Street' }
  const one = indexOf([{ ...NAME, ...place }], [{ ...NAME, ...place }])
  expect(match(one, { name: 'Quite Another', country: 'GB', ...place }).candidates[0]?.features).toHaveProperty(
    'postcodeAlone',
    1,
  )
  const two = indexOf([{ ...NAME, ...place }], [{ name: 'Harbour Bakery Ltd', country: 'GB', ...place }])
  expect(match(two, { name: 'Quite Another', country: 'GB', ...place }).candidates[0]?.features).not.toHaveProperty(
    'postcodeAlone',
  )
})

it('does not prefer a company because only its register keeps websites', () => {
  const listed = { name: 'Immersion SA', country: 'FR', website: 'https://immersion.example' }
  const index = indexOf([listed], [{ name: 'Immersion Corp' }])
  expect(match(index, { name: 'Immersion Corporation' }).candidates[0]?.company).toBe(1)
  expect(match(index, { name: 'Immersion SA' }).candidates[0]?.company).toBe(0)
})
