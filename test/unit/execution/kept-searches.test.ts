/** Runs that use searches of earlier ones at a service whose lists are imported in between: what a list may concern is asked again. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PipelineInput, type Report, run } from '../../../src/index.ts'
import { renderText } from '../../../src/report/index.ts'
import { readRun } from '../../../src/runs/run-directory.ts'
import { mostCredits } from '../../../src/spending/spending.ts'
import type { FaultEffectInput } from '../../../src/testing/index.ts'
import { eventually } from '../../support/eventually.ts'
import { companyAt, listOf } from '../../support/monitored.ts'
import { type Nights, openNights } from './monitored-nights.ts'

const COMPANIES = Array.from({ length: 6 }, (_, at) => companyAt(at))
const NAMES = COMPANIES.map(({ name }) => name)
const OFFICERS = [
  'companyId,name,dateOfBirth',
  `${COMPANIES[0]!.id},Maribel Tronstad,1980-05-17`,
  `${COMPANIES[1]!.id},Maribel Tronstad,1980-05-17`,
  `${COMPANIES[2]!.id},Otto Quist Lind,`,
  '',
].join('\n')
const SEARCHES = ['createBusinessSearch', 'createIndividualSearch']

let nights: Nights
beforeEach(async () => {
  nights = await openNights(undefined, OFFICERS)
  await nights.listNames(NAMES.slice(0, 1))
})
afterEach(() => nights.close())

async function night(more: Partial<PipelineInput> = {}, options: object = {}) {
  const { cwd, here } = nights
  writeFileSync(join(cwd, 'in.csv'), listOf(COMPANIES))
  const before = here.front.requests.length
  const pipeline = here.pipeline({
    enrich: 'standard',
    screen: { datasets: ['SAN'], threshold: 85, people: 'directors', decisions: 'hits.csv' },
    reuse: { matched: '20d', unmatched: '20d', review: '20d', screen: '1d' },
    ...more,
  })
  const report: Report = await run(pipeline, { cwd, env: here.env, acceptList: true, ...options })
  const made = here.front.requests.slice(before)
  const { searches, reused, again, hits, directors } = report.results[0]!.screening!
  return {
    report,
    counts: { searches, reused, again, hits, shared: directors?.shared },
    searches: made.filter(({ operation }) => SEARCHES.includes(operation ?? '')).length,
    uncounted: made.length - report.results[0]!.http.requests,
    questions: made.filter(({ path }) => path.endsWith('/listChanges')).length,
    output: readFileSync(join(cwd, 'out.csv'), 'utf8'),
  }
}

const none = { changed: 0, unknown: 0 }

test('only the searches that an import may concern are made again, and their new hits are written', async () => {
  const first = await night()
  expect(first).toMatchObject({ counts: { searches: 8, reused: 0, again: none, hits: 1, shared: 1 }, searches: 8, questions: 0 })
  // The lists are the same: one question, nothing else.
  const same = await night()
  expect(same).toMatchObject({ counts: { searches: 0, reused: 8, again: none, hits: 1 }, searches: 0, questions: 1 })
  // All of them may have to be made again: budget.month reserves as much.
  const { plan } = readRun(join(nights.cwd, 'fettle-runs'), same.report.metadata.runId)
  expect([plan.known?.searches, mostCredits(plan)]).toMatchObject([{ screen: 6, unproven: 6 }, 6])
  expect([first.uncounted, same.uncounted]).toEqual([0, 0])
  // A company and a director are listed, and one is not any more.
  await nights.listNames(NAMES.slice(3, 4), ['Otto Quist Lind'])
  const changed = await night()
  expect(changed).toMatchObject({ counts: { searches: 3, reused: 5, again: { changed: 3, unknown: 0 }, hits: 2 }, searches: 3 })
  expect(changed.questions).toBe(2)
  expect(renderText(changed.report)).toContain('searches made again: 3 for a changed list entry')
  const hitsIn = ({ output }: { readonly output: string }): (string | undefined)[] =>
    (parse(output, { columns: true }) as Record<string, string>[]).map(row => row['screen.hits'])
  expect([hitsIn(first), hitsIn(changed)]).toEqual([
    ['1', '0', '0', '0', '0', '0'],
    ['0', '0', '1', '1', '0', '0'],
  ])
  const fresh = await night({}, { refresh: { all: true } })
  expect([fresh.counts.searches, fresh.counts.hits, fresh.output]).toEqual([8, 2, changed.output])
  // Answers of different states of the lists; the newest one counts.
  await nights.listNames(NAMES.slice(3, 5), ['Otto Quist Lind'])
  expect((await night()).counts).toMatchObject({ searches: 1, reused: 7, again: { changed: 1, unknown: 0 }, hits: 3 })
})

test('what a changes file does not prove is asked again', async () => {
  await night()
  await nights.listNames(NAMES.slice(0, 2))
  const folder = join(nights.lists, 'ours')
  for (const file of readdirSync(folder).filter(name => name.startsWith('changes-'))) truncateSync(join(folder, file), 5)
  const cut = await night()
  expect(cut).toMatchObject({ counts: { searches: 8, reused: 0, again: { changed: 0, unknown: 8 }, hits: 2 }, questions: 1 })
  expect((await night()).counts).toMatchObject({ searches: 0, reused: 8, again: none })
})

const status = (code: number, more: object = {}): FaultEffectInput => ({ kind: 'status', status: code, ...more })

/** The fault at the question what changed, and the searches that are made again. */
const FAULTS: readonly (readonly [string, FaultEffectInput, 1 | 8])[] = [
  ['F5 reset', { kind: 'reset', at: 'reply', carriedOut: false }, 1],
  ['F7 reset in the middle of the reply', { kind: 'reset', at: 'replyBody', carriedOut: true }, 1],
  ['F10 the token expired', { kind: 'expireToken' }, 1],
  ['F12 403', status(403), 8],
  ['F13 400', status(400), 8],
  ['F14 404', status(404), 8],
  ['F17 429 with Retry-After', status(429, { headers: { 'retry-after': '1' } }), 1],
  ['F20 500', status(500), 1],
  ['F22 a page in place of the answer', { kind: 'body', text: '<html>portal</html>', type: 'text/html' }, 1],
  ['F22 another answer', { kind: 'body', text: '{"listsKey":"0","changed":["none"]}', type: 'application/json' }, 1],
  ['F23 JSON cut short', { kind: 'truncate', framing: 'close', keep: 0.5 }, 1],
]

