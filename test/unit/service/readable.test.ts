/** Records for people: nested keys as words, lists numbered. */
import { expect, test } from 'vitest'
import { listSections } from '../../../src/service/companies/report.ts'

test('a record becomes sections of words', () => {
  expect(
    listSections({
      companyId: 'x',
      empty: {},
      companySummary: { businessName: 'A', none: null, list: ['a', 'b'], people: [{ firstName: 'C' }] },
    }),
  ).toEqual([
    { heading: 'Company id', rows: [['Company id', 'x']] },
    {
      heading: 'Company summary',
      rows: [
        ['Business name', 'A'],
        ['List', 'a\nb'],
        ['People 1: first name', 'C'],
      ],
    },
  ])
})
