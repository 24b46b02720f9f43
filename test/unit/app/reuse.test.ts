/** Runs that use the answers of earlier runs: what goes up, what is written, and what is kept. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyRun } from '../../../src/app/operations/verify.ts'
import { listRunIds, readRun } from '../../../src/app/runs/run-directory.ts'
import { merge, type PipelineInput, type Report, resume, run } from '../../../src/index.ts'
import { resultLine, verdictLine } from '../../../src/report/index.ts'
import { creditsOf } from '../../../src/run/index.ts'
import { runs } from '../../support/runs.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'
import { nightsAt, type Row, SUPPLIERS } from './nights.ts'
import { type Place, place } from './place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const locksIn = (folder: string): string[] => readdirSync(folder).filter(name => !name.endsWith('.questions'))

const listOf = (from: number, to: number): Row[] => Array.from({ length: to - from }, (_, at) => [`K${from + at}`, from + at])

test('the second night of the same list sends nothing and writes what a full night writes', async () => {
  const night = nightsAt(here)
  const first = await night(0, listOf(0, 40))
  expect(first.reuse).toMatchObject({ asked: 40, known: 0 })
  const second = await night(1, listOf(0, 40))
  expect(second.report).toMatchObject({ results: [{ plan: { sent: 0 }, jobs: [] }] })
  expect(second.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  for (const { report } of [first, second])
    expect((await verifyRun(report.metadata.runId, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
})

test('rows that are new, changed or too old go up, each with its reason, and those that repeat one of them do not', async () => {
  const night = nightsAt(here)
  await night(0, listOf(0, 90))
  const changed = listOf(0, 90).map(([key, supplier]): Row => (supplier < 3 ? [key, 100 + supplier] : [key, supplier]))
  const list: Row[] = [...changed, ['N1', 103], ['N2', 104], ['N3', 104], ['N4', 10]]
  const second = await night(1, list)
  expect(second.reuse).toMatchObject({ asked: 94, known: 88, sent: 5, repeated: 1, fresh: 2, changed: 3, tooOld: 0 })
  const outcomes = second.rows.map(row => row['match.outcome'])
  const short = outcomes.filter(one => one === 'unmatched' || one === 'review').length
  expect(short).toBeGreaterThan(2)
  // Unmatched and review are too old after five days, and what was asked in the second night is not yet.
  const third = await night(5.5, list)
  expect(third.reuse.tooOld).toBeGreaterThan(0)
  expect(third.reuse).toMatchObject({ fresh: 0, changed: 0, lacking: 0, known: 94 - third.reuse.sent - third.reuse.repeated })
  const fourth = await night(40, list)
  expect(fourth.reuse).toMatchObject({ known: 0, fresh: 0, changed: 0, tooOld: fourth.reuse.sent })
})

test('a row whose key was known is changed and not new, also if its answer was that of another row', async () => {
  const night = nightsAt(here)
  await night(0, [...listOf(0, 30), ['same', 5]])
  const second = await night(1, [...listOf(0, 30), ['same', 40]])
  expect(second.reuse).toMatchObject({ sent: 1, fresh: 0, changed: 1 })
})

test('rows are asked again when the caller wants it: all, by outcome, by key', async () => {
  const night = nightsAt(here)
  const list = listOf(0, 30)
  const { rows } = await night(0, list)
  const count = rows.filter(row => row['match.outcome'] === 'unmatched').length
  expect(count).toBeGreaterThan(0)
  expect((await night(1, list, { refresh: { outcomes: ['unmatched'] } })).reuse).toMatchObject({ refreshed: count, sent: count })
  expect((await night(2, list, { refresh: { keys: ['K7'] } })).reuse).toMatchObject({ refreshed: 1, sent: 1 })
  expect((await night(3, list, { refresh: { all: true } })).reuse).toMatchObject({ refreshed: 30, known: 0 })
  expect((await night(4, list)).reuse).toMatchObject({ sent: 0 })
})

test('answers are kept in a folder of their own that only its owner can read, and it does not grow from night to night', async () => {
  const night = nightsAt(here)
  const folder = join(here.folder, 'answers')
  const bytes = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  const list = listOf(0, 40)
  await night(0, list, { answersDir: folder })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder).filter(one => one.endsWith('.answers')))
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  const before = bytes()
  for (let day = 1; day < 5; day++) await night(day, list, { answersDir: folder, refresh: { all: true } })
  expect(bytes()).toBeLessThan(before * 1.5)
})

test('a run that was stopped before its first request chooses its rows again', async () => {
  const night = nightsAt(here)
  night.write(listOf(0, 20))
  const common = { ...here.options({}), answersDir: join(here.folder, 'shared') }
  const controller = new AbortController()
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === 'stage.started') controller.abort()
  }
  const stopped = run(night.pipeline, { ...common, signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
  await expect(stopped).rejects.toThrow()
  expect((await run(night.pipeline, { ...common, runsDir: 'other-runs' })).results[0]?.reuse).toMatchObject({ sent: 20 })
  const resumed = await run(night.pipeline, common)
  expect(resumed).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect(resumed.results[0]?.reuse).toMatchObject({ asked: 20, known: 20, sent: 0 })
})

/** Runs a pipeline until this event, and returns the id of the run. */
async function stoppedAt(
  pipeline: PipelineInput,
  wanted: string,
  options: Parameters<typeof run>[1] = here.options({}),
): Promise<string> {
  const controller = new AbortController()
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === wanted) controller.abort()
  }
  const stopped = run(pipeline, { ...options, signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
  await expect(stopped).rejects.toThrow()
  return listRunIds(join(here.folder, 'runs'), 'nightly')[0]!
}

const otherOf = (pipeline: PipelineInput, name: string): PipelineInput => ({
  ...pipeline,
  name,
  output: { path: `${name}.csv`, columns: ['*', 'match.outcome'] },
})

const issuesOf = ({ results }: Report, wanted: string): string[] =>
  results[0]!.issues.filter(({ code }) => code === wanted).map(({ message }) => message)

for (const wanted of [
  'job.requested',
  'job.created',
  'upload.accepted',
  'match.accepted',
  'match.finished',
  'enrichments.accepted',
])
  test(`a run that was stopped at ${wanted} pays on its resume only for what no other run has paid meanwhile`, async () => {
    const night = nightsAt(here)
    night.write(listOf(0, 40))
    const unfinished = await stoppedAt(night.pipeline, wanted)
    night.write(listOf(10, 50))
    const other = await run(otherOf(night.pipeline, 'other'), here.options({}))
    expect(other).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 40 } }] })
    expect(issuesOf(other, 'FETTLE_ASKED_BEFORE')).toEqual([])
    night.write(listOf(0, 40))
    const resumed = await resume(unfinished, here.options({}))
    expect(resumed).toMatchObject({ exitCode: 0, ledger: { adds: true } })
    expect(resumed.results[0]).toMatchObject({
      reuse: { asked: 40, known: 30, sent: 10 },
      jobs: [{ part: 0, name: `fettle-${unfinished}-r2`, adopted: false }],
    })
    expect(issuesOf(resumed, 'FETTLE_JOBS_LEFT')).toEqual([
      expect.stringMatching(/^jobs left unpaid, because other runs answered some of their questions: \S+$/),
    ])
    expect((await verifyRun(unfinished, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
    const full = await run((({ reuse: _, ...all }) => all)(otherOf(night.pipeline, 'full')), {
      ...here.options({}),
      runsDir: 'full',
    })
    expect(full.exitCode).toBe(0)
    expect(resumed.totals).toEqual(full.totals)
  })

test('a run that was stopped before it paid keeps its jobs where no other run has paid for its questions', async () => {
  const night = nightsAt(here)
  night.write(listOf(0, 20))
  const unfinished = await stoppedAt(night.pipeline, 'match.finished')
  night.write(listOf(20, 40))
  expect(await run(otherOf(night.pipeline, 'other'), here.options({}))).toMatchObject({ exitCode: 0 })
  night.write(listOf(0, 20))
  const resumed = await resume(unfinished, here.options({}))
  expect(resumed).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 20 }, jobs: [{ name: `fettle-${unfinished}` }] }] })
  expect(issuesOf(resumed, 'FETTLE_JOBS_LEFT')).toEqual([])
})

