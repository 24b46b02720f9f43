/** Figures of a csv register are the tags of its companies. */
import { expect, test } from 'vitest'
import { TAGS } from '../../../../src/contract/index.ts'
import { makeReport } from '../../../../src/service/companies/report.ts'
import COLUMNS from '../../../../src/service/enrichment/company-columns.json' with { type: 'json' }
import { readTags } from '../../../../src/service/enrichment/tags.ts'
import { FIGURES } from '../../../../src/service/matching/index.ts'
import { KINDS, readColumns } from '../../../../src/service/registers/import/kinds.ts'
import { engine } from '../engine.ts'

test('a profit is after tax, in tags as in reports', () => {
  expect(Object.entries(COLUMNS.figures)).toContainEqual(['financials.profitAfterTax', 'profit'])
  const [statement] = makeReport({ ...engine.at(0), figures: { profit: '7' } }, []).financialStatements ?? []
  expect(statement?.profitAndLoss).toEqual({ profitAfterTax: 7 })
})

test('every figure is a column and a tag of the interface', () => {
  const header = ['name', ...FIGURES]
  const read = KINDS.csv.reader(readColumns('register.csv', header, KINDS.csv))
  const company = read(['Acme', ...FIGURES.map(name => `the ${name}`)], 1)
  if (typeof company === 'string') throw new Error(company)
  const tags = readTags({ ...company, connectId: '' }, Object.keys(COLUMNS.figures))
  expect(Object.values(tags).sort()).toEqual(FIGURES.map(name => `the ${name}`).sort())
  expect(Object.keys(tags).filter(tag => !TAGS.standard.includes(tag))).toEqual([])
  expect(read(['Acme', ...FIGURES.map(() => '')], 1)).toMatchObject({ figures: undefined })
})
