/** The indexes of the company search, compared with a scan of all companies. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeNumber } from '../../../../src/service/enrichment/tags.ts'
import type { Company } from '../../../../src/service/matching/types.ts'
import { makeSearch, plainPostcode } from '../../../../src/service/registers/search.ts'
import { engine } from '../engine.ts'

const searchOver = (postcodes: readonly string[]) => {
  const companies = postcodes.map(
    (postcode, at): Company => ({ ...engine.at(0), id: `${at}`, connectId: `GB-X-${at}`, postcode }),
  )
  const find = (id: string): Company | null => companies.find(one => one.connectId === id) ?? null
  return { companies, search: makeSearch({ size: companies.length, at: place => companies[place] as Company, find }) }
}

test('finds exactly the companies with a postcode prefix', async () => {
  const letters = fc.constantFrom('0', '9', 'A', 'Z', 'L', '1')
  const postcode = fc.string({ unit: fc.oneof(letters, fc.constantFrom(' ', '-', 'a')), maxLength: 9 })
  const start = fc.string({ unit: letters, minLength: 1, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(fc.array(postcode, { maxLength: 60 }), start, async (postcodes, wanted) => {
      const { companies, search } = searchOver(postcodes)
      const { companies: found } = await search.byStart('postcode', wanted, 1_000)
      const expected = companies.filter(one => plainPostcode(one.postcode).startsWith(wanted)).map(one => one.id)
      expect(found.map(one => one.id).sort()).toEqual(expected.sort())
    }),
  )
})

test('finds each company by Safe Number and connectId, and none by another id', async () => {
  const { companies, search } = searchOver(Array.from({ length: 1_000 }, () => ''))
  for (const company of companies) {
    expect(await search.find(safeNumber(company))).toBe(company)
    expect(await search.find(company.connectId)).toBe(company)
  }
  for (const id of ['UK000000000000000', 'GB-X-1000', '', 'UK1']) expect(await search.find(id)).toBeNull()
})

test('examines no more companies than requested', async () => {
  const { search } = searchOver(Array.from({ length: 500 }, () => 'LS1 1AA'))
  const { companies, isTruncated } = await search.byStart('postcode', 'LS', 20)
  expect([companies.length, isTruncated]).toEqual([20, true])
})

test('finds by the start of name, town and street, and by country', async () => {
  const { companies, search } = searchOver(['LS1', 'LS2'])
  for (const [field, text] of [
    ['name', 'ac'],
    ['town', 'LEED'],
    ['street', 'High St'],
    ['street', '1 high'],
  ] as const)
    expect((await search.byStart(field, text, 5)).companies, text).toEqual(companies)
  expect((await search.byStart('name', 'cme', 5)).companies).toEqual([])
  expect((await search.byStart('name', '…', 5)).companies).toEqual([])
  const [first] = companies
  const isFirst = (company: Company): boolean => company.id === first?.id
  expect((await search.byCountry(['GB'], 5, isFirst)).companies).toEqual([first])
  expect((await search.byCountry(['FR'], 5, () => true)).companies).toEqual([])
})
