/** The files of events as a scheduler reads them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { companyAt, idOf, listOf, type Monitored, monitored } from '../../support/monitored.ts'
import { fettle, folderOf } from './fettle.ts'

const COMPANIES = Array.from({ length: 4 }, (_, at) => companyAt(at))
let here: Monitored
let cwd: string
let day = 1
beforeAll(async () => {
  here = await monitored(COMPANIES)
})
afterAll(() => here.close())

/** One of the pipelines watches the companies; a first night makes its portfolio. */
beforeEach(async () => {
  const watched = here.pipeline({
    portfolio: { name: `Watched ${day}`, reference: 'ref', rules: { XX: [105] }, sync: true },
    events: { output: 'out/events.csv', mark: true },
    checks: { matched: { fail: '< ${LEAST:-1}', warn: '< ${WARN:-1}' } },
  })
  const other = here.pipeline({ name: 'other', output: 'out/other.csv', checks: { matched: { fail: '< ${OTHER:-1}' } } })
  cwd = folderOf({ 'in.csv': listOf(COMPANIES), 'watched.yml': stringify(watched), 'other.yml': stringify(other) })
  expect((await night()).code).toBe(0)
})

const night = (env: Record<string, string> = {}, ...args: string[]) =>
  fettle(['run', ...(args.length === 0 ? ['watched.yml'] : args), '--new', '-q'], { cwd, env: { ...here.env, ...env } })

/** Moves companies to another town. */
async function move(...moved: number[]): Promise<string[]> {
  day++
  await here.importCompanies(
    COMPANIES.map((one, at) => (moved.includes(at) ? { ...one, town: `Town ${day}` } : one)),
    day,
  )
  return moved.map(at => idOf(COMPANIES[at]!))
}

const rowsIn = (name: string) => parse(readFileSync(join(cwd, 'out', name)), { columns: true }) as Record<string, string>[]
const written = (): (string | undefined)[] => rowsIn('events.csv').map(row => row.company_id)

test('a failed check keeps no events back, and each event is in the file of one run', async () => {
  const first = await move(1, 2)
  const failed = await night({ LEAST: '5' })
  expect([failed.code, written().sort()]).toEqual([1, first])
  expect(failed.stdout).toContain('So far: 2 moved')
  const second = await move(1, 2, 3)
  expect([(await night({ WARN: '5' }, 'watched.yml', '--strict')).code, written().sort()]).toEqual([1, second])
  const good = await night({ OTHER: '5' }, 'watched.yml', 'other.yml')
  expect([good.code, written()]).toEqual([1, []])
  const report = await fettle(['report', '--format', 'text'], { cwd })
  expect(report.stdout).toContain('Since the last run: no events')
  const files = readdirSync(join(cwd, 'out')).filter(name => /^events\..+\.csv$/.test(name))
  expect(files.sort().map(name => rowsIn(name).length)).toEqual([0, 2, 3, 0])
})
