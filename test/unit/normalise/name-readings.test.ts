import { describe, expect, it } from 'vitest'
import { listReadings } from '../../../src/normalise/name-readings.ts'

/** `other`: it may be the name of another company; what may be a town is in square brackets. */
const readingsOf = (cell: string): string[] =>
  listReadings(cell).map(({ text, isOther, tail }) => `${isOther ? 'other ' : ''}${text}${tail === '' ? '' : ` [${tail}]`}`)

describe('second readings of a name cell', () => {
  const cells: [what: string, cell: string, readings: string[]][] = [
    ['a code in front', '10023 - ACME LTD', ['ACME LTD']],
    ['a long number in front without a sign', '2026695 ACME CANADA', ['ACME CANADA']],
    ['a code in brackets', '[V00417] Acme Ltd', ['Acme Ltd']],
    ['a code behind the name', 'ACME LTD 000509', ['ACME LTD']],
    ['an account', 'Acme Ltd A/C 4471', ['Acme Ltd']],
    ['a remark of a system', 'ACME LTD - DO NOT USE', ['ACME LTD']],
    ['a remark in front', '*** CLOSED *** Acme Ltd', ['Acme Ltd']],
    ['an entity', 'Acme &amp; Sons Ltd', ['Acme & Sons Ltd']],
    ['a contact behind the name', 'Acme Ltd FAO Jo Marsden', ['Acme Ltd']],
    ['a contact in front', 'FAO: Jo Marsden, Acme Ltd', ['Acme Ltd']],
    ['a host', 'Acme Ltd c/o Elmsley LLP', ['Acme Ltd', 'other Elmsley LLP']],
    ['a department behind a dash', 'Acme Bearings - Accounts Payable', ['Acme Bearings']],
    ['a department behind a legal form', 'ACME LTD PURCHASING DEPT', ['ACME LTD']],
    ['a department that may be a word of the name', 'Acme Legal', ['other Acme']],
    ['a town behind a comma', 'Acme Ltd, Leeds', ['Acme Ltd [Leeds]']],
    ['a town in brackets', 'ACME GMBH (KIEL)', ['ACME GMBH [KIEL]']],
    ['words behind the legal form', 'Acme Ltd Leeds', ['other Acme Ltd [Leeds]']],
    ['a point of the compass', 'Acme Ltd - North', ['other Acme Ltd [North]']],
    ['a trading name', 'Acme Ltd t/a Bluebird', ['Acme Ltd', 'other Bluebird']],
    ['a former name', 'Acme Ltd (formerly Bolt Ltd)', ['Acme Ltd', 'other Bolt Ltd']],
    ['a parent', 'Acme, a division of Bolt Inc', ['other Acme', 'other Bolt Inc']],
    ['two languages', 'Acme Canada | Société Acme', ['Acme Canada', 'Société Acme']],
    ['two names', 'Acme Books / Bolt Records', ['other Acme Books', 'other Bolt Records']],
    [
      'a code, a trading name and a contact',
      '10023 - ACME LTD t/a BLUEBIRD, FAO JO',
      ['ACME LTD t/a BLUEBIRD, FAO JO', 'ACME LTD t/a BLUEBIRD', 'ACME LTD', 'other BLUEBIRD'],
    ],
  ]
  it.each(cells)('%s is left out or read by itself', (_, cell, readings) => {
    expect(readingsOf(cell)).toEqual(readings)
  })

  it.each([
    'Acme Limited',
    'Acme (UK) Limited',
    'B/E Aerospace Limited',
    'Nordic Ferries A/S',
    '24/7 Transport Ltd',
    '1-800 Plumbers',
    'Lavergne Construction 1988',
    'Vets Now Limited',
    'Acme Reception Ltd',
    'Eisen- und Stahlwerke Kiel AG',
    'Acme Corporation Limited',
    'STEEL DYNAMIC  DL-,0025',
    '',
    '-',
  ])('%s is one name', cell => {
    expect(readingsOf(cell)).toEqual([])
  })
})