test('a shard whose rows were chosen for it, without the answers, keeps its jobs when other runs have paid', async () => {
  const night = nightsAt(here)
  night.write(listOf(0, 20))
  const unfinished = await stoppedAt(night.pipeline, 'match.finished')
  rmSync(join(here.folder, 'runs', unfinished, 'reused.jsonl'))
  await run(otherOf(night.pipeline, 'other'), here.options({}))
  await resume(unfinished, here.options({})).catch(() => {})
  const { jobs, reuse } = readRun(join(here.folder, 'runs'), unfinished)
  expect([jobs.map(({ name }) => name), reuse?.left]).toEqual([[`fettle-${unfinished}`], []])
})

test('a run that was stopped before it paid ends without jobs when every row has an answer by now, however often it is stopped', async () => {
  const night = nightsAt(here, { after: 'archive', job: { split: 8 } })
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'match.finished')
  night.write(listOf(10, 50))
  await run(otherOf(night.pipeline, 'first'), here.options({}))
  night.write(listOf(0, 40))
  expect(await stoppedAt(night.pipeline, 'upload.accepted')).toBe(unfinished)
  await run(otherOf(night.pipeline, 'second'), here.options({}))
  const resumed = await resume(unfinished, here.options({}))
  expect(resumed).toMatchObject({ exitCode: 0, ledger: { adds: true }, results: [{ plan: { sent: 0 }, jobs: [] }] })
  const state = readRun(join(here.folder, 'runs'), unfinished)
  const left = state.reuse?.left ?? []
  expect(left.map(({ name }) => name)).toEqual([
    ...[1, 2, 3, 4, 5].map(part => `fettle-${unfinished}-${part}`),
    ...[1, 2].map(part => `fettle-${unfinished}-r2-${part}`),
  ])
  // A job without an id was not created.
  expect(left.map(({ archived = false }) => archived)).toEqual(left.map(({ id }) => id !== null))
  expect(issuesOf(resumed, 'FETTLE_JOBS_LEFT')).toEqual([
    expect.stringMatching(/^jobs left unpaid.*(\S+, ){4}\S+$/),
    expect.stringMatching(/^jobs left unpaid.*: \S+, \S+$/),
  ])
})

