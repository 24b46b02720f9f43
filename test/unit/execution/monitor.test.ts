/** Searches kept under monitoring by real runs against a service, and the alerts of nights on which lists and companies change. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { forgetKey } from '../../../src/privacy/forget.ts'
import { DEFAULT_RUNS_DIR } from '../../../src/shell-command.ts'
import { idOf } from '../../support/monitored.ts'
import { COMPANIES, type Nights, openNights, walkNights } from './monitored-nights.ts'

let nights: Nights
const open = async (...given: Parameters<typeof openNights>): Promise<void> => {
  nights = await openNights(...given)
}
afterEach(() => nights?.close())

test('companies are put under monitoring once, and what left the list is ended', async () => {
  await open()
  await nights.listNames([COMPANIES[0]!.name, COMPANIES[19]!.name])
  const first = await nights.night(COMPANIES.slice(0, 10))
  expect(first.result.monitoring).toMatchObject({
    added: 10,
    present: 0,
    removed: 0,
    kept: 0,
    refused: 0,
    written: { alerts: 1 },
  })
  expect(first.alerts).toMatchObject([
    { company_id: idOf(COMPANIES[0]!), company_name: COMPANIES[0]!.name, decision: 'undecided', datasets: 'SAN|SAN-CURRENT' },
  ])
  const before = await nights.schedules()
  expect(before.map(({ name }) => name).sort()).toEqual(
    COMPANIES.slice(0, 10)
      .map(({ name }) => name)
      .sort(),
  )

  const same = await nights.night(COMPANIES.slice(0, 10))
  expect(same.result.monitoring).toMatchObject({ added: 0, present: 10, written: { alerts: 0 } })
  expect(same.alerts).toEqual([])
  expect((await nights.schedules()).map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())

  const moved = await nights.night(COMPANIES.slice(2, 12))
  expect(moved.result.monitoring).toMatchObject({ added: 2, present: 8, removed: 2, kept: 0 })
  expect((await nights.schedules()).map(({ name }) => name).sort()).toEqual(
    COMPANIES.slice(2, 12)
      .map(({ name }) => name)
      .sort(),
  )

  const shrunk = await nights.night(COMPANIES.slice(2, 4))
  expect(shrunk.result.monitoring).toMatchObject({ added: 0, present: 2, removed: 0, kept: 8 })
  expect(shrunk.result.issues.map(({ code }) => code)).toContain('FETTLE_MONITOR_KEPT')
  expect(await nights.schedules()).toHaveLength(10)

  const allowed = await nights.night(COMPANIES.slice(2, 4), { monitor: { remove: { max: '80%' } } })
  expect(allowed.result.monitoring).toMatchObject({ removed: 8, kept: 0 })
  expect(await nights.schedules()).toHaveLength(2)
})

test('schedules that the service listed only after the list was compared are not ended', async () => {
  await open()
  await nights.listNames([])
  await nights.night(COMPANIES.slice(0, 10))
  const none = { kind: 'body' as const, text: JSON.stringify({ items: [], totalSize: 0 }) }
  nights.here.front.arm([{ operation: 'listSchedules', nth: 1, effect: none }])
  const shrunk = await nights.night(COMPANIES.slice(0, 2))
  expect(shrunk.result.monitoring).toMatchObject({ removed: 0, kept: 8 })
  expect(shrunk.result.issues.find(({ code }) => code === 'FETTLE_MONITOR_KEPT')!.message).toContain(
    '8 of the 10 monitored searches of this pipeline are of companies that are gone from the list; they stay under monitoring: 0 were gone',
  )
  expect(await nights.schedules()).toHaveLength(10)
})

test('what others put under monitoring is neither added again nor ended', async () => {
  await open()
  await nights.listNames([])
  const { api } = nights.here.client
  const body = { threshold: 85 as const, datasets: ['SAN'] }
  const ids: string[] = []
  for (const name of [COMPANIES[0]!.name, COMPANIES[15]!.name])
    ids.push((await api.createBusinessSearch({ body: { ...body, name } })).id)
  await api.createSchedules({ body: { items: ids.map(searchId => ({ searchId })) } })
  expect((await nights.night(COMPANIES.slice(0, 10))).result.monitoring).toMatchObject({ added: 9, present: 1, removed: 0 })
  expect((await nights.night(COMPANIES.slice(1, 10))).result.monitoring).toMatchObject({
    added: 0,
    present: 9,
    removed: 0,
    kept: 0,
  })
  expect(await nights.schedules()).toHaveLength(11)
})

test('what another pipeline relies on is not ended, until that one has dropped it too', async () => {
  await open()
  await nights.listNames([COMPANIES[1]!.name])
  const monitor = { remove: 'gone' } as const
  const reuse = { matched: '30d', unmatched: '7d', review: '7d', screen: '1d' } as const
  const night = async (name: string, from: number, to: number) =>
    (await nights.night(COMPANIES.slice(from, to), { monitor, more: { name, reuse } })).result.monitoring
  const watched = async () => (await nights.schedules()).map(({ id }) => id).sort()
  expect(await night('first', 0, 4)).toMatchObject({ added: 4, present: 0 })
  const four = await watched()
  expect(await night('second', 0, 3)).toMatchObject({ added: 0, present: 3 })
  expect(await night('first', 2, 4)).toMatchObject({ added: 0, present: 2, removed: 0, kept: 0 })
  expect(await watched()).toEqual(four)
  expect(await night('second', 1, 3)).toMatchObject({ added: 0, present: 2, removed: 0 })
  // Nobody follows the company that both have dropped.
  expect(await night('first', 2, 4)).toMatchObject({ present: 2, removed: 1 })
  expect(await night('second', 1, 3)).toMatchObject({ added: 0, present: 2, written: { alerts: 0 } })
  expect(await watched()).toHaveLength(3)
})

test('a company of another name is monitored by it alone; other criteria replace the schedules', async () => {
  await open()
  await nights.listNames([])
  await nights.night(COMPANIES.slice(0, 10))
  const renamed = COMPANIES.map((company, at) => (at === 3 ? { ...company, name: 'Quite Different Limited' } : company))
  await nights.here.importCompanies(renamed, 2)
  expect((await nights.night(renamed.slice(0, 10))).result.monitoring).toMatchObject({ added: 1, present: 9, removed: 0 })
  expect((await nights.schedules()).map(({ name }) => name).sort()).toEqual(
    renamed
      .slice(0, 10)
      .map(({ name }) => name)
      .sort(),
  )
  expect((await nights.night(renamed.slice(0, 10), { threshold: 80 })).result.monitoring).toMatchObject({ added: 10, present: 0 })
  expect((await nights.schedules()).map(({ threshold }) => threshold)).toEqual(Array.from({ length: 10 }, () => 80))
})

/** `[company, name, date of birth]` */
const officersOf = (...officers: readonly (readonly [number, string, string?])[]): string =>
  [
    'companyId,name,type,dateOfBirth',
    ...officers.map(([at, name, born = '']) => `${COMPANIES[at]!.id},${name},person,${born}`),
    '',
  ].join('\n')

