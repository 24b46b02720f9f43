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

function doubtOf(row: Partial<Record<(typeof MAPPED)[number], string>>, company: readonly string[]): string | undefined {
  const mappings = MAPPED.map((mapping, index) => ({ mapping, index, header: mapping, pad: null }))
  const audit = auditorOf({ mappings, output: null, checks: [{ name: 'doubtful', warn: null, fail: null }] })
  return audit(
    MAPPED.map(mapping => row[mapping] ?? ''),
    { row: company, columns },
  )?.text
}

const HARROW = ['GB-0-01234567', 'Harrow Optics Limited', '01234567', '1 Mill Lane', 'Leeds', 'LS1 4AP']

test.each([
  ['the same name', { name: 'HARROW OPTICS LTD' }, HARROW, ''],
  ['a part of the name', { name: 'Harrow Optics Group (Leeds)' }, HARROW, ''],
  ['a misspelt name', { name: 'Harow Optcis Ltd' }, HARROW, ''],
  ['a renamed company of the same number', { name: 'Lensmakers Ltd', orgNumber: '1234567', country: 'GB' }, HARROW, ''],
  ['the number of the id', { name: 'Lensmakers Ltd', orgNumber: '1234567', country: 'GB' }, HARROW.with(2, ''), ''],
  [
    'a renamed company at the same address',
    { name: 'Lensmakers', address1: '1 Mill Lane, Leeds', postcode: 'LS1 4AP' },
    HARROW,
    '',
  ],
  ['a different name alone', { name: 'Dunmore Mills Ltd' }, HARROW, 'name differs: Dunmore Mills Ltd / Harrow Optics Limited'],
  [
    'a different name and address',
    { name: 'Harrow Removals', address1: '9 High Street', postcode: 'M1 1AA' },
    HARROW,
    'name differs: Harrow Removals / Harrow Optics Limited; postcode differs: M1 1AA / LS1 4AP; address differs: 9 High Street / 1 Mill Lane',
  ],
  ['the same name in a different country', { name: 'Harrow Optics', country: 'IE' }, HARROW, 'country differs: IE / GB'],
  ['nearly the same name elsewhere', { name: 'Harrow Optics', address1: '9 High Street', postcode: 'M1 1AA' }, HARROW, ''],
  [
    'the same name, a different number',
    { name: 'Harrow Optics', orgNumber: '07654321', country: 'GB' },
    HARROW,
    'number differs: 07654321 / 01234567',
  ],
  [
    'a number of Scotland',
    { name: 'Harrow Optics', orgNumber: 'SC654321', country: 'GB' },
    HARROW,
    'number differs: SC654321 / 01234567',
  ],
  ['a VAT number, which the answer lacks', { name: 'Harrow Optics Group', vatNumber: 'GB123456789' }, HARROW, ''],
  [
    'an answer without a number',
    { name: 'Harrow Optics', orgNumber: '7654321' },
    ['XX-X-harrow', 'Harrow Optics', '', '', '', ''],
    '',
  ],
  ['a row without a name', { postcode: 'M1 1AA' }, HARROW, 'not comparable'],
] as const)('%s', (_, row, company, doubt) => {
  expect(doubtOf(row, company)).toBe(doubt)
})

test('a country that is the same for the whole list is compared', () => {
  const mappings = [
    { mapping: 'name' as const, index: 0, header: 'name', pad: null },
    { mapping: 'country' as const, index: 1, header: null, pad: null, value: 'IE' },
  ]
  expect(
    auditorOf({ mappings, audit: true, output: null, checks: [] })(['Harrow Optics'], { row: HARROW, columns }),
  ).toMatchObject({
    verdict: 'doubtful',
    differs: ['country'],
  })
})

test('looks for none where nothing asks for it', () => {
  const audit = auditorOf({ mappings: [{ mapping: 'name', index: 0, header: 'name', pad: null }], output: null, checks: [] })
  expect(audit(['Dunmore Mills'], { row: HARROW, columns })).toBeNull()
})
