/** Whole runs against the embedded service in each play. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Report, run } from '../../../src/index.ts'
import { renderReport, renderText } from '../../../src/report/index.ts'
import { listedRun } from '../../../src/runs/run-queries.ts'
import { type PlayName, serve } from '../../../src/service/index.ts'
import { serveWithFaults } from '../../../src/testing/index.ts'
import { atFileEnd } from '../../support/file-end.ts'
import { type Place, place } from '../../support/place.ts'

const registers = mkdtempSync(join(tmpdir(), 'fettle-plays-'))
atFileEnd(() => rmSync(registers, { recursive: true, force: true }))

let here: Place
beforeEach(() => {
  here = place()
  // In the sample register; between the thresholds; unknown.
  here.write('in.csv', 'name,country\nShaughnessy Insurance Brokers DAC,IE\nCyrden,GB\nZzyzx Qqq,GB\n')
})
afterEach(() => here.leave())

async function environment(play: PlayName): Promise<Record<string, string>> {
  const dataDir = join(here.folder, 'service')
  const service = await serve({ dataDir, registerDir: join(registers, 'registers'), registers: ['sample'], users: [], play })
  onTestFinished(() => service.close())
  return { FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password }
}

const quick = { poll: { every: '500ms' } } as const

const LIMITS = {
  matched: { fail: '< 10%' },
  failed: { fail: '> 0' },
  unmatched: { fail: '> 90%' },
  drift: { fail: '> 1%' },
} as const

type Formats = Readonly<Record<'text' | 'html' | 'markdown' | 'junit' | 'openmetrics' | 'json', string>>

const formatsOf = (report: Report): Formats => ({
  text: renderText(report, { width: 200 }),
  html: renderReport(report, 'html'),
  markdown: renderReport(report, 'markdown'),
  junit: renderReport(report, 'junit'),
  openmetrics: renderReport(report, 'openmetrics'),
  json: JSON.stringify(report),
})

/** The first good run of a pipeline: each count and check has a value, but for the drift, which every format names as not measured. */
function expectFirst(report: Report, rate: number): void {
  const { matchRate, review: _, ...counts } = report.totals
  expect(report).toMatchObject({ status: 'success', exitCode: 0, delta: null })
  expect(matchRate).toBeCloseTo(rate)
  expect(Object.entries(counts).filter(([, count]) => count === null)).toEqual([])
  expect(report.results[0]!.checks.filter(({ success }) => success !== true)).toEqual([
    {
      assertion: 'drift',
      success: null,
      severity: 'fail',
      expected: 'not > 1%',
      actual: 'not measured yet: no earlier run to compare with',
    },
  ])
  const { text, html, markdown, junit, openmetrics, json } = formatsOf(report)
  expect(text).toMatch(/^ {2}– drift +not measured yet/m)
  expect(text).toMatch(/^ {2}✓ matched +/m)
  expect(html).toContain('<p class="lead">1 of ')
  expect(html).toMatch(/drift.{0,200}<span class="badge calm"><span aria-hidden="true">–<\/span>not measured yet<\/span>/)
  expect(markdown).toMatch(/^\| – not measured yet \| drift \|/m)
  expect(junit).toMatch(/name="drift" time="0\.000"><skipped message="drift: not measured yet/)
  expect(openmetrics).toMatch(/^fettle_match_ratio\{pipeline="small"\} 0\.\d+$/m)
  expect(json).toContain('"assertion":"drift","success":null')
  expect(listedRun('runs', report.metadata.runId).matchRate).toBeCloseTo(rate)
}

/** The next one: the drift is measured, too. */
function expectNext(report: Report): void {
  expect(report).toMatchObject({ status: 'success', exitCode: 0, delta: { matchRate: 0, rows: 0 } })
  expect(report.results[0]!.checks.filter(({ success }) => success !== true)).toEqual([])
  const { text, junit } = formatsOf(report)
  expect(text).toMatch(/^ {2}✓ drift +0\.0% \(/m)
  expect(text).toContain('match rate ±0.0 points since the last good run')
  expect(junit).toMatch(/name="drift" time="0\.000"\/>/)
}

test.each(['own', 'vendor'] as const)('%s: a run from list to report', async play => {
  const options = here.options(await environment(play))
  const pipeline = here.pipeline({ ...quick, checks: { ...LIMITS, review: { fail: '> 90%' }, duplicates: { fail: '> 90%' } } })
  const report = await run(pipeline, options)
  // A row between the thresholds is in review with us; the published description has it matched.
  const matched = play === 'own' ? 1 : 2
  expect(report.totals).toMatchObject({ rows: 3, matched, review: 2 - matched, unmatched: 1 })
  expect(report.ledger).toEqual({ adds: true, sum: 3, difference: 0, unknown: [] })
  expect(report.results[0]!.stages.map(({ name, status }) => `${name} ${status}`)).toContain('download success')
  expect(readFileSync('out.csv', 'utf8')).toContain('IE-X-339814')
  expectFirst(report, matched / 3)
  expectNext(await run(pipeline, options))
})

test('seed: a run without enrichment ends with the counts', async () => {
  const options = here.options(await environment('seed'))
  const { output: _, ...pipeline } = here.pipeline({ ...quick, enrich: 'none', checks: LIMITS })
  const report = await run(pipeline, options)
  expect(report.totals).toMatchObject({ rows: 3, matched: 1, manualMatched: 1, unmatched: 1 })
  expectFirst(report, 2 / 3)
  expectNext(await run(pipeline, options))
})

test.each(['own', 'vendor'] as const)('%s: duplicates are counted without the column that marks them', async play => {
  here.write('in.csv', 'name,country\nShaughnessy Insurance Brokers DAC,IE\nShaughnessy Insurance Brokers,IE\nZzyzx Qqq,GB\n')
  const enrich = { product: 'basic', tags: ['general.connectId', 'general.companyName'] } as { product: 'basic'; tags: string[] }
  const report = await run(here.pipeline({ ...quick, enrich }), here.options(await environment(play)))
  expect(report.totals).toMatchObject({ matched: 1, duplicates: 1, unmatched: 1, matchRate: 2 / 3 })
})

describe('a service whose jobSummary has', () => {
  async function changed(jobSummary: unknown, play: PlayName = 'vendor') {
    const dataDir = join(here.folder, 'service')
    const own = { dataDir, registerDir: join(registers, 'registers'), registers: ['sample'], users: [], play }
    const service = await serveWithFaults(own)
    onTestFinished(() => service.close())
    service.server.arm([{ operation: 'readJob', times: 'always', effect: { kind: 'rewrite', set: { jobSummary } } }])
    return { FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password }
  }

  const checks = { ...LIMITS, review: { fail: '> 90%' } } as const

  test.each<[string, unknown]>([
    ['nothing', null],
    ['the total only', { totalRows: 3 }],
    ['the total and nulls', { totalRows: 3, matched: null, manualMatched: null, unmatched: null, duplicates: null }],
  ])('%s: the enriched file has all counts', async (_, summary) => {
    const options = here.options(await changed(summary))
    const pipeline = here.pipeline({ ...quick, checks })
    const report = await run(pipeline, options)
    expect(report.totals).toMatchObject({ matched: 2, duplicates: 0, review: 0, unmatched: 1, failed: 0 })
    expect(report.ledger.adds).toBe(true)
    expectFirst(report, 2 / 3)
    expectNext(await run(pipeline, options))
  })

  test.each<[string, unknown]>([
    ['zeros', { totalRows: 3, matched: 0, manualMatched: 0, unmatched: 0, duplicates: 0 }],
    ['other counts than the file', { totalRows: 3, matched: 1, manualMatched: 0, unmatched: 2, duplicates: 0 }],
    ['another total', { totalRows: 4, matched: 2, manualMatched: 0, unmatched: 2, duplicates: 0 }],
  ])('%s: the run is refused, and nothing is written', async (_, summary) => {
    const running = run(here.pipeline({ ...quick, checks }), here.options(await changed(summary)))
    await expect(running).rejects.toMatchObject({ code: 'FETTLE_LEDGER', exitCode: 76 })
    expect(existsSync('out.csv')).toBe(false)
  })

  test('nothing: a run without a file fails each of its checks, the drift of the first run too', async () => {
    const { output: _, ...pipeline } = here.pipeline({ ...quick, enrich: 'none', checks: LIMITS })
    const report = await run(pipeline, here.options(await changed(null, 'own')))
    expect(report).toMatchObject({ status: 'fail', exitCode: 1 })
    expect(report.results[0]!.checks.map(({ assertion, success, actual }) => [assertion, success, actual])).toEqual(
      ['matched', 'unmatched', 'failed', 'drift'].map(name => [name, false, 'unknown: the service gave no such count']),
    )
  })

  test('nothing: a list without a match is warned of', async () => {
    here.write('in.csv', 'name,country\nZzyzx Qqq,GB\nQqxyz Zzq,GB\n')
    const report = await run(here.pipeline(quick), here.options(await changed(null)))
    expect(report.status).toBe('warn')
    expect(report.results[0]!.issues.map(({ code }) => code)).toContain('FETTLE_FEW_MATCHED')
  })
})

test('seed: a run with enrichment ends at the operation that does not exist', async () => {
  const running = run(here.pipeline(quick), here.options(await environment('seed')))
  await expect(running).rejects.toMatchObject({
    code: 'FETTLE_NOT_FOUND',
    message: expect.stringMatching(/^setEnrichments .* 404/),
    hint: expect.stringContaining('enrich: none'),
  })
})