for (const wanted of ['enrich.requested', 'file.received'])
  test(`a run that was stopped at ${wanted} of the first of its jobs uses the answers of that one, and pays for what no other run has`, async () => {
    const night = nightsAt(here, { job: { split: 10, concurrency: 1 } })
    night.write(listOf(0, 40))
    const unfinished = await stoppedAt(night.pipeline, wanted)
    const paid = readRun(join(here.folder, 'runs'), unfinished).jobs.map(job => job.enrichRequested)
    expect(paid).toContain(true)
    expect(paid).toContain(false)
    night.write(listOf(15, 55))
    const other = await run(otherOf(night.pipeline, 'other'), here.options({}))
    expect(issuesOf(other, 'FETTLE_ASKED_BEFORE')).toEqual([])
    night.write(listOf(0, 40))
    const resumed = await resume(unfinished, here.options({}))
    expect(resumed).toMatchObject({ exitCode: 0, ledger: { adds: true } })
    // Ten of the job that was paid, and those of the other run.
    expect(paid.filter(Boolean)).toHaveLength(1)
    expect(resumed.results[0]).toMatchObject({ reuse: { asked: 40, known: 35, sent: 5 } })
    expect(resumed.results[0]?.jobs[0]?.name).toMatch(new RegExp(`^fettle-${unfinished}-r2`))
    const state = readRun(join(here.folder, 'runs'), unfinished)
    const { reuse, jobs } = state
    const foundBy = (all: typeof jobs): number =>
      all.reduce((sum, { summary }) => sum + (summary?.matched ?? 0) + (summary?.duplicates ?? 0), 0)
    expect(reuse?.paid).toBe(foundBy(reuse!.left.filter(job => job.enrichRequested)))
    expect(creditsOf(state)).toBe(reuse!.paid! + foundBy(jobs))
    expect(issuesOf(resumed, 'FETTLE_JOBS_LEFT')).toEqual([
      expect.stringMatching(/^jobs left unpaid, because .*: \S+.*; the answers of those that were paid are used: \S+/),
    ])
    expect((await verifyRun(unfinished, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
    const full = await run((({ reuse: _, ...all }) => all)(otherOf(night.pipeline, 'full')), {
      ...here.options({}),
      runsDir: 'full',
    })
    expect(resumed.totals).toEqual(full.totals)
    const later = await run(otherOf(night.pipeline, 'later'), here.options({}))
    expect(later.results[0]?.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  })

test('a resume that cannot store what the run has paid holds no other run of the process back', async () => {
  const night = nightsAt(here, { job: { split: 10, concurrency: 1 } })
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'file.received')
  const directory = join(here.folder, 'runs', unfinished)
  for (const name of readdirSync(directory)) if (name.startsWith('enriched-')) rmSync(join(directory, name))
  night.write(listOf(15, 55))
  // Its answers cannot be fetched either.
  await run(otherOf(night.pipeline, 'other'), here.options({}))
  night.write(listOf(0, 40))
  await expect(resume(unfinished, here.options({}))).rejects.toThrow('the rows that came back are not there')
  expect(locksIn(join(here.folder, 'runs', 'answers', '.asking'))).toEqual([])
})

/** A list of companies that a service which charges knows, by the numbers of their names, and a pipeline over it. */
async function chargedNight() {
  const { url, requests } = await realService({ play: 'vendor' })
  const names = ['Acme Ltd', 'Bolt Ltd', 'Cork SA', 'Nobody Ltd', 'Elk Oy']
  const write = (from: number, to: number): void =>
    here.write('in.csv', ['name,country', ...names.slice(from, to).map(name => `${name},GB`), ''].join('\n'))
  const pipelineOf = (name: string, budget: PipelineInput['budget'] = {}): PipelineInput =>
    here.pipeline({
      ...{ name, service: { url }, budget, output: `${name}.csv` },
      reuse: { matched: '30d', unmatched: '30d', review: '30d' },
    })
  const enriched = (): number => requests.filter(({ method, route }) => method === 'POST' && route.endsWith('/enrich')).length
  return { write, pipelineOf, enriched, options: here.options({ ...CREDENTIALS, FETTLE_URL: url }) }
}

test('a job that enriches without a line about it in the journal is paid: its run keeps it, and pays for nothing else', async () => {
  const { write, pipelineOf, enriched, options } = await chargedNight()
  write(0, 4)
  const unfinished = await stoppedAt(pipelineOf('nightly'), 'enrich.accepted', options)
  expect(enriched()).toBe(1)
  // As after a power cut: the last lines are gone.
  const journal = join(here.folder, 'runs', unfinished, 'journal.jsonl')
  const text = readFileSync(journal, 'utf8')
  writeFileSync(journal, text.slice(0, text.lastIndexOf('\n', text.indexOf('"enrich.requested"')) + 1))
  expect(readRun(join(here.folder, 'runs'), unfinished).jobs).toMatchObject([{ matchAccepted: true, enrichRequested: false }])
  write(1, 5)
  expect(await run(pipelineOf('other'), options)).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 4 } }] })
  write(0, 4)
  const resumed = await resume(unfinished, options)
  expect(resumed).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 4 }, jobs: [{ name: `fettle-${unfinished}` }] }] })
  expect(enriched()).toBe(2)
})

