/** Searches kept under monitoring by real runs against a service, and the alerts of nights on which lists and companies change. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { run } from '../../../src/index.ts'
import { importList } from '../../../src/service/screening/index.ts'
import { DEFAULT_RUNS_DIR } from '../../../src/shell-command.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { type Company, companyAt, idOf, listOf, type Monitored, monitored } from '../../support/monitored.ts'

let here: Monitored
let cwd: string
let lists: string
afterEach(async () => {
  await here.close()
  rmSync(lists, { recursive: true, force: true })
})

const COMPANIES = Array.from({ length: 20 }, (_, at) => companyAt(at))

async function openAt(clock?: VirtualClock, officers?: string): Promise<void> {
  lists = mkdtempSync(join(tmpdir(), 'fettle-lists-'))
  here = await monitored(COMPANIES, {
    screeningDir: lists,
    ...(clock && { clock: clock.forService() }),
    ...(officers && { officers }),
  })
  cwd = join(here.folder, 'project')
  mkdirSync(cwd)
}

/** The sanctions list of a night. */
async function listNames(names: readonly string[], people: readonly string[] = []): Promise<void> {
  const file = join(here.folder, 'listed.csv')
  const lines = [
    ...names.map((name, at) => `${at},business,${name},SAN`),
    ...people.map((name, at) => `p${at},individual,${name},SAN`),
  ]
  writeFileSync(file, ['id,type,name,datasets', ...lines, ''].join('\n'))
  await importList({ kind: 'csv', file, name: 'ours', dir: lists, now: new Date(0), force: true })
}

interface Night {
  readonly monitor?: { readonly remove: 'gone' | { readonly max: string } }
  readonly threshold?: 80 | 85
  readonly clock?: VirtualClock
  readonly people?: 'directors'
}

async function night(companies: readonly Company[], { monitor, threshold = 85, clock, people }: Night = {}) {
  writeFileSync(join(cwd, 'in.csv'), listOf(companies))
  const screen = { datasets: ['SAN' as const], threshold, monitor: monitor ?? (true as const), alerts: 'alerts.csv', people }
  const pipeline = here.pipeline({ screen, ...(people && { enrich: 'standard' }) })
  const result = await run(pipeline, { cwd, env: here.env, fresh: true, acceptList: true, clock })
  return { result: result.results[0]!, alerts: alertsIn('alerts.csv'), exitCode: result.exitCode }
}

const alertsIn = (name: string) => parse(readFileSync(join(cwd, name)), { columns: true }) as Record<string, string>[]
const schedules = () => here.client.api.listSchedules.all().toArray({ limit: 1_000 })

test('companies are put under monitoring once, and what left the list is ended', async () => {
  await openAt()
  await listNames([COMPANIES[0]!.name, COMPANIES[19]!.name])
  const first = await night(COMPANIES.slice(0, 10))
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
  const before = await schedules()
  expect(before.map(({ name }) => name).sort()).toEqual(
    COMPANIES.slice(0, 10)
      .map(({ name }) => name)
      .sort(),
  )

  const same = await night(COMPANIES.slice(0, 10))
  expect(same.result.monitoring).toMatchObject({ added: 0, present: 10, written: { alerts: 0 } })
  expect(same.alerts).toEqual([])
  expect((await schedules()).map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())

  const moved = await night(COMPANIES.slice(2, 12))
  expect(moved.result.monitoring).toMatchObject({ added: 2, present: 8, removed: 2, kept: 0 })
  expect((await schedules()).map(({ name }) => name).sort()).toEqual(
    COMPANIES.slice(2, 12)
      .map(({ name }) => name)
      .sort(),
  )

  const shrunk = await night(COMPANIES.slice(2, 4))
  expect(shrunk.result.monitoring).toMatchObject({ added: 0, present: 2, removed: 0, kept: 8 })
  expect(shrunk.result.issues.map(({ code }) => code)).toContain('FETTLE_MONITOR_KEPT')
  expect(await schedules()).toHaveLength(10)

  const allowed = await night(COMPANIES.slice(2, 4), { monitor: { remove: { max: '80%' } } })
  expect(allowed.result.monitoring).toMatchObject({ removed: 8, kept: 0 })
  expect(await schedules()).toHaveLength(2)
})

