import { describe, expect, it } from 'vitest'
import { listFirmNames } from '../../../../src/normalise/branch-names.ts'
import { buildIndex, match, type Query } from '../../../../src/service/matching/index.ts'
import { makeHardKinds } from '../../../support/hard-kinds.ts'
import { company } from './companies.ts'

const gb = (id: string, name: string, town: string, postcode: string) =>
  company({ id, name, country: 'GB', address1: '4 Foundry Lane', town, postcode, status: 'Active' })
const COMPANIES = [
  gb('1', 'Thornbury Castings Limited', 'Sheffield', 'S9 2TX'),
  gb('2', 'Bluebird Garden Centres Limited', 'Lewes', 'BN7 2AA'),
  gb('3', 'Elmsley Accountants LLP', 'Derby', 'DE1 2GB'),
  gb('4', 'Quillon Communications Cabling Limited', 'Hull', 'HU3 4LL'),
  gb('5', 'Marwick Ferries Limited', 'Poole', 'BH15 1AB'),
  ...makeHardKinds().companies,
]
const index = buildIndex(COMPANIES)
const answer = (name: string, rest: Query = {}) => {
  const { decision, reason, why, candidates } = match(index, { name, country: 'GB', ...rest })
  return { decision, reason, why, id: COMPANIES[candidates[0]?.company ?? -1]?.id ?? null }
}

describe('a branch of a company abroad', () => {
  const FIRMS = [
    company({ id: 'LU', name: 'Quarlin Dampf S.A.', country: 'LU' }),
    company({ id: 'DE', name: 'Ottersbach Kessel GmbH', country: 'DE' }),
    company({ id: 'IE', name: 'Dunmorrow Gauges Limited', country: 'IE' }),
    company({ id: 'IE-B', name: 'Killarden Pumps Limited', country: 'IE' }),
    company({ id: 'GB-B', name: 'Killarden Pumps Limited UK Branch', country: 'GB' }),
    company({ id: 'US', name: 'Vessler Branch Line Inc', country: 'US' }),
  ]
  const firms = buildIndex(FIRMS)
  const ask = (name: string, country: string) => {
    const { decision, reason, why, candidates } = match(firms, { name, country })
    return { decision, reason, why, ids: candidates.map(found => FIRMS[found.company]!.id) }
  }

  it.each([
    ['Quarlin Dampf S.A. Paris Branch', 'FR', 'LU'],
    ['QUARLIN DAMPF PARIS BRANCH OFFICE', 'FR', 'LU'],
    ['Quarlin Dampf SA, succursale de Bruxelles', 'BE', 'LU'],
    ['Ottersbach Kessel GmbH, Zweigniederlassung Schweiz', 'CH', 'DE'],
    ['Ottersbach Kessel GmbH Filiale Wien', 'AT', 'DE'],
    ['Ottersbach Kessel (Hauptniederlassung Zürich)', 'CH', 'DE'],
    ['Dunmorrow Gauges Ltd (UK Branch)', 'GB', 'IE'],
    ['UK Branch of Dunmorrow Gauges Limited', 'GB', 'IE'],
  ])('%s in %s is proposed its firm, and not matched', (name, country, id) => {
    const found = ask(name, country)
    expect(found).toMatchObject({ decision: 'review', reason: 'sister-company', ids: [id] })
    expect(found.why).toMatch(/^name 1.00 \| read as "[^"]+" \| country ≠$/)
  })

  it('that the register has is matched, and never its firm in its place', () => {
    expect(ask('Killarden Pumps Ltd UK Branch', 'GB')).toMatchObject({ decision: 'matched', ids: ['GB-B', 'IE-B', 'US'] })
    // The branch is known in a different country: that stays the finding.
    expect(ask('Killarden Pumps Limited UK Branch', 'FR')).toMatchObject({ decision: 'unmatched', reason: 'wrong-country' })
  })

  it.each(['Quarlin Dampf', 'Branch', 'Filiale Wien', 'Quarlin Branch', 'Zweigniederlassung Schweiz', 'Vessler Line Branch'])(
    '%s in Malta names no firm of the register',
    name => expect(ask(name, 'MT').decision).toBe('unmatched'),
  )

  it('has a name that is a place less: the longest first, not beyond the legal form', () => {
    expect(listFirmNames('Quarlin Dampf S.A. New York Branch')).toEqual([
      'Quarlin Dampf S.A. New York',
      'Quarlin Dampf S.A. New',
      'Quarlin Dampf S.A.',
    ])
    expect(listFirmNames('Branchwood Ltd')).toEqual([])
    expect(listFirmNames(`${'a '.repeat(400)}branch`)).toEqual([])
  })
})