test('a resume that chooses its rows again is refused where the month has no credits left, and the next run pays for the rest only', async () => {
  const { write, pipelineOf, enriched, options } = await chargedNight()
  write(0, 5)
  const unfinished = await stoppedAt(pipelineOf('nightly', { month: 5 }), 'match.finished', options)
  write(0, 3)
  for (const refresh of [{}, { refresh: { all: true } }])
    expect(await run(pipelineOf('other'), { ...options, ...refresh })).toMatchObject({ exitCode: 0, results: [{ credits: 3 }] })
  write(0, 5)
  const refused = await resume(unfinished, options)
  expect(refused).toMatchObject({
    ...{ status: 'fail', exitCode: 1 },
    results: [{ error: { code: 'FETTLE_BUDGET_MONTH' }, credits: 0, jobs: [{ name: `fettle-${unfinished}` }] }],
  })
  const figures = /^nightly could cost 2 credits, and 6 of the 5 of budget\.month are spent or reserved in /i
  expect(refused.results[0]?.error?.message).toMatch(figures)
  expect(refused.results[0]?.message).toMatch(figures)
  expect(verdictLine(refused)).toMatch(/^✗ Error, .*: Nightly could cost 2 credits, and 6 of the 5/)
  expect(JSON.parse(resultLine(refused))).toMatchObject({ status: 'fail', error: { code: 'FETTLE_BUDGET_MONTH' } })
  expect((await verifyRun(unfinished, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
  expect(enriched()).toBe(2)
  const next = await run(pipelineOf('nightly', { month: 8 }), options)
  expect(next).toMatchObject({ exitCode: 0, results: [{ reuse: { known: 3 }, plan: { sent: 2 } }] })
  expect(enriched()).toBe(3)
})

test('a resume that has paid for some of its jobs and is refused by the month has stored what it paid', async () => {
  const { write, pipelineOf, options } = await chargedNight()
  write(0, 4)
  const split = { ...pipelineOf('nightly', { month: 4 }), job: { split: 1, concurrency: 1 } }
  const unfinished = await stoppedAt(split, 'file.received', options)
  write(1, 3)
  for (const refresh of [{}, { refresh: { all: true } }])
    expect(await run(pipelineOf('other'), { ...options, ...refresh })).toMatchObject({ exitCode: 0, results: [{ credits: 2 }] })
  write(0, 4)
  const refused = await resume(unfinished, options)
  expect(refused).toMatchObject({ exitCode: 1, results: [{ error: { code: 'FETTLE_BUDGET_MONTH' } }] })
  expect(locksIn(join(here.folder, 'runs', 'answers', '.asking'))).toEqual([])
  const next = await run({ ...split, budget: { month: 20 } }, options)
  expect(next).toMatchObject({ exitCode: 0, results: [{ reuse: { known: 3 }, plan: { sent: 1 }, credits: 0 }] })
  expect(issuesOf(next, 'FETTLE_ASKED_BEFORE')).toEqual([])
})

test('a run of several jobs that paid for some keeps all of them where no other run has paid for the rest', async () => {
  const night = nightsAt(here, { job: { split: 10, concurrency: 1 } })
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'file.received')
  night.write(listOf(40, 80))
  expect(await run(otherOf(night.pipeline, 'other'), here.options({}))).toMatchObject({ exitCode: 0 })
  night.write(listOf(0, 40))
  const resumed = await resume(unfinished, here.options({}))
  expect(resumed).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 40 } }] })
  expect(resumed.results[0]?.jobs.map(({ name }) => name)).toEqual([1, 2, 3, 4].map(part => `fettle-${unfinished}-${part}`))
  expect(issuesOf(resumed, 'FETTLE_JOBS_LEFT')).toEqual([])
})

