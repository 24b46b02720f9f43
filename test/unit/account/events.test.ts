/** Events of a portfolio, read back from a service whose register changes: each in one file, marked when the file is in place. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { type EventsQuery, withEvents, writeEvents } from '../../../src/account/events.ts'
import { run } from '../../../src/index.ts'
import { type Company, companyAt, idOf, listOf, type Monitored, monitored } from '../../support/monitored.ts'

let here: Monitored
afterEach(() => here.close())

const { signal } = new AbortController()
const COMPANIES = Array.from({ length: 12 }, (_, at) => companyAt(at))
const read = (query: Partial<EventsQuery> = {}) =>
  withEvents(
    { portfolio: 'Watched', since: null, unprocessed: false, ...query },
    { env: here.env, service: null, signal },
    async found => found.events,
  )

async function watch(): Promise<void> {
  const cwd = join(here.folder, 'project')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'in.csv'), listOf(COMPANIES))
  const portfolio = { name: 'Watched', reference: 'ref', rules: { XX: [900_103, 900_104, 105] }, sync: true }
  await run(here.pipeline({ portfolio }), { cwd, env: here.env })
}

test('names company, reference, old and new value, and by which rule', async () => {
  here = await monitored(COMPANIES)
  await watch()
  expect(await read()).toEqual([])
  const changed = COMPANIES.map((one, at) =>
    at === 2 ? { ...one, status: 'dissolved' } : at === 5 ? { ...one, town: 'York' } : one,
  )
  await here.importCompanies(changed, 2)
  const events = await read()
  // The numbers of events are random, and the service lists events by them.
  const found = events.map(({ company, reference, rule, old, new: now }) => [company.id, reference, rule.name, old, now]).sort()
  expect(found).toEqual([
    [idOf(COMPANIES[2]!), `S-${COMPANIES[2]!.id}`, 'Company Status', 'active', 'dissolved'],
    [idOf(COMPANIES[5]!), `S-${COMPANIES[5]!.id}`, 'Address', '5 Mill Lane, Leeds', '5 Mill Lane, York'],
  ])
  expect(await read({ since: '2099-01-01' })).toEqual([])
  await expect(read({ portfolio: 'Nothing' })).rejects.toMatchObject({ code: 'FETTLE_PORTFOLIO' })
})

test('nights of random changes: every change is in exactly one file, and a kill before the mark repeats a file and loses none', async () => {
  here = await monitored(COMPANIES)
  await watch()
  const change = fc.record({
    at: fc.nat(COMPANIES.length - 1),
    field: fc.constantFrom('status', 'name', 'town'),
    value: fc.nat(9),
  })
  const nights = fc.sample(fc.record({ changes: fc.array(change, { maxLength: 6 }), isKilled: fc.boolean() }), {
    numRuns: 8,
    seed: 7,
  })
  let companies: Company[] = [...COMPANIES]
  const expected: string[] = []
  const written: string[] = []
  for (const [night, { changes, isKilled }] of nights.entries()) {
    const before = companies
    for (const { at, field, value } of changes)
      companies = companies.map((one, place) =>
        place === at ? ({ ...one, [field]: `${field} ${night} ${value}` } as Company) : one,
      )
    for (const [at, one] of companies.entries())
      for (const field of ['status', 'name', 'town'])
        if (one[field] !== before[at]![field]) expected.push(`${idOf(COMPANIES[at]!)} ${one[field]}`)
    await here.importCompanies(companies, night + 2)
    const path = join(here.folder, `events-${night}.csv`)
    const write = (isMarked: boolean) =>
      withEvents(
        { portfolio: 'Watched', since: null, unprocessed: true },
        { env: here.env, service: null, signal },
        async found => {
          await writeEvents(found.events, path, path)
          if (isMarked) await found.mark()
        },
      )
    if (isKilled) await write(false)
    await write(true)
    const rows = parse(readFileSync(path), { columns: true }) as { company_id: string; new_value: string }[]
    // Of an address the last part has changed.
    written.push(...rows.map(row => `${row.company_id} ${row.new_value.split(', ').at(-1)}`))
  }
  expect(expected.length).toBeGreaterThan(10)
  expect(written.sort()).toEqual(expected.sort())
})

test('a file of another kind is not replaced', async () => {
  here = await monitored(COMPANIES)
  const path = join(here.folder, 'list.csv')
  writeFileSync(path, 'name,country\n')
  await expect(writeEvents([], path, 'list.csv')).rejects.toThrow('list.csv is not a file of events')
  expect(readFileSync(path, 'utf8')).toBe('name,country\n')
})