test('directors are put under monitoring once with their companies, and those who left are ended with the same guard', async () => {
  const people = 'directors' as const
  const remove = 'gone' as const
  await open(
    undefined,
    officersOf([0, 'Maria Holt Karlsson', '1980-05-17'], [1, 'Maria Holt Karlsson', '1980-05-17'], [1, 'Otto Quist Lind']),
  )
  await nights.listNames([COMPANIES[2]!.name], ['Maria Holt Karlsson'])
  const three = COMPANIES.slice(0, 3)
  const first = await nights.night(three, { people })
  expect(first.result.screening).toMatchObject({
    companies: 3,
    searches: 5,
    directors: { listed: 3, searches: 2, shared: 1, none: 1 },
  })
  expect(first.result.monitoring).toMatchObject({ added: 5, present: 0, written: { alerts: 2 } })
  const [, maria] = first.alerts.toSorted((a, b) => (a.person! < b.person! ? -1 : 1))
  expect(maria).toMatchObject({
    person: 'Maria Holt Karlsson',
    company_id: [0, 1].map(at => idOf(COMPANIES[at]!)).join('|'),
    company_name: [0, 1].map(at => COMPANIES[at]!.name).join('|'),
  })
  const before = await nights.schedules()
  expect(before.filter(({ type }) => type === 'individual').map(({ name, dateOfBirth }) => [name, dateOfBirth ?? null])).toEqual(
    expect.arrayContaining([
      ['Maria Holt Karlsson', '1980-05-17'],
      ['Otto Quist Lind', null],
    ]),
  )

  const same = await nights.night(three, { people })
  expect(same.result.monitoring).toMatchObject({ added: 0, present: 5, removed: 0, kept: 0, written: { alerts: 0 } })

  // Otto resigned: he is gone, one of five, as a company would be. Nina is searched for and monitored from now on, and is on the list.
  await nights.here.importCompanies(COMPANIES, 2, officersOf([0, 'Maria Holt Karlsson', '1980-05-17'], [2, 'Nina Ros Alba']))
  await nights.listNames([COMPANIES[2]!.name], ['Maria Holt Karlsson', 'Nina Ros Alba'])
  const changed = await nights.night(three, { people })
  expect(changed.result.monitoring).toMatchObject({ added: 1, present: 4, removed: 1, kept: 0, written: { alerts: 1 } })
  expect(changed.alerts).toMatchObject([
    { person: 'Nina Ros Alba', company_id: idOf(COMPANIES[2]!), company_name: COMPANIES[2]!.name },
  ])

  // A register that lost its officers ends nothing, unless the pipeline says so.
  await nights.here.importCompanies(COMPANIES, 3, officersOf([9, 'Somebody Else Entirely']))
  const lost = await nights.night(three, { people })
  expect(lost.result.monitoring).toMatchObject({ removed: 0, kept: 2 })
  expect(lost.result.issues.find(({ code }) => code === 'FETTLE_MONITOR_KEPT')!.message).toContain(
    'companies or directors that are gone',
  )
  expect(await nights.schedules()).toHaveLength(5)
  const allowed = await nights.night(three, { people, monitor: { remove } })
  expect(allowed.result.monitoring).toMatchObject({ removed: 2, kept: 0 })
  expect((await nights.schedules()).map(({ name }) => name).sort()).toEqual(three.map(({ name }) => name).sort())
})

