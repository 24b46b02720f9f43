/** Doubts about the matches of a service, from what its answers say of the companies. */
import { expect, test } from 'vitest'
import { auditorOf } from '../../../src/results/audit.ts'
import { addedColumns } from '../../../src/results/enriched-columns.ts'

const TAGS = [
  'general.connectId',
  'general.companyName',
  'general.companyNumber',
  'contact.addressLine1',
  'contact.city',
  'contact.postalCode',
]
const columns = addedColumns(TAGS)
const MAPPED = ['name', 'orgNumber', 'vatNumber', 'address1', 'postcode', 'country'] as const

function doubtOf(row: Partial<Record<(typeof MAPPED)[number], string>>, company: readonly string[]): string {
  const mappings = MAPPED.map((mapping, index) => ({ mapping, index, header: mapping, pad: null }))
  const audit = auditorOf({ mappings, output: null, checks: [{ name: 'doubtful', warn: null, fail: null }] })
  return audit(
    MAPPED.map(mapping => row[mapping] ?? ''),
    { row: company, columns },
  )
}

const HARROW = ['GB-0-01234567', 'Harrow Optics Limited', '01234567', '1 Mill Lane', 'Leeds', 'LS1 4AP']

test.each([
  ['the same name', { name: 'HARROW OPTICS LTD' }, HARROW, ''],
  ['a part of the name', { name: 'Harrow Optics Group (Leeds)' }, HARROW, ''],
  ['a misspelt name', { name: 'Harow Optcis Ltd' }, HARROW, ''],
  ['initials', { name: 'HOW' }, ['', 'Harrow Optical Works Ltd', '', '', '', ''], ''],
  ['a renamed company of the same number', { name: 'Lensmakers Ltd', orgNumber: '1234567' }, HARROW, ''],
  [
    'a renamed company at the same address',
    { name: 'Lensmakers', address1: '1 Mill Lane, Leeds', postcode: 'LS1 4AP' },
    HARROW,
    '',
  ],
  ['a different name, and nothing else to compare: a trading name', { name: 'Dunmore Mills Ltd' }, HARROW, ''],
  [
    'a different name and address',
    { name: 'Harrow Removals', address1: '9 High Street', postcode: 'M1 1AA' },
    HARROW,
    'name 0.50 | address ≠',
  ],
  ['a different name and country', { name: 'Dunmore Mills Ltd', country: 'IE' }, HARROW, 'name 0.00 | country ≠'],
  [
    'nearly the same name at a different address',
    { name: 'Harrow Optics', address1: '9 High Street', postcode: 'M1 1AA' },
    HARROW,
    '',
  ],
  ['a different name, and the town alone', { name: 'Dunmore Mills Ltd', address1: 'York' }, HARROW, ''],
  ['a different number', { name: 'Harrow Optics Group', orgNumber: '07654321' }, HARROW, 'name 0.99 | number ≠'],
  ['a number of Scotland', { name: 'Harrow Optics Group', orgNumber: 'SC654321' }, HARROW, 'name 0.99 | number ≠'],
  ['the same name, a different number', { name: 'Harrow Optics', orgNumber: '07654321' }, HARROW, ''],
  ['a VAT number, which the answer lacks', { name: 'Harrow Optics Group', vatNumber: 'GB123456789' }, HARROW, ''],
  [
    'an answer without a number',
    { name: 'Harrow Optics Group', orgNumber: '7654321' },
    ['XX-X-harrow', 'Harrow Optics', '', '', '', ''],
    '',
  ],
  ['a row without a name', { postcode: 'M1 1AA' }, HARROW, ''],
] as const)('%s', (_, row, company, doubt) => {
  expect(doubtOf(row, company)).toBe(doubt)
})

test('looks for none where neither a column nor a check asks for it', () => {
  const audit = auditorOf({ mappings: [{ mapping: 'name', index: 0, header: 'name', pad: null }], output: null, checks: [] })
  expect(audit(['Dunmore Mills'], { row: HARROW, columns })).toBe('')
})
