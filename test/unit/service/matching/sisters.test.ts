import { describe, expect, it } from 'vitest'
import { parseCompanyName } from '../../../../src/normalise/company-name.ts'
import { distinctWords, marksDiffer } from '../../../../src/normalise/name-marks.ts'
import { buildIndex, match } from '../../../../src/service/matching/index.ts'
import { company } from './companies.ts'
import { SISTERS } from './sisters.ts'

describe('sister companies', () => {
  it('are never matched to each other, and the right one is found', () => {
    const { companies, rows } = SISTERS
    const index = buildIndex(companies)
    const answers = rows.map(({ rule, query, expected }) => {
      const found = match(index, query)
      const id = found.decision === 'matched' ? companies[found.candidates[0]!.company]!.id : ''
      return { rule, name: query.name, id, expected, decision: found.decision, reason: found.reason }
    })
    expect(rows.length).toBeGreaterThanOrEqual(200)
    expect(answers.filter(one => one.id !== '' && one.id !== one.expected)).toEqual([])
    const wrong = answers.filter(one => one.id !== one.expected)
    expect(wrong.length / rows.length, JSON.stringify(wrong.slice(0, 5))).toBeLessThanOrEqual(0.05)
  })
})

describe('what distinguishes sisters', () => {
  it.each([
    ['Quillon Fund II LP', 'Quillon Fund III LP', 2],
    ['Quillon Fund', 'Quillon Fund II', 2],
    ['Quillon Fund', 'Quillon Fund I', 0],
    ['Quillon Fund I', 'Quillon Fund II', 2],
    ['Quillon Fund I', 'Quillon Fund 1', 0],
    ['Quillon Fund Two', 'QUILLON FUND II', 0],
    ['Trust 1987', 'Trust 1978', 2],
    ['Mill Court A', 'Mill Court B', 2],
    ['Mill Court', 'Mill Court B', 0],
    ['Block A Management', 'Block B Management', 2],
    ['Hauliers North', 'Hauliers South', 2],
    ['Hauliers North West', 'Hauliers Northwest', 0],
    ['Foods (Ireland) Ltd', 'Foods (Scotland) Ltd', 2],
    ['Foods (UK) Ltd', 'Foods Ltd', 0],
    ['Foods Deutschland GmbH', 'Foods Germany', 0],
    ['Motors (Leeds) Ltd', 'Motors (Bradford) Ltd', 2],
    ['Marwick Trading Ltd', 'Marwick Ltd', 1],
    ['Marwick trading as Quillon', 'Marwick', 0],
    ['A & B Motors', 'AB Motors', 0],
    ['STEEL DYNAMIC  DL-,0025', 'Steel Dynamics, Inc.', 0],
    ['SOLOCAL GROUP  EO 1,-', 'Solocal Group S.A.', 0],
    ['ESSITY AB B', 'Essity AB', 0],
  ] as const)('%s and %s: %i', (one, other, differ) => {
    const [a, b] = [one, other].map(name => parseCompanyName(name).marks) as [string, string]
    expect(marksDiffer(a, b)).toBe(differ)
    expect(marksDiffer(b, a)).toBe(differ)
  })

  it.each([
    ['Wines (Newry) Limited', ['newry']],
    ['Wines (Newry) Limited (invoices)', []],
    ['Wines Limited (invoices)', []],
    ['Wines (invoices)', []],
    ['Wines (UK) Limited', ['uk']],
    ['Wines (Ireland) Limited', ['ireland']],
    ['Wines Limited (Ireland)', []],
    ['Wines Hldgs Group plc', ['group', 'holding']],
    ['Wines (Own Brand) Stores plc', ['brand', 'own']],
    ['Wines Intl Ltd', ['international']],
    ['Quillon ("QV") Ventilation ApS', []],
    ['Quillon Ventilation Works (QVW) Limited', []],
    ['Quillon Ventilation Works (QV) Limited', ['qv']],
    ['International Ltd', []],
  ])('is a word by which groups name their companies, and a word in brackets in front of the legal form: %s', (name, words) => {
    expect(distinctWords(parseCompanyName(name).marks)).toEqual(words)
  })

  it('is a legal form of a different country, unless the country agrees', () => {
    const index = buildIndex([
      ...SISTERS.companies,
      company({ id: 'own', name: 'Pellworth Precious Metals GmbH', country: 'DE' }),
    ])
    for (const [name, country, decision, reason] of [
      ['Pellworth Precious Metals Inc', '', 'review', 'sister-company'],
      ['Pellworth Precious Metals Inc', 'DE', 'matched', null],
      ['Pellworth Precious Metals Ltd', '', 'review', 'sister-company'],
      ['Pellworth Precious Metals AG', '', 'matched', null],
      ['Pellworth Precious Metals GmbH', '', 'matched', null],
      ['Pellworth Precious Metals', '', 'matched', null],
    ] as const)
      expect(match(index, { name, country })).toMatchObject({ decision, reason })
  })

  it('is not a word in brackets that the row shortens', () => {
    const own = company({ id: 'own', name: 'Pellworth Precious Metals Limited', country: 'GB' })
    const index = buildIndex([...SISTERS.companies, own])
    for (const [name, decision] of [
      ['Pellworth Prec.Met.(New) Ltd', 'matched'],
      ['Pellworth Precious Metals (New) Ltd', 'review'],
    ] as const)
      expect([name, match(index, { name, country: 'GB' }).decision]).toEqual([name, decision])
  })

  it('is neither a misspelt word in brackets nor a short form of a part', () => {
    const { companies } = SISTERS
    const own = company({ id: 'own', name: 'Pellworth Castings (Croydon) Limited', country: 'GB', postcode: 'CR0 1QX' })
    const part = company({ id: 'part', name: 'Pellworth Pension Trustees Limited', country: 'GB', postcode: 'CR0 2QX' })
    const index = buildIndex([...companies, own, part])
    for (const [name, postcode, id] of [
      ['Pellworth Castings (Croudon) Ltd', 'CR0 1QX', 'own'],
      ['Pellworth Pension Trusttees Limited', 'CR0 2QX', 'part'],
    ] as const) {
      const found = match(index, { name, postcode, country: 'GB' })
      expect([found.decision, index.companies.id(found.candidates[0]!.company)]).toEqual(['matched', id])
    }
  })
})