test('a person whom another user put under monitoring stays, and is not added again', async () => {
  await open(undefined, officersOf([0, 'Maria Holt Karlsson', '1980-05-17']))
  await nights.listNames([])
  const body = { name: 'Maria Holt Karlsson', dateOfBirth: '1980-05-17', threshold: 85, datasets: ['SAN'] }
  const { id: searchId } = await nights.here.client.api.createIndividualSearch({ body })
  await nights.here.client.api.createSchedules({ body: { items: [{ searchId }] } })
  const people = 'directors' as const
  expect((await nights.night(COMPANIES.slice(0, 2), { people })).result.monitoring).toMatchObject({ added: 2, present: 1 })
  expect((await nights.night(COMPANIES.slice(1, 2), { people, monitor: { remove: 'gone' } })).result.monitoring).toMatchObject({
    removed: 1,
  })
  expect((await nights.schedules()).map(({ name }) => name).sort()).toEqual([COMPANIES[1]!.name, body.name].sort())
})

test('at a service that does not name changes of its lists, a search of an earlier run that found something since is read again', async () => {
  await open(undefined, undefined, 'vendor')
  const reuse = { matched: '30d', unmatched: '7d', review: '7d', screen: '1d' } as const
  const read = async () => (await nights.night(COMPANIES.slice(0, 5), { more: { reuse } })).result
  await nights.listNames([])
  expect((await read()).screening).toMatchObject({ reused: 0, hits: 0 })
  await nights.listNames([COMPANIES[1]!.name])
  await nights.here.importCompanies(COMPANIES, 2)
  const second = await read()
  expect(second.monitoring).toMatchObject({ written: { alerts: 1 } })
  expect(second.screening).toMatchObject({ reused: 5, hits: 1 })
})

test('forgetting a row names the alerts that have its company, and no others', async () => {
  await open()
  await nights.listNames([COMPANIES[0]!.name])
  await nights.night(COMPANIES.slice(0, 5))
  const where = { runsDir: join(nights.cwd, DEFAULT_RUNS_DIR), cwd: nights.cwd, answersDir: null, tables: [], pipeline: null }
  const kept = async (at: number) =>
    (await forgetKey({ ...where, key: `S-${COMPANIES[at]!.id}`, dryRun: true })).kept.map(({ name }) => name)
  const own = expect.stringMatching(/^alerts\..+\.csv$/)
  expect(await kept(0)).toEqual(['out.csv', 'alerts.csv', own, expect.any(String)])
  expect(await kept(1)).toEqual(['out.csv', expect.any(String)])
})

test('a damaged record ends the run, and without it all alerts are written once more', async () => {
  await open()
  await nights.listNames([COMPANIES[0]!.name])
  await nights.night(COMPANIES.slice(0, 5))
  const folder = join(nights.cwd, DEFAULT_RUNS_DIR, 'events')
  const [name = ''] = readdirSync(folder)
  writeFileSync(join(folder, name), '{')
  await expect(nights.night(COMPANIES.slice(0, 5))).rejects.toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED' })
  rmSync(join(folder, name))
  const again = await nights.night(COMPANIES.slice(0, 5))
  expect([again.alerts.length, again.result.monitoring?.added]).toEqual([1, 0])
  expect(await nights.schedules()).toHaveLength(5)
})

test('nights of changes: every hit is in the file of one night, and each company under monitoring once', async () => {
  expect((await walkNights(8, 80, 11)).hits).toBeGreaterThan(15)
})
