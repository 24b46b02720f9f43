/** The events of a pipeline, night by night: each in one file, in the report, and the answers about its company asked for again. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, expect, test } from 'vitest'
import { type PipelineInput, run } from '../../../src/index.ts'
import { forgetKey } from '../../../src/privacy/forget.ts'
import { listNights } from '../../../src/runs/nights.ts'
import { type Company, companyAt, idOf, listOf, type Monitored, monitored } from '../../support/monitored.ts'

let here: Monitored
afterEach(() => here.close())

const COMPANIES = Array.from({ length: 12 }, (_, at) => companyAt(at))
const WATCHED = {
  portfolio: { name: 'Watched', reference: 'ref', rules: { XX: [900_103, 900_104, 105] }, sync: true },
  events: { since: 'last', output: 'out/events.csv', mark: true },
} satisfies Partial<PipelineInput>

const project = (): string => join(here.folder, 'project')

async function night(more: Partial<PipelineInput> = {}) {
  mkdirSync(project(), { recursive: true })
  writeFileSync(join(project(), 'in.csv'), listOf(COMPANIES))
  const result = await run(here.pipeline({ ...WATCHED, ...more }), { cwd: project(), env: here.env })
  expect(result.exitCode).toBe(0)
  return result
}

const eventsFile = (): string => join(project(), 'out/events.csv')
const written = (): string[][] =>
  (parse(readFileSync(eventsFile()), { columns: true }) as Record<string, string>[]).map(row => [
    ...[row.company_id, row.reference, row.rule_name, row.old_value, row.new_value].map(cell => cell ?? ''),
  ])

const changed = (...changes: readonly [number, Partial<Company>][]): Company[] =>
  COMPANIES.map(
    (one, at) => Object.assign({}, one, ...changes.filter(([place]) => place === at).map(([, change]) => change)) as Company,
  )

test('forget names the file of events if it has the key', async () => {
  here = await monitored(COMPANIES)
  await night()
  await here.importCompanies(changed([2, { status: 'dissolved' }]), 2)
  await night()
  const keptFor = async (at: number): Promise<readonly string[]> => {
    const key = `S-${COMPANIES[at]!.id}`
    const options = { runsDir: join(project(), 'fettle-runs'), cwd: project(), key, pipeline: null, answersDir: null }
    const { kept } = await forgetKey({ ...options, tables: [], dryRun: true })
    return kept.filter(({ what }) => what === 'output').map(({ name }) => name)
  }
  expect(await keptFor(2)).toEqual(
    expect.arrayContaining(['out/events.csv', expect.stringMatching(/^out\/events\.\w+-.+\.csv$/)]),
  )
  expect(await keptFor(3)).not.toContain('out/events.csv')
})

test('each event is in the file of one night and in its report, with company, key, old and new value', async () => {
  here = await monitored(COMPANIES)
  const first = await night()
  expect(first.results[0]!.stages[0]).toMatchObject({ name: 'events', status: 'success' })
  expect(first.results[0]!.events).toMatchObject({ portfolio: null, events: 0, file: 'out/events.csv' })
  expect(readFileSync(eventsFile(), 'utf8')).toMatch(/^event_id,event_date,[^\n]*\n$/)
  await here.importCompanies(changed([2, { status: 'dissolved' }], [5, { town: 'York' }], [6, { status: 'liquidation' }]), 2)
  const second = await night()
  const [two, five, six] = [2, 5, 6].map(at => COMPANIES[at]!)
  const rows = [
    [idOf(two!), `S-${two!.id}`, 'Company Status', 'active', 'dissolved'],
    [idOf(five!), `S-${five!.id}`, 'Address', '5 Mill Lane, Leeds', '5 Mill Lane, York'],
    [idOf(six!), `S-${six!.id}`, 'Company Status', 'active', 'liquidation'],
  ]
  expect(written().sort()).toEqual(rows.sort())
  const { events } = second.results[0]!
  expect(events).toMatchObject({
    ...{ since: null, events: 3, companies: 3, marked: 3, file: 'out/events.csv' },
    kinds: { status: 1, address: 1, dissolved: 1 },
  })
  expect(events?.listed.map(({ company, key, rule, old, new: now }) => [company.id, key, rule, old, now]).sort()).toEqual(
    rows.sort(),
  )
  const { events: notifications } = await processed()
  expect(notifications).toEqual([true, true, true])
  await here.importCompanies(
    changed([2, { status: 'dissolved' }], [5, { town: 'York' }], [6, { status: 'liquidation', name: 'Other Limited' }]),
    3,
  )
  const third = await night()
  expect(written()).toEqual([[idOf(six!), `S-${six!.id}`, 'Company Name', six!.name, 'Other Limited']])
  expect(third.results[0]!.events?.since).toMatch(/^\d{4}-/)
  await night()
  expect(written()).toEqual([])
  expect(listNights(join(project(), 'fettle-runs'), project()).nights.map(one => one.events)).toEqual([0, 1, 3, 0])
  const own = readdirSync(join(project(), 'out')).filter(name => /^events\..+\.csv$/.test(name))
  const rowsIn = (name: string) => parse(readFileSync(join(project(), 'out', name)), { columns: true }).length
  expect(own.sort().map(rowsIn)).toEqual([0, 3, 1, 0])
})

const processed = async () => {
  const [portfolio] = await here.client.findPortfolios('Watched')
  return { events: (await here.client.listEvents(portfolio!.id, null)).map(one => one.processed) }
}

test('an answer about a company with an event is asked for again, also in the run after a stopped one', async () => {
  here = await monitored(COMPANIES)
  const reuse = { matched: '90d', unmatched: '90d', review: '90d' } as const
  await night({ reuse })
  await here.importCompanies(changed([2, { town: 'York' }], [7, { town: 'Hull' }]), 2)
  const report = await night({ reuse })
  expect(report.results[0]!.reuse).toMatchObject({ known: 10, sent: 2, tooOld: 2 })
  expect((await night({ reuse })).results[0]!.reuse).toMatchObject({ known: 12, sent: 0 })
})

test('a row has the key of the last run where the portfolio has no reference', async () => {
  here = await monitored(COMPANIES)
  const portfolio = { name: 'Watched', rules: WATCHED.portfolio.rules, sync: true } as const
  await night({ portfolio })
  await here.importCompanies(changed([3, { town: 'York' }]), 2)
  await night({ portfolio })
  expect(written().map(([id, key]) => [id, key])).toEqual([[idOf(COMPANIES[3]!), `S-${COMPANIES[3]!.id}`]])
})

test('without the record of the runs, what is marked is not written again; a file of another kind is not replaced', async () => {
  here = await monitored(COMPANIES)
  await night()
  await here.importCompanies(changed([3, { town: 'York' }]), 2)
  await night()
  expect(written()).toHaveLength(1)
  rmSync(join(project(), 'fettle-runs'), { recursive: true })
  await night()
  expect(written()).toEqual([])
  writeFileSync(eventsFile(), 'name,country\n')
  const result = run(here.pipeline(WATCHED), { cwd: project(), env: here.env })
  await expect(result).rejects.toThrow('out/events.csv is not a file of events')
  expect(readFileSync(eventsFile(), 'utf8')).toBe('name,country\n')
})
