/** `metrics.txt` read back by a strict reader of OpenMetrics: names and labels are fixed, what is unknown is left out. */
import { describe, expect, test } from 'vitest'
import { buildReport, renderOpenMetrics } from '../../../src/report/index.ts'
import { type FixtureName, HOSTILE, reportOf, STATES } from './fixtures.ts'
import { parsed } from './openmetrics-parser.ts'
import { readOpenMetrics } from './openmetrics-reader.ts'

const NAMES = Object.keys(STATES) as FixtureName[]
const FAMILIES = [
  ...['fettle_run_success', 'fettle_run_exit_code', 'fettle_run_start_timestamp_seconds', 'fettle_run_end_timestamp_seconds'],
  ...[
    'fettle_run_duration_seconds',
    'fettle_input_rows',
    'fettle_list_rows',
    'fettle_rows',
    'fettle_match_ratio',
    'fettle_http_requests',
  ],
  ...['fettle_http_retries', 'fettle_credits'],
]

test.each([
  ['no end', '# TYPE a gauge\na 1\n'],
  ['a blank line', '# TYPE a gauge\n\na 1\n# EOF\n'],
  ['a family in two places', '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na{x="1"} 1\n# EOF\n'],
  ['a unit that is not in the name', '# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n'],
  ['a sample twice', '# TYPE a gauge\na 1\na 2\n# EOF\n'],
  ['a bare quote', '# TYPE a gauge\na{x="1"2"} 1\n# EOF\n'],
  ['no number', '# TYPE a gauge\na one\n# EOF\n'],
  ['help after samples', '# TYPE a gauge\na 1\n# HELP a b\n# EOF\n'],
])('the reader itself refuses %s', (_, text) => expect(() => readOpenMetrics(text)).toThrow())

describe('reads back', () => {
  test.each(NAMES)('%s', name => {
    const report = reportOf(name)
    const families = readOpenMetrics(renderOpenMetrics([report]))
    expect([...families.keys()]).toEqual(FAMILIES)
    const of = (family: string) => families.get(family)?.samples ?? []
    expect(of('fettle_input_rows')).toEqual([{ labels: { pipeline: 'nightly-suppliers' }, value: report.totals.rows }])
    expect(of('fettle_run_duration_seconds')[0]?.value).toBe(report.elapsedMs / 1000)
    expect(of('fettle_credits').map(({ value }) => value)).toEqual(report.results.flatMap(({ credits }) => credits ?? []))
    expect(of('fettle_match_ratio').map(({ value }) => value)).toEqual(
      report.totals.matchRate === null ? [] : [report.totals.matchRate],
    )
    for (const { labels, value } of of('fettle_rows')) expect(report.totals[labels.outcome as 'matched']).toBe(value)
  })

  test.each(NAMES)('%s, by a parser of others', name => {
    const text = renderOpenMetrics([reportOf(name)])
    const own = readOpenMetrics(text)
    const families = parsed(text)
    expect(families.map(({ name: family, type }) => [family, type])).toEqual([...own.keys()].map(family => [family, 'GAUGE']))
    for (const { name: family, metrics } of families)
      expect((metrics ?? []).map(({ labels, value }) => ({ labels, value: Number(value) }))).toEqual(own.get(family)?.samples)
  })

  test('several pipelines are in the same families; one that did not start has only success and exit code', () => {
    const other = reportOf('finished')
    const renamed = { ...other, results: other.results.map(result => ({ ...result, name: 'other' })) }
    const refusal = { name: 'broken.yml', exitCode: 2, issues: [] }
    const families = readOpenMetrics(renderOpenMetrics([reportOf('finished'), refusal, renamed]))
    expect([...families.keys()]).toEqual(FAMILIES)
    expect(families.get('fettle_input_rows')?.samples.map(({ labels }) => labels.pipeline)).toEqual([
      'nightly-suppliers',
      'other',
    ])
    const last = (family: string) => families.get(family)?.samples.find(({ labels }) => labels.pipeline === 'broken.yml')?.value
    expect(FAMILIES.map(last)).toEqual([0, 2, ...FAMILIES.slice(2).map(() => undefined)])
  })

  test.each<[FixtureName, number | undefined]>([
    ['finished', 1],
    ['failedAtUpload', 0],
    ['running', undefined],
  ])('%s: success is %s, and the end is there once the run ended', (name, success) => {
    const report = reportOf(name)
    const families = readOpenMetrics(renderOpenMetrics([report]))
    const value = (family: string) => families.get(`fettle_run_${family}`)?.samples[0]?.value
    const start = Date.parse(report.metadata.startedAt) / 1000
    expect([value('success'), value('start_timestamp_seconds')]).toEqual([success, start])
    expect(value('end_timestamp_seconds')).toBe(success === undefined ? undefined : start + report.elapsedMs / 1000)
  })

  test('labels of any text', () => {
    for (const name of HOSTILE) {
      const report = buildReport(STATES.finished(), { generatedAt: '', elapsedMs: 0 })
      const hostile = { ...report, results: report.results.map(result => ({ ...result, name })) }
      expect(readOpenMetrics(renderOpenMetrics([hostile])).size).toBe(FAMILIES.length)
    }
  })
})

/** The rules of `promtool check metrics` that apply to gauges. */
test('names follow the rules of Prometheus', () => {
  for (const [name, { help, unit }] of readOpenMetrics(renderOpenMetrics([reportOf('finished')]))) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
    expect(name).not.toMatch(/_(total|count|sum|bucket|info)$/)
    expect(name).not.toMatch(/_(gauge|counter|histogram|summary|ms|millis|minutes|percent|kb|mb)(_|$)/)
    expect(help).toMatch(/\S/)
    if (unit !== null) expect(name.endsWith(`_${unit}`)).toBe(true)
  }
})

test('GitLab takes the first two words of a line, quotes obeyed, for name and value', () => {
  const lines = renderOpenMetrics([reportOf('finished')]).split('\n')
  const metrics = lines.flatMap(line =>
    [...line.replace(/#.*$/, '').matchAll(/((?:"[^"]*"|\S)+) (\S+)/g)].map(([, name, value]) => [name, value]),
  )
  expect(metrics).toHaveLength(18)
  expect(new Set(metrics.map(([name]) => name)).size).toBe(18)
})
