/** The file of events as a scheduler reads it: what follows a command goes on after exit code 0 only. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { companyAt, idOf, listOf, type Monitored, monitored } from '../../unit/app/monitored.ts'
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

const written = (): (string | undefined)[] =>
  (parse(readFileSync(join(cwd, 'out/events.csv')), { columns: true }) as Record<string, string>[]).map(row => row.company_id)

test('after a failed check the next file has the events again, and after exit code 0 it has not', async () => {
  const first = await move(1, 2)
  const failed = await night({ LEAST: '5' })
  expect([failed.code, written().sort()]).toEqual([1, first])
  expect(failed.stdout).toContain('So far: 2 moved')
  const good = await night()
  expect([good.code, written().sort()]).toEqual([0, first])
  const report = await fettle(['report', '--format', 'text'], { cwd })
  expect(report.stdout).toContain('Since the last run that ended with exit code 0: 2 moved')
  expect((await night()).code).toBe(0)
  expect(written()).toEqual([])
})

test('what counts is the exit code of the command: of several pipelines, and with --strict', async () => {
  const first = await move(1, 2)
  const failed = await night({ OTHER: '5' }, 'watched.yml', 'other.yml')
  expect([failed.code, written().sort()]).toEqual([1, first])
  const second = await move(1, 2, 3)
  const strict = await night({ WARN: '5' }, 'watched.yml', '--strict')
  expect([strict.code, written()]).toEqual([1, expect.arrayContaining(second)])
  expect(written()).toHaveLength(5)
  const resumed = await fettle(['resume', '-q'], { cwd, env: here.env })
  expect(resumed.code).toBe(0)
  expect((await night()).code).toBe(0)
  expect(written()).toEqual([])
})