test('after any fault of the question what changed, nothing is believed that no answer proves', async () => {
  await night()
  for (const [at, [name, effect, searches]] of FAULTS.entries()) {
    await nights.listNames(NAMES.slice(0, 2 - (at % 2)))
    let isDone = false
    const armed = nights.here.front.arm(({ path }) => {
      if (isDone || !path.endsWith('/listChanges')) return null
      isDone = true
      return effect
    })
    const { counts } = await night()
    armed.disarm()
    const { changed, unknown } = counts.again
    expect([name, isDone, counts]).toMatchObject([name, true, { searches, hits: 2 - (at % 2) }])
    // The searches of one key are unknown, those of others are judged.
    expect([name, changed + unknown, unknown > 0]).toEqual([name, searches, searches === 8])
  }
})

test('a list that is imported between the searches of a run is a warning', async () => {
  const { front } = nights.here
  const isSearch = ({ operation }: { readonly operation: string | null }): boolean => operation === 'createBusinessSearch'
  const running = night({ service: { rate: { requests: 2, per: '1s' } } })
  await eventually(() => expect(front.requests.filter(isSearch).length).toBeGreaterThan(1))
  await nights.listNames(NAMES)
  const { issues } = (await running).report.results[0]!
  expect(issues.filter(({ code }) => code === 'FETTLE_SCREENING_CHANGED').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^a screening list was imported again after [2-4] AML searches of the run/),
  ])
})

test('a search whose answer was lost names no lists, and is made again', async () => {
  const armed = nights.here.front.arm([
    { operation: 'createBusinessSearch', nth: 2, effect: { kind: 'reset', at: 'reply', carriedOut: true } },
  ])
  expect((await night()).counts.searches).toBe(8)
  armed.disarm()
  expect((await night()).counts).toMatchObject({ searches: 1, reused: 7, again: { changed: 0, unknown: 1 } })
  expect((await night()).counts).toMatchObject({ searches: 0, reused: 8, again: none })
})