test('rows that the caller asks again are asked again by a resume, unless another run has asked them since', async () => {
  const night = nightsAt(here)
  await night(0, listOf(0, 40))
  const refreshing = { ...here.options({}), refresh: { all: true } }
  const unfinished = await stoppedAt(night.pipeline, 'match.finished', refreshing)
  const resumed = await resume(unfinished, here.options({}))
  expect(resumed.results[0]).toMatchObject({ reuse: { refreshed: 40 }, jobs: [{ name: `fettle-${unfinished}` }] })
  const again = await stoppedAt(night.pipeline, 'match.finished', { ...refreshing, fresh: true })
  night.write(listOf(10, 50))
  await run(otherOf(night.pipeline, 'other'), refreshing)
  night.write(listOf(0, 40))
  const after = await resume(again, here.options({}))
  expect(after.results[0]).toMatchObject({ reuse: { refreshed: 10, known: 30 }, jobs: [{ name: `fettle-${again}-r2` }] })
})

for (const wanted of ['enrich.requested', 'enrich.accepted', 'enrich.finished', 'file.received', 'output.written'])
  test(`a run fetches the answers that a run paid which was stopped at ${wanted}, also for another list`, async () => {
    const night = nightsAt(here)
    night.write(listOf(0, 40))
    const unfinished = await stoppedAt(night.pipeline, wanted)
    night.write(listOf(1, 41))
    const notes: string[] = []
    const report = await run(night.pipeline, {
      ...here.options({}),
      reporters: [{ name: 'notes', onNote: note => void notes.push(note) }],
    })
    expect(report).toMatchObject({ exitCode: 0, ledger: { adds: true } })
    expect(report.metadata.runId).not.toBe(unfinished)
    expect(report.results[0]?.reuse).toMatchObject({ asked: 40, known: 39, sent: 1 })
    expect(issuesOf(report, 'FETTLE_ANSWERS_FETCHED')).toEqual([
      `40 answers that the run ${unfinished} had paid: fetched from its jobs`,
    ])
    expect(issuesOf(report, 'FETTLE_ASKED_BEFORE')).toEqual([])
    expect(notes).toContain(`40 answers of the run ${unfinished} are known now`)
    // The stopped run is as it was: with its list it ends, with the one job that it had.
    night.write(listOf(0, 40))
    const resumed = await resume(unfinished, here.options({}))
    expect(resumed).toMatchObject({ exitCode: 0, ledger: { adds: true } })
    expect(resumed.results[0]).toMatchObject({ plan: { sent: 40 }, jobs: [{ name: `fettle-${unfinished}` }] })
    expect((await verifyRun(unfinished, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
    const last = await run(otherOf(night.pipeline, 'other'), here.options({}))
    expect(last.results[0]?.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  })

test('answers whose job is gone are paid again, with a warning that has the reason', async () => {
  const night = nightsAt(here)
  night.write(listOf(0, 20))
  const unfinished = await stoppedAt(night.pipeline, 'enrich.finished')
  rmSync(join(here.folder, 'runs', unfinished, 'service'), { recursive: true })
  const report = await run(otherOf(night.pipeline, 'other'), here.options({}))
  expect(report).toMatchObject({ exitCode: 0, status: 'warn', results: [{ reuse: { known: 0, sent: 20 } }] })
  expect(issuesOf(report, 'FETTLE_ASKED_BEFORE')).toEqual([
    expect.stringMatching(
      `^20 questions may be paid twice: the unfinished run ${unfinished} asked them before, and its answers cannot be used: `,
    ),
  ])
})

/** Each list is that of the night before, with rows changed, gone, moved and new. */
const change = fc.record({
  days: fc.constantFrom(0.5, 1, 3, 7),
  changed: fc.array(fc.tuple(fc.nat(200), fc.nat(90)), { maxLength: 4 }),
  gone: fc.array(fc.nat(200), { maxLength: 3 }),
  added: fc.array(fc.nat(90), { maxLength: 5 }),
  turned: fc.nat(20),
  /** The run is stopped at this event, and goes on. */
  stop: fc.option(fc.integer({ min: 1, max: 25 }), { nil: null }),
})

const wanted = fc.record({
  collapse: fc.boolean(),
  split: fc.constantFrom(null, 7, 30),
  mapped: fc.boolean(),
  accept: fc.boolean(),
})

test('any nights of any list, stopped anywhere, write what full nights write and ask nothing twice within its age', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(90), { minLength: 1, maxLength: 40 }),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      wanted,
      async (first, changes, { collapse, split, mapped, accept }) => {
        here.leave()
        here = place()
        const job = { collapse, ...(split === null ? {} : { split }) }
        const more: Partial<PipelineInput> = {
          job,
          ...(mapped ? { send: 'mapped' } : {}),
          ...(accept ? { accept: { banding: ['A', 'B'], review: ['C', 'D'] } } : {}),
        }
        const night = nightsAt(here, more)
        let list: Row[] = first.map((supplier, at) => [`K${at}`, supplier % SUPPLIERS.length])
        let key = list.length
        let day = 0
        await night(day, list)
        for (const { days, changed, gone, added, turned, stop } of changes) {
          day += days
          for (const [at, supplier] of changed) {
            const row = list[at % list.length]
            if (row !== undefined) list[at % list.length] = [row[0], supplier]
          }
          list = list.filter((_, at) => at === 0 || !gone.includes(at))
          list.push(...added.map((supplier): Row => [`K${key++}`, supplier]))
          const by = turned % list.length
          list = [...list.slice(by), ...list.slice(0, by)]
          const controller = new AbortController()
          let events = 0
          const onEvent = (): void => {
            if (++events === stop) controller.abort()
          }
          await night(day, list, { signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
        }
      },
    ),
    { numRuns: runs(3, 60), endOnFailure: true },
  )
})

test('decisions and checks count for rows with an earlier answer as for all others', async () => {
  const list = listOf(0, 60)
  here.write('decisions.csv', 'fingerprint,decision,company,companyName,by,at\n')
  const night = nightsAt(here, { review: { decisions: 'decisions.csv' }, checks: { unmatched: { warn: '> 0' } } })
  const first = await night(0, list)
  const [row] = first.report.results[0]!.review
  expect(row).toBeDefined()
  here.write('decisions.csv', `fingerprint,decision,company,companyName,by,at\n${row!.fingerprint},reject,,,ann,2026-11-24\n`)
  const second = await night(1, list)
  expect(second.reuse).toMatchObject({ known: 60, sent: 0 })
  expect(second.report.results[0]).toMatchObject({ decisions: { rejected: 1 } })
  const actual = ({ report }: typeof second): unknown => report.results[0]!.checks.map(one => one.actual)
  expect(actual(second)).not.toEqual(actual(first))
})

/** Numbers and marks of a job differ between shards. */
const ACROSS_SHARDS = ['*', 'general.connectId', 'match.outcome', 'match.score']

test('shards send what is not known, each question once, and their merge keeps the answers for later nights', async () => {
  const night = nightsAt(here, {}, ACROSS_SHARDS)
  const rows = [...listOf(0, 90), ...listOf(0, 20)]
  const first = await night(0, rows, { shards: 3 })
  expect(first.reuse).toMatchObject({ asked: 110, known: 0, sent: 90, repeated: 20 })
  const more: Row[] = [...rows, ['N', 100]]
  expect((await night(1, more, { shards: 3 })).reuse).toMatchObject({ asked: 111, known: 110, sent: 1, repeated: 0, fresh: 1 })
  // All of it is known now, to one run as well.
  expect((await night(2, more, { shards: 2 })).reuse).toMatchObject({ known: 111, sent: 0 })
  expect((await night(3, more)).reuse).toMatchObject({ known: 111, sent: 0 })
})

test('shards that ended and are not merged pay for no question of a later run, and can be merged after it', async () => {
  const night = nightsAt(here, {}, ACROSS_SHARDS)
  night.write(listOf(0, 40))
  const options = here.options({})
  const shards = [
    await run(night.pipeline, { ...options, shard: '1/2' }),
    await run(night.pipeline, { ...options, shard: '2/2' }),
  ]
  expect(shards.map(({ results }) => results[0]?.reuse?.sent)).toEqual([20, 20])
  const other = await run(otherOf(night.pipeline, 'other'), options)
  expect(other.results[0]?.reuse).toMatchObject({ known: 40, sent: 0 })
  expect(issuesOf(other, 'FETTLE_ANSWERS_FETCHED')).toEqual(
    expect.arrayContaining(
      shards.map(({ metadata }) => `20 answers that the run ${metadata.runId} had paid: fetched from its jobs`),
    ),
  )
  expect(await merge(['nightly'], options)).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect(readdirSync(join(here.folder, 'runs/answers/.asking'))).toEqual([])
})

test('a shard that knew a question answers it for a later shard that did not', async () => {
  const night = nightsAt(here, {}, ACROSS_SHARDS)
  const rows: Row[] = [...listOf(0, 8), ...listOf(0, 8)]
  await night(0, listOf(0, 8))
  night.write(rows)
  const options = here.options({})
  await run(night.pipeline, { ...options, shard: '1/2' })
  const other = await run(night.pipeline, { ...options, shard: '2/2', answersDir: 'none' })
  expect(other.results[0]?.reuse).toMatchObject({ asked: 8, known: 0, sent: 0, repeated: 8 })
  const joined = await merge(['nightly'], options)
  expect(joined).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect(joined.results[0]?.reuse).toMatchObject({ asked: 16, known: 8, sent: 0, repeated: 8 })
})

test('any nights in shards, stopped anywhere, write what one full run writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(60), { minLength: 4, maxLength: 30 }),
      fc.array(
        fc.record({ shards: fc.integer({ min: 1, max: 4 }), days: fc.constantFrom(1, 6), at: fc.nat(60), stop: fc.nat(40) }),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
      fc.boolean(),
      async (first, changes, collapse) => {
        here.leave()
        here = place()
        const night = nightsAt(here, { job: { collapse } }, ACROSS_SHARDS)
        const list = first.map((supplier, at): Row => [`K${at}`, supplier])
        let day = 0
        for (const { shards, days, at, stop } of changes) {
          day += days
          list[at % list.length] = [`K${at % list.length}`, (at * 7) % 90]
          list.push([`N${day}`, at])
          const controller = new AbortController()
          let events = 0
          const onEvent = (): void => {
            if (++events === stop) controller.abort()
          }
          await night(day, list, { shards, signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
        }
      },
    ),
    { numRuns: runs(3, 40), endOnFailure: true },
  )
})
