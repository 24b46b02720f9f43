import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildIndex, type Company, ListClusters } from '../../../../src/service/matching/index.ts'

const EMPTY = { orgNumber: '', vatNumber: '', tradingNames: [], previousNames: [], address1: '', address2: '', town: '' }
const REST = { postcode: '', phone: '', email: '', website: '', status: '' }

const makeCompany = (name: string, at: number, values: Partial<Company> = {}): Company => {
  const id = String(at).padStart(4, '0')
  return { ...EMPTY, ...REST, id, connectId: id, name, country: '', ...values }
}

function cluster(companies: readonly Company[]) {
  const clusters = new ListClusters(buildIndex(companies))
  for (let at = 0; at < companies.length; at++) clusters.compare(at)
  return { clusters, ...clusters.finish() }
}

const WORDS = [
  'Quillon',
  'Ventilation',
  'Brackwell',
  'Marine',
  'Ostrander',
  'Foods',
  'Holdings',
  'Group',
  'Fund 2',
  'Fund 3',
  'North',
]
const row = fc.record({
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  country: fc.constantFrom('', 'GB', 'FR'),
  orgNumber: fc.constantFrom('', '', '09548165', '11076475'),
})

test('a contradiction is never inside a group', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 25 }), rows => {
      const { clusters, groups } = cluster(
        rows.map(({ words, ...values }, at) => makeCompany(`${words.join(' ')} Ltd`, at, values)),
      )
      for (let a = 0; a < rows.length; a++)
        for (let b = 0; b < a; b++) if (groups[a] === groups[b]) expect(clusters.contradict(a, b)).toBe(false)
    }),
  )
})

test('spellings of one name are a group, sisters and other countries are not', () => {
  const names = ['Brackwell Marine Ltd', 'Brackwel Marine Limited', 'Brackwell Marine Holdings Ltd', 'Ostrander Foods GmbH']
  const { groups } = cluster(names.map((name, at) => makeCompany(name, at)))
  expect([...groups]).toEqual([0, 0, 2, 3])
  const abroad = cluster([makeCompany(names[0]!, 0, { country: 'GB' }), makeCompany(names[0]!, 1, { country: 'FR' })])
  expect([...abroad.groups]).toEqual([0, 1])
})

test('a chain is cut where its ends contradict', () => {
  const { groups } = cluster([
    makeCompany('Brackwell Marine Ltd', 0, { orgNumber: '09548165', country: 'GB' }),
    makeCompany('Brackwell Marine Ltd', 1, { country: 'GB' }),
    makeCompany('Brackwell Marine Ltd', 2, { orgNumber: '11076475', country: 'GB' }),
  ])
  expect(groups[0]).not.toBe(groups[2])
})
