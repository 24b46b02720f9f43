/** Runs that use the answers of earlier runs: what is sent, what is written, and what is kept. */
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { merge, type PipelineInput, type Report, type RunStopped, resume, run } from '../../../src/index.ts'
import { listRunIds, readRun } from '../../../src/runs/run-directory.ts'
import { verifyRun } from '../../../src/runs/verify.ts'
import { type Place, place } from '../../support/place.ts'
import { runs } from '../../support/runs.ts'
import { chargedOptions, chargingService, clockAt, nightsAt, type Row, SUPPLIERS } from './nights.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

/** What runs have asked and not kept, and their locks, in the folders of all scopes. */
const askedIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => /\.(asked|lock)$/.test(name))

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

test('rows that are new, changed or too old are sent, each with its reason, and those that repeat one of them are not', async () => {
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

test('a row whose key was known is changed and not new, also if its answer belonged to another row', async () => {
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

test('what was answered in the future of a clock that was set back is paid once more, and not every night', async () => {
  const { write, pipeline } = nightsAt(here)
  write(listOf(0, 10))
  const options = await chargedOptions(here)
  const sent: unknown[] = []
  for (const day of [3, 1, 1.1, 3.1]) {
    const report = await run(pipeline, { ...options, clock: clockAt(day), fresh: true })
    sent.push(report.results[0]?.reuse?.sent)
  }
  expect(sent).toEqual([10, 10, 0, 0])
})

test('answers are kept in a folder of their own that only its owner can read, and it does not grow from night to night', async () => {
  const night = nightsAt(here)
  const folder = join(here.folder, 'answers')
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.answers'))
      .map(name => join(folder, name))
  const bytes = (): number => files().reduce((sum, path) => sum + statSync(path).size, 0)
  const list = listOf(0, 40)
  await night(0, list, { answersDir: folder })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const path of files()) expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
  const before = bytes()
  for (let day = 1; day < 5; day++) await night(day, list, { answersDir: folder, refresh: { all: true } })
  expect(bytes()).toBeLessThan(before * 1.5)
  // Nights with a few new rows each leave no file each.
  for (let day = 5; day < 14; day++) await night(day, listOf(0, 35 + day), { answersDir: folder })
  expect(files().length).toBeLessThanOrEqual(8)
  expect(askedIn(folder)).toEqual([])
})

/** Runs a pipeline until this event, and returns the id of the run. */
async function stoppedAt(pipeline: PipelineInput, wanted: string, more: Parameters<typeof run>[1] = {}): Promise<string> {
  const options = { ...(await chargedOptions(here)), ...more }
  const controller = new AbortController()
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (type === wanted) controller.abort()
  }
  const stopped = run(pipeline, { ...options, signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
  await expect(stopped).rejects.toThrow()
  return listRunIds(join(here.folder, 'runs'), pipeline.name)[0]!
}

const otherOf = (pipeline: PipelineInput, name: string): PipelineInput => ({
  ...pipeline,
  name,
  output: { path: `${name}.csv`, columns: ['*', 'match.outcome'] },
})

const issuesOf = ({ results }: Report, wanted: string): string[] =>
  results[0]!.issues.filter(({ code }) => code === wanted).map(({ message }) => message)

/** The outputs of a run that sends every row. */
async function fullNight(pipeline: PipelineInput): Promise<Report> {
  const { reuse: _, ...all } = otherOf(pipeline, 'full')
  return run(all, { ...(await chargedOptions(here)), runsDir: 'full', fresh: true })
}

async function expectFull(report: Report, pipeline: PipelineInput): Promise<void> {
  expect(report).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect(report.totals).toEqual((await fullNight(pipeline)).totals)
  expect((await verifyRun(report.metadata.runId, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
}

for (const wanted of [
  'stage.started',
  'job.requested',
  'job.created',
  'upload.accepted',
  'match.accepted',
  'match.finished',
  'enrichments.accepted',
])
  test(`a run that was stopped at ${wanted} is not resumed where another run has paid for its rows: the next one pays for the rest`, async () => {
    const night = nightsAt(here)
    const options = await chargedOptions(here)
    night.write(listOf(0, 40))
    const unfinished = await stoppedAt(night.pipeline, wanted)
    night.write(listOf(10, 50))
    const other = await run(otherOf(night.pipeline, 'other'), options)
    expect(other).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 40 } }] })
    expect(issuesOf(other, 'FETTLE_ASKED_BEFORE')).toEqual([])
    night.write(listOf(0, 40))
    await expect(resume(unfinished, options)).rejects.toMatchObject({
      ...{ code: 'FETTLE_SUPERSEDED', exitCode: 2 },
      message: expect.stringContaining(`by the run ${other.metadata.runId} since`),
    })
    const next = await run(night.pipeline, options)
    expect(next.results[0]).toMatchObject({ reuse: { asked: 40, known: 30, sent: 10 } })
    await expectFull(next, night.pipeline)
    await expect(resume(unfinished, options)).rejects.toMatchObject({
      ...{ code: 'FETTLE_SUPERSEDED', exitCode: 2, report: { results: [{ credits: 0 }] } },
      message: expect.stringContaining(`the run ${next.metadata.runId} took its place`),
    })
    expect(askedIn(join(here.folder, 'runs/answers'))).toEqual([])
  })

test('a run that was stopped before it paid keeps its jobs where no other run has paid for its rows', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 20))
  const unfinished = await stoppedAt(night.pipeline, 'match.finished')
  night.write(listOf(20, 40))
  expect(await run(otherOf(night.pipeline, 'other'), options)).toMatchObject({ exitCode: 0 })
  night.write(listOf(0, 20))
  const resumed = await resume(unfinished, options)
  expect(resumed).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 20 }, jobs: [{ name: `fettle-${unfinished}` }] }] })
})

