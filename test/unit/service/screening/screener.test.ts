/** Name searches in screening lists: word order and script, criteria, and lists that change while the service runs. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Dataset } from '../../../../src/contract/index.ts'
import { importList } from '../../../../src/service/screening/index.ts'
import { type Question, Screener } from '../../../../src/service/screening/screener.ts'
import { temporaryFolder } from '../kit.ts'

const ALL: Dataset[] = ['SAN', 'PEP', 'SOE', 'INS', 'AM', 'POI', 'ENF']

const ask = (name: string, more: Partial<Question> = {}): Question => ({
  ...{ type: 'business', name, person: null, threshold: 75, datasets: ALL, countryCodes: [], dateOfBirth: null },
  ...{ isDobRequired: false, gender: null, pepTiers: [] },
  ...more,
})
const person = (name: string, more: Partial<Question> = {}): Question => ask(name, { type: 'individual', ...more })

const LIST = [
  'id,type,name,firstName,middleName,lastName,aliases,weakAliases,datasets,countries,dateOfBirth,gender,pepTier',
  'B1,business,Varnix Steel Ltd,,,,Варникс Стил,Varnix,SAN,GB|CY,,,',
  'B2,business,Navix Immobilien GmbH,,,,,,SAN-FORMER,DE,,,',
  'B3,business,Orvance Partners,,,,,,AM,,,,',
  'P1,individual,,Zalmir,Pradenovich,Quorvath,,The Chemist,SAN,KZ,1961-04-12,male,',
  'P2,individual,Ilvane Quorvath,Ilvane,,Quorvath,,,PEP-LINKED,KZ,1965,female,',
  'P3,individual,Tobrin Hallowmere,Tobrin,,Hallowmere,,,PEP,GB,,,2',
  'P4,individual,Grelda Osterwynne,Grelda,,Osterwynne,,,PEP|SAN,DE,1972-03-03,female,3',
  'E1,,Feldmoor Trust,,,,,,POI,,,,',
].join('\n')

async function screenerOf(list = LIST): Promise<{ screener: Screener; dir: string; add(text: string): Promise<void> }> {
  const dir = await temporaryFolder()
  const file = join(await temporaryFolder(), 'list.csv')
  const add = async (text: string): Promise<void> => {
    await writeFile(file, text)
    await importList({ kind: 'csv', file, name: 'ours', dir, now: new Date(0) })
  }
  await add(list)
  const screener = new Screener(dir)
  await screener.ready()
  return { screener, dir, add }
}

const told = (screener: Screener, question: Question): string[] =>
  screener.search(question).map(({ entry, match, score }) => `${entry.id} ${match} ${score}`)
const ids = (screener: Screener, question: Question): string[] => screener.search(question).map(({ entry }) => entry.id)

test('what is found does not depend on how many similar names are listed', async () => {
  const header = 'id,type,name,datasets'
  const listed = ['B1,business,Limaron Feldmoor,SAN']
  const near = Array.from({ length: 200 }, (_, at) => `N${at},business,Limaron Kordelan Vostra Quenby ${at},SAN`)
  const { screener, add } = await screenerOf([header, ...listed].join('\n'))
  const asked = ask('Limaron Feldmoor Kordelan Vostra')
  const alone = told(screener, asked)
  await add([header, ...listed, ...near].join('\n'))
  await screener.ready()
  expect(alone).toHaveLength(1)
  expect(told(screener, asked).filter(text => text.startsWith('B1'))).toEqual(alone)
})

describe('a name', () => {
  test('is found in another order, script or legal form, and as an alias', async () => {
    const { screener } = await screenerOf()
    expect(told(screener, ask('VARNIX STEEL LIMITED'))).toEqual(['B1 Varnix Steel Ltd 100'])
    expect(told(screener, ask('Варникс Стил'))).toEqual(['B1 Варникс Стил 100'])
    expect(told(screener, ask('Varnix'))).toEqual(['B1 Varnix 95'])
    expect(told(screener, ask('Navix Immobilien AG'))).toEqual(['B2 Navix Immobilien GmbH 90'])
    expect(told(screener, person('Quorvath, Zalmir'))).toEqual(['P1 Zalmir Quorvath 95'])
    expect(told(screener, person('QUORVATH Zalmir Pradenovich'))).toEqual(['P1 Zalmir Pradenovich Quorvath 100'])
  })

  test('with a comma is found without its middle names, unless it is short', async () => {
    const { screener } = await screenerOf(
      'id,type,name,datasets\nP1,individual,"QUORVATH OSTER, Zalmir Pradenovich",SAN\nP2,individual,"LI, Hong Wan",SAN\n',
    )
    expect(told(screener, person('Zalmir Quorvath Oster'))).toEqual(['P1 Zalmir QUORVATH OSTER 85'])
    expect(ids(screener, person('Hong Li', { threshold: 85 }))).toEqual([])
  })

  test('with a typing error scores between the threshold and 100, and another name is not found', async () => {
    const { screener } = await screenerOf()
    const [found] = screener.search(ask('Varnix Stel'))
    expect(found?.entry.id).toBe('B1')
    expect(found?.score).toBeGreaterThanOrEqual(75)
    expect(found?.score).toBeLessThan(100)
    expect(screener.search(ask('Varnix Stel', { threshold: 100 }))).toEqual([])
    expect(screener.search(ask('Northgate Fasteners'))).toEqual([])
  })

  test('of a business is not searched among persons, one of type `either` among both', async () => {
    const { screener } = await screenerOf()
    expect(ids(screener, person('Varnix Steel'))).toEqual([])
    expect(ids(screener, ask('Ilvane Quorvath'))).toEqual([])
    expect([ids(screener, ask('Feldmoor Trust')), ids(screener, person('Feldmoor Trust'))]).toEqual([['E1'], ['E1']])
  })

  test('with an additional middle name scores below 100', async () => {
    const { screener } = await screenerOf()
    const asked = { first: 'Tobrin', middle: 'James', last: 'Hallowmere' }
    expect(told(screener, person('Hallowmere Tobrin James', { person: asked }))).toEqual(['P3 Tobrin Hallowmere 95'])
  })
})

test.each<[Dataset[], string[]]>([
  [['SAN'], ['B2']],
  [['SAN-FORMER'], ['B2']],
  [['SAN-CURRENT'], []],
  [['PEP', 'AM'], []],
])('the datasets %j hold %j of the name', async (datasets, found) => {
  const { screener } = await screenerOf()
  expect(ids(screener, ask('Navix Immobilien', { datasets }))).toEqual(found)
})

test.each<[string, Partial<Question>, boolean]>([
  ['Zalmir Quorvath', { dateOfBirth: '1961-04-12' }, true],
  ['Zalmir Quorvath', { dateOfBirth: '1961' }, true],
  ['Zalmir Quorvath', { dateOfBirth: '1961-04-13' }, false],
  ['Ilvane Quorvath', { dateOfBirth: '1965-01-01' }, true],
  ['Tobrin Hallowmere', { dateOfBirth: '1950' }, true],
  ['Tobrin Hallowmere', { dateOfBirth: '1950', isDobRequired: true }, false],
  ['Zalmir Quorvath', { gender: 'female' }, false],
  ['Tobrin Hallowmere', { gender: 'female' }, true],
  ['Tobrin Hallowmere', { pepTiers: [2, 3] }, true],
  ['Tobrin Hallowmere', { pepTiers: [1] }, false],
  ['Grelda Osterwynne', { pepTiers: [1] }, true],
  ['Grelda Osterwynne', { pepTiers: [1], datasets: ['PEP'] }, false],
  ['Ilvane Quorvath', { pepTiers: [1] }, true],
  ['Zalmir Quorvath', { countryCodes: ['KZ', 'GB'] }, true],
  ['Zalmir Quorvath', { countryCodes: ['GB'] }, false],
  ['Feldmoor Trust', { countryCodes: ['GB'] }, true],
])('a search for %s with %j: found %s', async (name, more, found) => {
  const { screener } = await screenerOf()
  expect(screener.search(person(name, more)).length > 0).toBe(found)
})

test('searches a new import without a restart, and no longer finds removed entries', async () => {
  const { screener, add } = await screenerOf()
  await add(LIST.replace('Varnix Steel Ltd', 'Prindane Seafoods'))
  expect(ids(screener, ask('Varnix Steel'))).toEqual(['B1'])
  await screener.ready()
  expect(ids(screener, ask('Prindane Seafoods'))).toEqual(['B1'])
  expect(screener.find('ours', 'B1')?.name).toBe('Prindane Seafoods')
  expect([screener.find('ours', 'B9'), screener.find('theirs', 'B1')]).toEqual([null, null])
  screener.close()
})

test('searches the fictitious sample only without lists', async () => {
  for (const dir of [null, await temporaryFolder(), '/no/such/folder']) {
    const screener = new Screener(dir)
    await screener.ready()
    expect(screener.search(ask('Varnix Steel')).map(({ list }) => list)).toEqual(['sample'])
  }
  const { screener } = await screenerOf('name,datasets\nOrvance,SAN')
  expect(screener.search(ask('Varnix Steel'))).toEqual([])
})
