/** Run directories: ids, modes, missing documents of a finished run, and a pause by the caller. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { getRunStatus } from '../../../src/execution/status.ts'
import { type Report, type RunHandle, RunStopped, resume, run } from '../../../src/index.ts'
import { listRunIds, newRunId, parseRunId } from '../../../src/runs/run-directory.ts'
import { listedRun } from '../../../src/runs/run-queries.ts'

let folder: string
/** Of all tests here: the sample register is indexed once. */
const data = mkdtempSync(join(tmpdir(), 'fettle-runs-data-'))
const home = process.cwd()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-runs-'))
  writeFileSync(join(folder, 'in.csv'), 'name,country\nNobody Knows Them Ltd,GB\nHarrow Optics Ltd,GB\n')
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true, force: true })
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

const pipeline = {
  name: 'small',
  input: 'in.csv',
  mappings: { name: 'name', country: 'country' },
  output: 'out.csv',
  poll: { every: '500ms' },
}
const options = () => ({ runsDir: 'runs', env: { FETTLE_DATA: data, FETTLE_REGISTER: 'sample' } })

/** What a run that was stopped had come to. */
async function stopped(running: RunHandle): Promise<Report> {
  const error = await Promise.resolve(running).catch((error: unknown) => error)
  if (error instanceof RunStopped) return error.report
  throw new Error('it was not stopped')
}

test('an id has a start, a pipeline and the shard', () => {
  const start = Date.UTC(2026, 10, 21, 3, 17)
  expect(parseRunId('20261121T031700Z-of-8-abcdef')).toEqual({ start, line: 'of-8', pipeline: 'of-8', shard: null })
  const shard = { start, line: 'small.3-of-8', pipeline: 'small', shard: { number: 3, of: 8 } }
  expect(parseRunId('20261121T031700Z-small.3-of-8-abcdef')).toEqual(shard)
  expect(parseRunId('20269921T031700Z-small-abcdef')?.start).toBe(0)
  for (const other of ['latest', '20261121T031700Z-small', '20261121T031700Z-../x-abcdef']) expect(parseRunId(other)).toBeNull()
})

test('ids sort in the order of the runs even if the clock steps back', () => {
  const first = newRunId('runs', 'small', Date.UTC(2031, 0, 1, 23, 59, 59))
  mkdirSync(join('runs', first), { recursive: true })
  const second = newRunId('runs', 'small', Date.UTC(2030, 0, 1))
  mkdirSync(join('runs', second))
  expect(second).toMatch(/^20310102T000000Z-small-/)
  expect(listRunIds('runs', 'small')).toEqual([second, first])
  expect(newRunId('runs', 'other', Date.UTC(2030, 0, 1))).toMatch(/^20300101T000000Z-other-/)
})

test('the newest run is resumed after the clock was set back', async () => {
  const { metadata } = await run(pipeline, options())
  // As if that run had been begun a day ahead.
  const ahead = newRunId('runs', 'small', Date.now() + 86_400_000)
  renameSync(join('runs', metadata.runId), join('runs', ahead))
  const stop = new AbortController()
  const running = run(pipeline, { ...options(), signal: stop.signal })
  for await (const fact of running) if (fact.type === 'mapping.accepted') break
  stop.abort()
  const paused = await stopped(running)
  expect(paused.status).toBe('cancelled')
  const again = await run(pipeline, options())
  expect([again.status, again.metadata.runId]).toEqual(['warn', paused.metadata.runId])
})

test('new folders of runs and outputs are ignored by git; a folder that was there is left alone', async () => {
  mkdirSync('there')
  await run({ ...pipeline, output: { path: 'out/list.csv', unmatched: 'there/unmatched.csv' } }, options())
  for (const made of ['runs', 'out']) expect(readFileSync(join(made, '.gitignore'), 'utf8')).toBe('*\n')
  expect(existsSync('there/.gitignore')).toBe(false)
})

test('a list of runs gives a killed run the status that `status` gives it', async () => {
  const { metadata } = await run(pipeline, options())
  expect(listedRun('runs', metadata.runId)).toMatchObject({ status: 'finished', code: 0 })
  const journal = join('runs', metadata.runId, 'journal.jsonl')
  const lines = readFileSync(journal, 'utf8').split('\n')
  const at = lines.findIndex(line => line.includes('"mapping.accepted"'))
  writeFileSync(journal, `${lines.slice(0, at).join('\n')}\n`)
  const place = { env: options().env, cwd: folder, runsDir: 'runs', signal: new AbortController().signal }
  const { status, code } = await getRunStatus(metadata.runId, place)
  expect([status, code]).toEqual(['stopped', 75])
  expect(listedRun('runs', metadata.runId)).toMatchObject({ status, code })
})

test('a kept input finishes the run after its file was replaced', async () => {
  const keeping = { ...pipeline, input: { path: 'in.csv', keep: true } }
  const stop = new AbortController()
  const running = run(keeping, { ...options(), signal: stop.signal })
  for await (const fact of running) if (fact.type === 'mapping.accepted') break
  stop.abort()
  const { runId } = (await stopped(running)).metadata
  expect(readdirSync('runs/inputs')).toHaveLength(1)
  writeFileSync('in.csv', 'name,country\nOf The Next Night Ltd,GB\n')
  const { status, totals } = await resume(runId, options())
  expect([status, totals.rows]).toEqual(['warn', 2])
  expect(readFileSync('out.csv', 'utf8')).toContain('Harrow Optics Ltd')
  expect(readdirSync('runs/inputs')).toEqual([])
})

test('an existing runs directory keeps its mode; new folders in it are private', async () => {
  mkdirSync('runs')
  chmodSync('runs', 0o755)
  const report = await run(pipeline, options())
  expect(report.status).toBe('warn')
  expect(statSync('runs').mode & 0o777).toBe(0o755)
  expect(statSync(report.metadata.directory ?? '').mode & 0o777).toBe(0o700)
})

test('a finished run writes a missing document again when it is resumed', async () => {
  const { metadata } = await run(pipeline, options())
  const page = join(metadata.directory ?? '', 'report.html')
  rmSync(page)
  const again = await resume(metadata.runId, options())
  expect(again.status).toBe('warn')
  expect(existsSync(page)).toBe(true)
})

test("a caller's abort pauses the run, which can be resumed", async () => {
  const stop = new AbortController()
  const running = run(pipeline, { ...options(), signal: stop.signal })
  for await (const fact of running)
    if (fact.type === 'job.created') {
      stop.abort(new Error('enough'))
      break
    }
  const report = await stopped(running)
  expect(report).toMatchObject({ status: 'cancelled', exitCode: 130 })
  expect(await resume(report.metadata.runId, options())).toMatchObject({ status: 'warn', totals: { rows: 2 } })
})