test('what others put under monitoring is neither added again nor ended', async () => {
  await openAt()
  await listNames([])
  const { api } = here.client
  const body = { threshold: 85 as const, datasets: ['SAN'] }
  const ids: string[] = []
  for (const name of [COMPANIES[0]!.name, COMPANIES[15]!.name])
    ids.push((await api.createBusinessSearch({ body: { ...body, name } })).id)
  await api.createSchedules({ body: { items: ids.map(searchId => ({ searchId })) } })
  expect((await night(COMPANIES.slice(0, 10))).result.monitoring).toMatchObject({ added: 9, present: 1, removed: 0 })
  expect((await night(COMPANIES.slice(1, 10))).result.monitoring).toMatchObject({ added: 0, present: 9, removed: 0, kept: 0 })
  expect(await schedules()).toHaveLength(11)
})

test('a company of another name is monitored by it alone; other criteria replace the schedules', async () => {
  await openAt()
  await listNames([])
  await night(COMPANIES.slice(0, 10))
  const renamed = COMPANIES.map((company, at) => (at === 3 ? { ...company, name: 'Quite Different Limited' } : company))
  await here.importCompanies(renamed, 2)
  expect((await night(renamed.slice(0, 10))).result.monitoring).toMatchObject({ added: 1, present: 9, removed: 0 })
  expect((await schedules()).map(({ name }) => name).sort()).toEqual(
    renamed
      .slice(0, 10)
      .map(({ name }) => name)
      .sort(),
  )
  expect((await night(renamed.slice(0, 10), { threshold: 80 })).result.monitoring).toMatchObject({ added: 10, present: 0 })
  expect((await schedules()).map(({ threshold }) => threshold)).toEqual(Array.from({ length: 10 }, () => 80))
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
  await openAt(
    undefined,
    officersOf([0, 'Maria Holt Karlsson', '1980-05-17'], [1, 'Maria Holt Karlsson', '1980-05-17'], [1, 'Otto Quist Lind']),
  )
  await listNames([COMPANIES[2]!.name], ['Maria Holt Karlsson'])
  const three = COMPANIES.slice(0, 3)
  const first = await night(three, { people })
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
  const before = await schedules()
  expect(before.filter(({ type }) => type === 'individual').map(({ name, dateOfBirth }) => [name, dateOfBirth ?? null])).toEqual(
    expect.arrayContaining([
      ['Maria Holt Karlsson', '1980-05-17'],
      ['Otto Quist Lind', null],
    ]),
  )

  const same = await night(three, { people })
  expect(same.result.monitoring).toMatchObject({ added: 0, present: 5, removed: 0, kept: 0, written: { alerts: 0 } })

  // Otto resigned: he is gone, one of five, as a company would be. Nina is searched for and monitored from now on, and is on the list.
  await here.importCompanies(COMPANIES, 2, officersOf([0, 'Maria Holt Karlsson', '1980-05-17'], [2, 'Nina Ros Alba']))
  await listNames([COMPANIES[2]!.name], ['Maria Holt Karlsson', 'Nina Ros Alba'])
  const changed = await night(three, { people })
  expect(changed.result.monitoring).toMatchObject({ added: 1, present: 4, removed: 1, kept: 0, written: { alerts: 1 } })
  expect(changed.alerts).toMatchObject([
    { person: 'Nina Ros Alba', company_id: idOf(COMPANIES[2]!), company_name: COMPANIES[2]!.name },
  ])

  // A register that lost its officers ends nothing, unless the pipeline says so.
  await here.importCompanies(COMPANIES, 3, officersOf([9, 'Somebody Else Entirely']))
  const lost = await night(three, { people })
  expect(lost.result.monitoring).toMatchObject({ removed: 0, kept: 2 })
  expect(lost.result.issues.find(({ code }) => code === 'FETTLE_MONITOR_KEPT')!.message).toContain(
    'companies or directors that are gone',
  )
  expect(await schedules()).toHaveLength(5)
  const allowed = await night(three, { people, monitor: { remove } })
  expect(allowed.result.monitoring).toMatchObject({ removed: 2, kept: 0 })
  expect((await schedules()).map(({ name }) => name).sort()).toEqual(three.map(({ name }) => name).sort())
})