describe('a name cell with more than a name', () => {
  it.each([
    ['a code', '10023 - THORNBURY CASTINGS LTD', 'THORNBURY CASTINGS LTD', '1'],
    ['a remark', 'Thornbury Castings - DO NOT USE, DUPLICATE OF 4711', 'Thornbury Castings', '1'],
    ['a trading name', 'Thornbury Castings Ltd t/a Northern Metal Works', 'Thornbury Castings Ltd', '1'],
    ['a host', 'Thornbury Castings Ltd c/o Elmsley Accountants LLP', 'Thornbury Castings Ltd', '1'],
    ['digits of a scanner', 'QUI1LON COMMUN1CATIONS CABL1NG LTD', 'quillon communications cabling ltd', '4'],
    ['letters of a scanner', 'Quillon Cornrnunications Cabling', 'quillon communications cabling', '4'],
    ['spelling errors', 'Quillon Communitcations Cabl1ng', 'quillon communications cabling', '4'],
  ])('%s is read out of it, and the explanation shows what was read', (_, name, read, id) => {
    const found = answer(name)
    expect(found).toMatchObject({ decision: 'matched', id })
    expect(found.why).toContain(`read as "${read}"`)
  })

  it('a whole cell that matches has no second reading', () => {
    expect(answer('Thornbury Castings Ltd', { postcode: 'S9 2TX' })).toEqual({
      decision: 'matched',
      reason: null,
      why: 'name 1.00 | postcode = | country =',
      id: '1',
    })
  })

  it('the second of two names is a match only with other evidence', () => {
    const name = 'Severn Leisure Ltd t/a Bluebird Garden Centres'
    expect(answer(name)).toMatchObject({ decision: 'review', reason: 'part-of-cell', id: '2' })
    expect(answer(name, { postcode: 'BN7 2AA' })).toMatchObject({ decision: 'matched', id: '2' })
  })

  it('of two companies in one cell neither is meant for certain', () => {
    expect(answer('Thornbury Castings Ltd / Bluebird Garden Centres Ltd')).toMatchObject({
      decision: 'review',
      reason: 'part-of-cell',
    })
  })

  it('what distinguishes sister companies is not left out', () => {
    for (const name of ['Thornbury Castings Ltd - North', 'Thornbury Castings Ltd No 2'])
      expect(answer(name), name).not.toMatchObject({ decision: 'matched' })
  })

  it.each(['Thornbury Castings Ltd (UK)', 'Thornbury Castings Ltd, UK'])(
    'the country of the row behind the legal form is not a part of the name: %s',
    name => {
      expect(answer(name)).toMatchObject({ decision: 'matched', id: '1' })
      expect(answer(name).why).toContain('read as "Thornbury Castings Ltd"')
      // Without the country, or with a different one, it may be the name of a sister.
      expect(answer(name, { country: '' })).not.toMatchObject({ decision: 'matched' })
      expect(answer(name, { country: 'IE' })).not.toMatchObject({ decision: 'matched' })
      const sisters = buildIndex([...COMPANIES, gb('6', 'Thornbury Castings (UK) Limited', 'Hull', 'HU1 1AA')])
      const { decision, candidates } = match(sisters, { name, country: 'GB' })
      expect([decision, candidates[0]?.company === 0]).not.toEqual(['matched', true])
    },
  )

  it('a name in the column of addresses, with the address in its place, is found at its postcode', () => {
    const swapped = { address1: 'Thornbury Castings Limited', postcode: 'S9 2TX' }
    expect(answer('4 Foundry Lane', swapped)).toMatchObject({ decision: 'matched', id: '1' })
    expect(answer('4 Foundry Lane', { ...swapped, postcode: 'ZE1 0AA' })).not.toMatchObject({ decision: 'matched' })
  })

  it.each([
    ['stars', '*'.repeat(159)],
    ['digits', '1'.repeat(160)],
    ['dashes', ' - '.repeat(53)],
    ['trading names', 'b t/a '.repeat(26)],
    ['digits in words', 'm1l0s5b8 '.repeat(17)],
    ['legal forms', 'ltd x '.repeat(26)],
  ])('160 characters of %s are answered in time', (_, name) => {
    const times = Array.from({ length: 10 }, () => {
      const started = performance.now()
      match(index, { name })
      return performance.now() - started
    })
    expect(Math.min(...times)).toBeLessThan(50)
  })
})
