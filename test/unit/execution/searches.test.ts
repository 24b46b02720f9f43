/** Nights that use AML searches and questions for candidates that earlier nights paid. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { type Clock, type PipelineInput, type Report, run } from '../../../src/index.ts'
import { readJournal } from '../../../src/journal/index.ts'
import { forgetKey } from '../../../src/privacy/forget.ts'
import { hitLine, writeHitDecisions } from '../../../src/results/index.ts'
import { importList } from '../../../src/service/screening/index.ts'
import { spendingOfRuns } from '../../../src/spending/spending.ts'
import { serveSample } from '../../support/changed-answers.ts'
import { type Place, place } from '../../support/place.ts'
import { SUPPLIERS } from './nights.ts'

let here: Place
let service: Awaited<ReturnType<typeof serveSample>>
beforeEach(async () => {
  here = place()
  service = await serveSample(here)
})
afterEach(async () => {
  await service.close()
  here.leave()
})

const HEADER = 'Supplier No,Company Name,Reg No,Address,Town,Post Code,Country,Phone,Email'
const DAY = 86_400_000
const readCsv = (text: string): Record<string, string>[] => parse(text, { columns: true })

function pipelineOf(more: Partial<PipelineInput> = {}): PipelineInput {
  return here.pipeline({
    name: 'nightly',
    service: service.url,
    input: { path: 'in.csv', key: 'Supplier No' },
    mappings: { name: 'Company Name', orgNumber: 'Reg No', country: 'Country' },
    enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
    accept: { banding: ['A'], review: ['B', 'C'] },
    reuse: { matched: '20d', unmatched: '20d', review: '20d', screen: { age: '10d', acceptStale: true }, candidates: '5d' },
    screen: { datasets: ['SAN'] },
    candidates: { for: ['review', 'unmatched'], limit: 100 },
    output: { path: 'out.csv', review: 'review.csv' },
    ...more,
  })
}

async function night(day: number, suppliers: number, more: Partial<PipelineInput> = {}, options: object = {}): Promise<Report> {
  const lines = SUPPLIERS.slice(0, suppliers).map((line, at) => `K${at},${line}`)
  here.write('in.csv', [HEADER, ...lines, ''].join('\n'))
  const { username, password } = service
  const common = here.options({ FETTLE_USERNAME: username, FETTLE_PASSWORD: password, FETTLE_URL: service.url })
  const clock: Clock = {
    ...realClock,
    now: () => realClock.now() + day * DAY,
    sleep: (ms, signal) => realClock.sleep(ms / 50, signal),
  }
  return run(pipelineOf(more), { ...common, clock, ...options })
}

const paid = (report: Report): (number | undefined)[] => {
  const { screening, candidates } = report.results[0]!
  return [screening?.searches, screening?.reused, candidates?.asked, candidates?.reused]
}

test('searches and questions of an earlier night are used up to their ages, and nothing is paid for them', async () => {
  const first = await night(0, 20)
  const [searches = 0, , asked = 0] = paid(first)
  expect([searches > 5, asked > 0, ...paid(first)]).toEqual([true, true, searches, 0, asked, 0])
  const second = await night(1, 20)
  expect(paid(second)).toEqual([0, searches, 0, asked])
  // Searches of a day ago are used, and the time of the oldest is in the report.
  expect(first.results[0]?.screening?.oldest).toBeNull()
  const oldest = Date.parse(second.results[0]?.screening?.oldest ?? '')
  expect(Math.abs(oldest - Date.parse(first.metadata.startedAt))).toBeLessThan(DAY / 24)
  const within = { screened: { fail: '< 100%', within: '2d' } }
  expect((await night(1, 20, { checks: within })).results[0]).toMatchObject({
    screening: { tooOld: 0 },
    checks: [{ success: true }],
  })
  const late = await night(3, 20, { checks: within })
  expect(late.results[0]).toMatchObject({
    screening: { reused: searches, tooOld: searches },
    checks: [{ assertion: 'screened', success: false, actual: `0 of ${searches} (0.0%): ${searches} searched too long ago` }],
  })
  expect(second.results[0]?.screening?.hits).toBe(first.results[0]?.screening?.hits)
  // Candidates are too old, searches are not.
  expect(paid(await night(6, 20))).toEqual([0, searches, asked, 0])
  expect(paid(await night(10.5, 20))).toEqual([searches, 0, 0, asked])
  const runs = spendingOfRuns('runs').runs.map(({ credits }) => credits)
  expect(runs[1]).toBe(0)
})

test('searches of more than a day ago are refused unless the pipeline accepts them', async () => {
  const reuse = { matched: '20d', unmatched: '20d', review: '20d', screen: '2d' }
  await expect(night(0, 5, { reuse })).rejects.toThrow('would hide a company that was listed since')
  expect(paid(await night(0, 20, { reuse: { ...reuse, screen: '1d' } }))[0]).toBeGreaterThan(0)
})

test('a search with other settings, for another company or asked for again is paid, and no other one', async () => {
  const [searches = 0, , asked = 0] = paid(await night(0, 20))
  const other: Partial<PipelineInput> = { screen: { datasets: ['SAN'], threshold: 95 } }
  expect(paid(await night(1, 20, other))).toEqual([searches, 0, 0, asked])
  expect(paid(await night(1, 20, other))).toEqual([0, searches, 0, asked])
  const [more = 0, known] = paid(await night(2, 24))
  expect([more > 0, more < 5, known]).toEqual([true, true, searches])
  expect(paid(await night(3, 20, {}, { refresh: { all: true } }))).toEqual([searches, 0, asked, 0])
  // Those of the night before are the newest.
  expect(paid(await night(12, 20))).toEqual([0, searches, asked, 0])
  // Without an age each run searches again.
  const none = { reuse: { matched: '20d', unmatched: '20d', review: '20d' } } as const
  expect(paid(await night(12, 20, none))).toEqual([searches, 0, asked, 0])
})

test('a night that ends at screen.budget keeps what it paid, and the next one goes on', async () => {
  const all = paid(await night(0, 20, {}, { answersDir: 'all' }))[0]!
  const budget = Math.ceil(all / 2)
  const most: Partial<PipelineInput> = { screen: { datasets: ['SAN'], budget } }
  expect(await night(1, 20, most)).toMatchObject({ status: 'fail', results: [{ screening: { searches: budget, reused: 0 } }] })
  expect(paid(await night(2, 20, most)).slice(0, 2)).toEqual([all - budget, budget])
})

test('the outputs equal the outputs of a run that asks everything again', async () => {
  const read = (): string[] => ['out.csv', 'review.csv'].map(name => readFileSync(join(here.folder, name), 'utf8'))
  await night(0, 20)
  await night(1, 24)
  const reused = read()
  const paidThen = paid(await night(1, 24, {}, { refresh: { all: true } }))
  expect([paidThen[1], paidThen[3]]).toEqual([0, 0])
  expect(reused).toEqual(read())
})

test('forgetting a row removes the searches about its company and its name', async () => {
  const first = paid(await night(0, 20))
  const found = async (key: string): Promise<number> => {
    const options = { runsDir: 'runs', cwd: here.folder, key, pipeline: null, answersDir: null, tables: [], dryRun: false }
    const { found: files } = await forgetKey(options)
    return files.filter(({ file }) => /-(240|120)h(-merged)?\.answers$/.test(file)).length
  }
  const rows = readFileSync('out.csv', 'utf8').split('\n')
  const keyOf = (pattern: RegExp): string => rows.find(row => pattern.test(row))!.split(',')[0]!
  expect(await found(keyOf(/Belorite SARL/))).toBe(1)
  expect(await found(keyOf(/,GB-X-\d+,/))).toBe(1)
  const [searches = 0, known = 0, asked = 0, reused = 0] = paid(await night(1, 20))
  expect([searches, asked, searches + known, asked + reused]).toEqual([1, 1, first[0], first[2]])
})

test('forgetting a key that no row has removes nothing, also when a message has it as a word', async () => {
  await night(0, 20)
  await night(1, 20)
  const options = { runsDir: 'runs', cwd: here.folder, pipeline: null, answersDir: null, tables: [], dryRun: true }
  for (const key of ['nobody', 'row', 'such'])
    expect(await forgetKey({ ...options, key }), key).toMatchObject({ found: [], kept: [], runs: { searched: 2, withoutKey: 0 } })
})

test('only the newest night keeps questions for candidates', async () => {
  await night(0, 20)
  const { metadata } = await night(1, 20)
  const kept = readdirSync('runs').filter(name => existsSync(join('runs', name, 'questions.jsonl')))
  expect(kept).toEqual([metadata.runId])
})

test('forgetting a row removes the search about its company also when no run that has it is kept', async () => {
  await night(0, 20)
  const row = readFileSync('out.csv', 'utf8')
    .split('\n')
    .find(line => /,GB-X-\d+,/.test(line))!
  for (const name of readdirSync('runs').filter(one => one !== 'answers')) rmSync(join('runs', name), { recursive: true })
  const options = { runsDir: 'runs', cwd: here.folder, pipeline: null, answersDir: null, tables: [] }
  const { found } = await forgetKey({ ...options, key: row.split(',')[0]!, dryRun: false })
  expect(found.map(({ file, entries }) => [file.replace(/^.*-/, ''), entries]).sort()).toEqual([
    ['240h.answers', 1],
    ['480h.answers', 1],
  ])
  const after = await night(1, 20)
  expect(paid(after)[0]).toBe(1)
})

test('decisions about hits apply to searches of an earlier night, which keep the facts of their hits', async () => {
  const plain: Partial<PipelineInput> = { screen: { datasets: ['SAN'] } }
  const decided: Partial<PipelineInput> = { screen: { datasets: ['SAN'], decisions: 'hits.csv' } }
  const judged = (report: Report) => report.results[0]?.screening?.judged
  await night(0, 20, plain)
  const names = readCsv(readFileSync(join(here.folder, 'out.csv'), 'utf8')).flatMap(
    ({ 'general.companyName': name }) => name || [],
  )
  here.write('list.csv', ['name,datasets', ...names.slice(0, 3).map(name => `"${name}",SAN`), ''].join('\n'))
  const dir = join(here.folder, 'lists')
  const list = {
    kind: 'csv',
    file: join(here.folder, 'list.csv'),
    name: 'ours',
    dir,
    codes: [],
    now: new Date(),
    force: false,
  } as const
  await importList(list)
  await service.close()
  service = await serveSample(here, { screeningDir: dir })
  const [searches] = paid(await night(0, 20, { ...plain, name: 'other' }))
  const first = await night(0, 20, decided)
  // Searches without facts are not used for them.
  expect(paid(first).slice(0, 2)).toEqual([searches, 0])
  const hits = first.results[0]!.screening!.hits
  expect([hits > 1, judged(first)]).toEqual([true, expect.objectContaining({ open: hits, cleared: 0 })])
  const { events } = readJournal(join(here.folder, 'runs', first.metadata.runId, 'journal.jsonl'))
  const lines = events.flatMap(event => {
    if (event.type !== 'screen.finished') return []
    const made = { decision: 'clear' as const, by: 'ann', at: '', expires: '' }
    return (event.company.found ?? []).map(hit => ({ ...hitLine(event.company, hit), ...made }))
  })
  expect(lines).toHaveLength(hits)
  await writeHitDecisions(join(here.folder, 'hits.csv'), lines)
  const second = await night(1, 20, decided)
  expect(paid(second).slice(0, 2)).toEqual([0, searches])
  expect([second.results[0]!.screening!.hits, judged(second)]).toEqual([
    hits,
    { open: 0, back: 0, cleared: hits, confirmed: 0, listed: [] },
  ])
})

test('at a service that does not name its lists, searches hold by their age alone', async () => {
  const [dir, file] = [join(here.folder, 'lists'), join(here.folder, 'list.csv')]
  here.write('list.csv', 'name,datasets\nVarnix,SAN\n')
  const importNow = () => importList({ kind: 'csv', file, name: 'ours', dir, codes: [], now: new Date(), force: false })
  await importNow()
  await service.close()
  service = await serveSample(here, { screeningDir: dir, play: 'vendor' })
  const [searches = 0] = paid(await night(0, 20))
  here.write('list.csv', 'name,datasets\nVarnix,SAN\nFeldmoor,SAN\n')
  await importNow()
  const second = await night(1, 20)
  expect([searches > 5, ...paid(second).slice(0, 2)]).toEqual([true, 0, searches])
  expect(second.results[0]?.screening?.again).toEqual({ changed: 0, unknown: 0 })
})
