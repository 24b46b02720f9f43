/** `metrics.txt` read back by a strict reader of OpenMetrics: names and labels are fixed, what is unknown is left out. */
import { describe, expect, test } from 'vitest'
import { buildReport, renderOpenMetrics } from '../../../src/report/index.ts'
import { type FixtureName, HOSTILE, reportOf, STATES } from './fixtures.ts'
import { parsed } from './openmetrics-parser.ts'
import { readOpenMetrics } from './openmetrics-reader.ts'

const NAMES = Object.keys(STATES) as FixtureName[]
const FAMILIES = ['fettle_rows_total', 'fettle_rows', 'fettle_match_ratio', 'fettle_run_seconds']

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
    expect(of('fettle_rows_total')).toEqual([{ labels: { pipeline: 'nightly-suppliers' }, value: report.totals.rows }])
    expect(of('fettle_run_seconds')[0]?.value).toBe(report.elapsedMs / 1000)
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

  test('several pipelines stand in the same families, a refusal in none', () => {
    const other = reportOf('finished')
    const renamed = { ...other, results: other.results.map(result => ({ ...result, name: 'other' })) }
    const refusal = { name: 'broken.yml', exitCode: 2, issues: [] }
    const families = readOpenMetrics(renderOpenMetrics([reportOf('finished'), refusal, renamed]))
    expect([...families.keys()]).toEqual(FAMILIES)
    expect(families.get('fettle_rows_total')?.samples.map(({ labels }) => labels.pipeline)).toEqual([
      'nightly-suppliers',
      'other',
    ])
  })

  test('labels of any text', () => {
    for (const name of HOSTILE) {
      const report = buildReport(STATES.finished(), { generatedAt: '', elapsedMs: 0 })
      const hostile = { ...report, results: report.results.map(result => ({ ...result, name })) }
      expect(readOpenMetrics(renderOpenMetrics([hostile])).size).toBe(4)
    }
  })
})

test('GitLab takes the first two words of a line, quotes obeyed, for name and value', () => {
  const lines = renderOpenMetrics([reportOf('finished')]).split('\n')
  const metrics = lines.flatMap(line =>
    [...line.replace(/#.*$/, '').matchAll(/((?:"[^"]*"|\S)+) (\S+)/g)].map(([, name, value]) => [name, value]),
  )
  expect(metrics).toHaveLength(10)
  expect(new Set(metrics.map(([name]) => name)).size).toBe(10)
})