test('two stopped runs that have paid nothing do not hold each other back', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 20))
  const first = await stoppedAt(night.pipeline, 'match.finished')
  const second = await stoppedAt(otherOf(night.pipeline, 'other'), 'match.finished')
  expect(await resume(second, options)).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 20 } }] })
  await expect(resume(first, options)).rejects.toMatchObject({ code: 'FETTLE_SUPERSEDED' })
  expect((await run(night.pipeline, options)).results[0]?.reuse).toMatchObject({ known: 20, sent: 0 })
})

for (const wanted of ['enrich.requested', 'file.received'])
  test(`a run that was stopped at ${wanted} of the first of its jobs is followed by one that uses the answers of that job`, async () => {
    const night = nightsAt(here, { job: { split: 10, concurrency: 1 } })
    const options = await chargedOptions(here)
    night.write(listOf(0, 40))
    const unfinished = await stoppedAt(night.pipeline, wanted)
    const paid = readRun(join(here.folder, 'runs'), unfinished).jobs.map(job => job.enrichRequested !== null)
    expect(paid).toEqual([true, false, false, false])
    night.write(listOf(15, 55))
    await run(otherOf(night.pipeline, 'other'), options)
    night.write(listOf(0, 40))
    await expect(resume(unfinished, options)).rejects.toMatchObject({ code: 'FETTLE_SUPERSEDED' })
    const next = await run(night.pipeline, options)
    // Ten of the job that was paid, and those of the other run.
    expect(next.results[0]).toMatchObject({ reuse: { asked: 40, known: 35, sent: 5 } })
    expect(issuesOf(next, 'FETTLE_ANSWERS_FETCHED')).toEqual([
      `10 answers that the run ${unfinished} had paid: fetched from its jobs`,
    ])
    await expectFull(next, night.pipeline)
    const later = await run(otherOf(night.pipeline, 'later'), options)
    expect(later.results[0]?.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  })

/** Removes the files that a run has received. */
function loseReceived(runId: string, lose: (path: string) => void = rmSync): void {
  const directory = join(here.folder, 'runs', runId)
  for (const name of readdirSync(directory)) if (name.startsWith('enriched-')) lose(join(directory, name))
}

test.each([
  ['removed', 'file.received', rmSync],
  ['cut short', 'output.written', (path: string) => truncateSync(path, 100)],
])('a received file that was %s after %s is received again, and nothing is paid twice', async (_, wanted, lose) => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, wanted)
  loseReceived(unfinished, path => lose(path))
  const { enriched } = await chargingService(here)
  const report = await run(night.pipeline, options)
  expect([report.metadata.runId, (await chargingService(here)).enriched]).toEqual([unfinished, enriched])
  await expectFull(report, night.pipeline)
})

