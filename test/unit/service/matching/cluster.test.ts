import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildIndex, type Company, type DecidedPairs, ListClusters, PairFinder } from '../../../../src/service/matching/index.ts'

const EMPTY = { orgNumber: '', vatNumber: '', tradingNames: [], previousNames: [], address1: '', address2: '', town: '' }
const REST = { postcode: '', phone: '', email: '', website: '', status: '' }

const makeCompany = (name: string, at: number, values: Partial<Company> = {}): Company => {
  const id = String(at).padStart(4, '0')
  return { ...EMPTY, ...REST, id, connectId: id, name, country: '', ...values }
}

function cluster(companies: readonly Company[], decided?: DecidedPairs) {
  const index = buildIndex(companies)
  const finder = new PairFinder(index)
  for (let at = 0; at < companies.length; at++) finder.compare(at)
  const clusters = new ListClusters(index)
  return { clusters, ...clusters.form([finder.take()], decided) }
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

test('what is decided holds, also through chains, unless numbers or countries contradict', () => {
  const couple = fc
    .uniqueArray(fc.nat(11), { minLength: 2, maxLength: 2 })
    .map(([a, b]) => [Math.min(a!, b!), Math.max(a!, b!)] as const)
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 12, maxLength: 12 }),
      fc.array(fc.constantFrom(0, 1, 2, 3), { minLength: 12, maxLength: 12 }),
      fc.array(couple, { maxLength: 8 }),
      (rows, truth, couples) => {
        const companies = rows.map(({ words, ...values }, at) => makeCompany(`${words.join(' ')} Ltd`, at, values))
        const isSame = ([a, b]: readonly [number, number]): boolean => truth[a] === truth[b]
        const [same, different] = [couples.filter(isSame), couples.filter(pair => !isSame(pair))]
        const { groups, doubts, refused } = cluster(companies, { same, different })
        const isRefused = (pair: readonly [number, number]): boolean => refused.some(other => other.pair === pair)
        for (const pair of same) expect(groups[pair[0]] === groups[pair[1]]).toBe(!isRefused(pair))
        for (const [a, b] of different) expect(groups[a]).not.toBe(groups[b])
        for (const field of ['country', 'orgNumber'] as const)
          for (let at = 0; at < 12; at++) {
            const values = rows.filter((_, other) => groups[other] === groups[at]).map(one => one[field])
            expect(new Set(values.filter(value => value !== '')).size).toBeLessThanOrEqual(1)
          }
        const [ends, fixed] = [
          doubts.map(({ a, b }) => [groups[a], groups[b]].sort().join()),
          different.map(pair =>
            pair
              .map(at => groups[at])
              .sort()
              .join(),
          ),
        ]
        expect(ends.filter(pair => fixed.includes(pair))).toEqual([])
      },
    ),
  )
})

test('a person joins sisters, and the spellings of each stay with it', () => {
  const names = ['Brackwell Marine Holdings Ltd', 'Brackwell Marine Ltd', 'Brackwel Marine Limited', 'Ostrander Foods GmbH']
  const companies = names.map((name, at) => makeCompany(name, at))
  expect([...cluster(companies).groups]).toEqual([0, 1, 1, 3])
  expect([...cluster(companies, { same: [[0, 1]], different: [] }).groups]).toEqual([0, 0, 0, 3])
  expect([...cluster(companies, { same: [], different: [[1, 2]] }).groups]).toEqual([0, 1, 2, 3])
})

const groupsOf = (names: readonly string[]) => [...cluster(names.map((name, at) => makeCompany(name, at))).groups]

test('names are found that share no word because each is misspelt', () => {
  expect(groupsOf(['Ostrander Folkestone', 'Ostranter Folkstone', 'Quillon Ventilation', 'Brackwell Marine'])).toEqual([
    0, 0, 2, 3,
  ])
})

test('words left over make a doubt, and a group only where companies have many spellings', () => {
  const pair = ['Brackwell Marine', 'Brackwell Marine Felixstowe Docks']
  const { groups, doubts } = cluster([...pair, 'Ostrander Foods'].map((name, at) => makeCompany(name, at)))
  expect([...groups]).toEqual([0, 1, 2])
  expect(doubts).toMatchObject([{ a: 0, b: 1 }])
  const brands = [
    'Quillon',
    'Ostrander',
    'Vesterby',
    'Lindqvist',
    'Marchetti',
    'Pellworm',
    'Trentham',
    'Hallgarten',
    'Duquesne',
    'Szymanski',
  ]
  const spelt = brands.flatMap(brand =>
    ['Ventilation', 'Ventilations', 'Ventilaton', 'Ventillation'].map(word => `${brand} ${word}`),
  )
  const many = groupsOf([...pair, ...spelt])
  expect(many[1]).toBe(0)
  expect(new Set(many).size).toBe(1 + brands.length)
})

test('a letter at the end of a name is a numeral only where names have lower ones', () => {
  const names = ['Brackwell Marine', 'Brackwell Marine V', 'Ostrander Foods']
  const isOne = (list: readonly string[]): boolean => groupsOf(list)[0] === groupsOf(list)[1]
  const spelt = ['Quillon Ventilation', 'Quillon Ventilations', 'Quillon Ventilaton', 'Quillon Ventillation']
  const long = Array.from({ length: 12 }, (_, at) =>
    spelt.map(name => name.replace('Quillon', 'Quillon'.replaceAll('l', 'abcdefghijkm'.charAt(at)))),
  ).flat()
  expect(isOne([...names, ...long])).toBe(true)
  expect(isOne([...names, ...long, 'Trentham Fund II'])).toBe(false)
})