test('a person whom another user put under monitoring stays, and is not added again', async () => {
  await openAt(undefined, officersOf([0, 'Maria Holt Karlsson', '1980-05-17']))
  await listNames([])
  const body = { name: 'Maria Holt Karlsson', dateOfBirth: '1980-05-17', threshold: 85, datasets: ['SAN'] }
  const { id: searchId } = await here.client.api.createIndividualSearch({ body })
  await here.client.api.createSchedules({ body: { items: [{ searchId }] } })
  const people = 'directors' as const
  expect((await night(COMPANIES.slice(0, 2), { people })).result.monitoring).toMatchObject({ added: 2, present: 1 })
  expect((await night(COMPANIES.slice(1, 2), { people, monitor: { remove: 'gone' } })).result.monitoring).toMatchObject({
    removed: 1,
  })
  expect((await schedules()).map(({ name }) => name).sort()).toEqual([COMPANIES[1]!.name, body.name].sort())
})

test('a damaged record ends the run, and without it all alerts are written once more', async () => {
  await openAt()
  await listNames([COMPANIES[0]!.name])
  await night(COMPANIES.slice(0, 5))
  const folder = join(cwd, DEFAULT_RUNS_DIR, 'events')
  const [name = ''] = readdirSync(folder)
  writeFileSync(join(folder, name), '{')
  await expect(night(COMPANIES.slice(0, 5))).rejects.toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED' })
  rmSync(join(folder, name))
  const again = await night(COMPANIES.slice(0, 5))
  expect([again.alerts.length, again.result.monitoring?.added]).toEqual([1, 0])
  expect(await schedules()).toHaveLength(5)
})

test('nights of changes: every hit is in the file of one night, and each company under monitoring once', async () => {
  const days = 8
  const change = fc.record({
    night: fc.integer({ min: 1, max: days }),
    at: fc.nat(COMPANIES.length - 1),
    what: fc.constantFrom('listed', 'listed', 'unlisted', 'in', 'in', 'out', 'again'),
  })
  const planned = fc.sample(change, { numRuns: 80, seed: 11 })
  const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1), seed: 5 })
  await openAt(clock)
  clock.isIdle = () => here.front.pending() === 0
  const listed = new Set([0, 1])
  const mine = new Set([0, 2, 4, 6, 8])
  const written: string[] = []
  const seen = new Set<string>()
  for (let day = 1; day <= days; day++) {
    clock.suspend(86_400_000, 'moves')
    const today = planned.filter(({ night }) => night === day)
    for (const { at, what } of today) {
      if (what === 'listed') listed.add(at)
      if (what === 'unlisted') listed.delete(at)
      if (what === 'in') mine.add(at)
      if (what === 'out' && mine.size > 1) mine.delete(at)
    }
    await listNames([...listed].map(at => COMPANIES[at]!.name))
    // Searched again on other terms and back: its hits are new.
    const all = await schedules()
    for (const { at } of today.filter(({ what }) => what === 'again' || what === 'listed')) {
      const one = all.find(({ name }) => name === COMPANIES[at]!.name)
      for (const threshold of [80, 85] as const)
        if (one !== undefined) await here.client.api.updateSchedule({ scheduleId: one.id, body: { threshold } })
    }
    const { result, alerts, exitCode } = await night(
      [...mine].map(at => COMPANIES[at]!),
      { monitor: { remove: 'gone' }, clock },
    )
    expect([exitCode, result.monitoring?.written?.alerts]).toEqual([0, alerts.length])
    written.push(...alerts.map(({ hit_id = '' }) => hit_id))
    const under = (await schedules()).map(({ name }) => name)
    expect(under.sort()).toEqual([...mine].map(at => COMPANIES[at]!.name).sort())
    for (const { id } of await here.client.api.listScheduleAlerts.all().toArray({ limit: 1_000 })) seen.add(id)
  }
  expect(seen.size).toBeGreaterThan(15)
  expect(written.toSorted()).toEqual([...seen].sort())
})