test('a received file that neither the folder nor the service has ends the run with its name', async () => {
  const night = nightsAt(here)
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'file.received')
  loseReceived(unfinished)
  const { gone } = await chargingService(here)
  const [job] = readRun(join(here.folder, 'runs'), unfinished).jobs
  gone.add(job!.id!)
  await expect(resume(unfinished, await chargedOptions(here))).rejects.toMatchObject({
    code: 'FETTLE_NOT_FOUND',
    message: expect.stringContaining(`the enriched file of job ${job!.id} is not in the folder of the run as it was received`),
    hint: expect.stringContaining('Restore the file'),
  })
})

test('a lost file of a run with another list is received again before the next list, and its answers are used', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'file.received')
  loseReceived(unfinished)
  night.write(listOf(0, 41))
  const next = await run(night.pipeline, options)
  expect(issuesOf(next, 'FETTLE_ASKED_BEFORE')).toEqual([])
  expect(next.results[0]?.reuse).toMatchObject({ known: 40, sent: 1 })
  await expectFull(next, night.pipeline)
})

test('a run whose paid rows are no longer there is named once, and holds no other run back', async () => {
  const night = nightsAt(here, { job: { split: 10, concurrency: 1 } })
  const options = await chargedOptions(here)
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'file.received')
  loseReceived(unfinished)
  const { gone } = await chargingService(here)
  for (const { id } of readRun(join(here.folder, 'runs'), unfinished).jobs) if (id !== null) gone.add(id)
  night.write(listOf(0, 41))
  const next = await run(night.pipeline, options)
  expect(issuesOf(next, 'FETTLE_ASKED_BEFORE')).toEqual([
    expect.stringMatching(`^40 rows may be paid twice: the unfinished run ${unfinished} has asked .* cannot be used: job `),
  ])
  expect(askedIn(join(here.folder, 'runs/answers'))).toEqual([])
  night.write(listOf(0, 42))
  expect(issuesOf(await run(night.pipeline, options), 'FETTLE_ASKED_BEFORE')).toEqual([])
})

test('a damaged answer in an old file is named with its file and the way out, once the outputs are written', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  await night(0, listOf(0, 40))
  const [file] = readdirSync(join(here.folder, 'runs/answers'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('-480h.answers'))
    .map(name => join('runs/answers', name))
  const bytes = readFileSync(file!)
  const head = bytes.subarray(-16 - bytes.readUInt32LE(bytes.length - 16), -16)
  const lines = bytes.length - 16 - head.length - JSON.parse(head.toString()).index.bytes
  bytes[lines - 4] = bytes[lines - 4]! ^ 1
  writeFileSync(file!, bytes)
  night.write(listOf(0, 20))
  const stopped = await run(night.pipeline, { ...options, refresh: { all: true } }).catch((error: unknown) => error)
  expect(stopped).toMatchObject({
    code: 'FETTLE_OUTPUT_WRITE',
    message: expect.stringMatching(new RegExp(`^cannot read ${file}: its answer \\d+ of \\d+ is damaged$`)),
    hint: 'The outputs are written. Restore it, or remove it: its answers are then asked and paid again. Then resume the run, so that later runs need not pay again.',
  })
  rmSync(file!)
  const { runId } = (stopped as RunStopped).checkpoint
  expect(await resume(runId, options)).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect((await run(night.pipeline, options)).results[0]?.reuse).toMatchObject({ asked: 20, known: 20, sent: 0 })
})

