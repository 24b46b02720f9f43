/** Rules that read events, night by night: what happened to the company of a row since the last run. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, expect, test } from 'vitest'
import { type PipelineInput, run } from '../../../src/index.ts'
import { type Company, companyAt, listOf, type Monitored, monitored } from '../../support/monitored.ts'

let here: Monitored
afterEach(() => here.close())

const COMPANIES = Array.from({ length: 6 }, (_, at) => companyAt(at))
const TABLE = `
fields:
  gone: { from: events.dissolved, type: number }
  moves: { from: events.105, type: number }
  all: { from: events.count, type: number }
rules:
  - { name: gone, when: { gone: { ">": 0 } }, decision: decline }
  - { name: moved, when: { moves: { ">": 0 } }, decision: refer }
  - { name: twice, when: { all: { ">": 1 } }, decision: refer }
otherwise: accept
`
const WATCHED = {
  portfolio: { name: 'Watched', rules: { XX: [900_103, 900_104, 105] }, sync: true },
  events: { since: 'last', output: 'events.csv', mark: true },
} satisfies Partial<PipelineInput>

async function night(companies: readonly Company[], more: Partial<PipelineInput> = {}, limit?: number) {
  const cwd = join(here.folder, 'project')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'in.csv'), listOf(companies))
  writeFileSync(join(cwd, 'table.yml'), TABLE)
  const pipeline = here.pipeline({ ...WATCHED, decide: 'table.yml', ...more })
  const result = await run(pipeline, { cwd, env: here.env, ...(limit === undefined ? {} : { limit }) })
  expect(result.exitCode).toBe(0)
  const rows = parse(readFileSync(join(cwd, 'out.csv')), { columns: true }) as Record<string, string>[]
  return rows.map(row => `${row.decision} ${row['decision.rule']}: ${row['decision.why']}`)
}

const changed = (changes: Readonly<Record<number, Partial<Company>>>): Company[] =>
  COMPANIES.map((one, at) => ({ ...one, ...changes[at] }) as Company)

test('a row is decided by the events of its company, and referred while the company is not monitored', async () => {
  here = await monitored(COMPANIES)
  const watched = COMPANIES.slice(0, 5)
  expect(await night(watched)).toEqual(watched.map(() => 'refer gone: gone is missing'))
  await here.importCompanies(
    changed({ 1: { status: 'dissolved' }, 2: { town: 'York' }, 3: { status: 'liquidation', name: 'Other Limited' } }),
    2,
  )
  expect(await night(COMPANIES)).toEqual([
    'accept otherwise: no rule holds',
    'decline gone: gone > 0 (gone 1)',
    'refer moved: moves > 0 (moves 1)',
    'refer twice: all > 1 (all 2)',
    'accept otherwise: no rule holds',
    // Its company is in the portfolio from this night on.
    'refer gone: gone is missing',
  ])
  expect(await night(COMPANIES)).toEqual(COMPANIES.map(() => 'accept otherwise: no rule holds'))
})

test('a run over the first rows reads no events, and refers', async () => {
  here = await monitored(COMPANIES)
  await night(COMPANIES)
  expect(await night(COMPANIES, {}, 2)).toEqual(Array.from({ length: 2 }, () => 'refer gone: gone is missing'))
})