test('a new run in place of a stopped one is refused where the month has no credits left, and pays for the rest only', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  const within = (month: number): PipelineInput => ({ ...night.pipeline, budget: { month } })
  night.write(listOf(0, 40))
  await stoppedAt(within(1000), 'match.finished')
  night.write(listOf(0, 30))
  const { results } = await run(otherOf(night.pipeline, 'other'), options)
  const spent = results[0]!.credits!
  night.write(listOf(0, 40))
  const refused = await run(within(spent + 9), options)
  expect(refused).toMatchObject({ exitCode: 1, results: [{ error: { code: 'FETTLE_BUDGET_MONTH' }, credits: 0 }] })
  expect(await run(within(spent + 10), options)).toMatchObject({ exitCode: 0, results: [{ reuse: { known: 30, sent: 10 } }] })
})

test('a run of several jobs that paid for some keeps all of them where no other run has paid for the rest', async () => {
  const night = nightsAt(here, { job: { split: 10, concurrency: 1 } })
  const options = await chargedOptions(here)
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'file.received')
  night.write(listOf(40, 80))
  expect(await run(otherOf(night.pipeline, 'other'), options)).toMatchObject({ exitCode: 0 })
  night.write(listOf(0, 40))
  const resumed = await resume(unfinished, options)
  expect(resumed).toMatchObject({ exitCode: 0, results: [{ plan: { sent: 40 } }] })
  expect(resumed.results[0]?.jobs.map(({ name }) => name)).toEqual([1, 2, 3, 4].map(part => `fettle-${unfinished}-${part}`))
})

test('rows that the caller asks again are asked again by a resume, unless another run has asked them since', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  await night(0, listOf(0, 40))
  const refresh = { refresh: { all: true } }
  const unfinished = await stoppedAt(night.pipeline, 'match.finished', refresh)
  const resumed = await resume(unfinished, options)
  expect(resumed.results[0]).toMatchObject({ reuse: { refreshed: 40 }, jobs: [{ name: `fettle-${unfinished}` }] })
  const again = await stoppedAt(night.pipeline, 'match.finished', { ...refresh, fresh: true })
  night.write(listOf(10, 50))
  await run(otherOf(night.pipeline, 'other'), { ...options, ...refresh })
  night.write(listOf(0, 40))
  await expect(resume(again, options)).rejects.toMatchObject({ code: 'FETTLE_SUPERSEDED' })
})

for (const wanted of ['enrich.requested', 'enrich.accepted', 'enrich.finished', 'file.received', 'output.written'])
  test(`a run fetches the answers that a run of its series paid which was stopped at ${wanted}, for another list`, async () => {
    const night = nightsAt(here)
    const options = await chargedOptions(here)
    night.write(listOf(0, 40))
    const unfinished = await stoppedAt(night.pipeline, wanted)
    night.write(listOf(1, 41))
    const notes: string[] = []
    const report = await run(night.pipeline, {
      ...options,
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
    const resumed = await resume(unfinished, options)
    expect(resumed).toMatchObject({ exitCode: 0, ledger: { adds: true } })
    expect(resumed.results[0]).toMatchObject({ plan: { sent: 40 }, jobs: [{ name: `fettle-${unfinished}` }] })
    expect((await verifyRun(unfinished, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
    const last = await run(otherOf(night.pipeline, 'other'), options)
    expect(last.results[0]?.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  })

test('a run whose password is wrong gives up nothing that a stopped run of its series has paid', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 40))
  const unfinished = await stoppedAt(night.pipeline, 'enrich.finished')
  night.write(listOf(1, 41))
  const wrong = { ...options, env: { ...options.env, FETTLE_PASSWORD: 'another password' } }
  await expect(run(night.pipeline, wrong)).rejects.toMatchObject({ code: 'FETTLE_LOGIN' })
  const report = await run(night.pipeline, options)
  expect(report).toMatchObject({ exitCode: 0, results: [{ reuse: { asked: 40, known: 39, sent: 1 } }] })
  expect(issuesOf(report, 'FETTLE_ANSWERS_FETCHED')).toEqual([
    `40 answers that the run ${unfinished} had paid: fetched from its jobs`,
  ])
  expect(issuesOf(report, 'FETTLE_ASKED_BEFORE')).toEqual([])
})

test('the rows of a stopped run of another pipeline that may have paid are asked again, with a warning that names it', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 20))
  const unfinished = await stoppedAt(night.pipeline, 'enrich.finished')
  const report = await run(otherOf(night.pipeline, 'other'), options)
  expect(report).toMatchObject({ exitCode: 0, status: 'warn', results: [{ reuse: { known: 0, sent: 20 } }] })
  expect(issuesOf(report, 'FETTLE_ASKED_BEFORE')).toEqual([
    `20 rows may be paid twice: the unfinished run ${unfinished} has asked them before`,
  ])
})

test('answers whose job is gone are paid again, with a warning that has the reason', async () => {
  const night = nightsAt(here)
  const options = await chargedOptions(here)
  night.write(listOf(0, 20))
  const unfinished = await stoppedAt(night.pipeline, 'enrich.finished')
  const { gone } = await chargingService(here)
  gone.add(readRun(join(here.folder, 'runs'), unfinished).jobs[0]!.id!)
  night.write(listOf(0, 21))
  const report = await run(night.pipeline, options)
  expect(report).toMatchObject({ exitCode: 0, status: 'warn', results: [{ reuse: { known: 0, sent: 21 } }] })
  expect(issuesOf(report, 'FETTLE_ASKED_BEFORE')).toEqual([
    expect.stringMatching(
      `^20 rows may be paid twice: the unfinished run ${unfinished} has asked them before, and its answers cannot be used: job `,
    ),
  ])
})

test('at the embedded service every row is sent, with one note about it', async () => {
  const night = nightsAt(here)
  night.write(listOf(0, 5))
  const embedded: PipelineInput = { ...night.pipeline, service: 'embedded', register: 'sample' }
  for (const _ of [1, 2]) {
    const report = await run(embedded, here.options({}))
    expect(report.results[0]).toMatchObject({ reuse: null, plan: { sent: 5 } })
    expect(issuesOf(report, 'FETTLE_REUSE_UNUSED')).toHaveLength(1)
  }
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

test('what shards that ended and are not merged have paid is used by the shards of the next list, and named by another pipeline', async () => {
  const night = nightsAt(here, {}, ACROSS_SHARDS)
  const options = await chargedOptions(here)
  night.write(listOf(0, 40))
  const runShard = async (shard: `${number}/${number}`): Promise<Report> => run(night.pipeline, { ...options, shard })
  const sent = (reports: readonly Report[]): unknown[] => reports.map(({ results }) => results[0]?.reuse?.sent)
  const first = [await runShard('1/2'), await runShard('2/2')]
  expect(sent(first)).toEqual([20, 20])
  const ids = first.map(({ metadata }) => metadata.runId)
  const other = await run(otherOf(night.pipeline, 'other'), options)
  expect(issuesOf(other, 'FETTLE_ASKED_BEFORE').sort()).toEqual(
    ids.map(id => `20 rows may be paid twice: the unfinished run ${id} has asked them before`).sort(),
  )
  night.write([...listOf(40, 60), ...listOf(0, 20)])
  const next = [await runShard('1/2'), await runShard('2/2')]
  expect(sent(next)).toEqual([20, 0])
  expect(issuesOf(next[0]!, 'FETTLE_ANSWERS_FETCHED')).toHaveLength(1)
})

test('a shard that knew a question answers it for a later shard that did not', async () => {
  const night = nightsAt(here, {}, ACROSS_SHARDS)
  const rows: Row[] = [...listOf(0, 8), ...listOf(0, 8)]
  await night(0, listOf(0, 8))
  night.write(rows)
  const options = await chargedOptions(here)
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
