/** `junit.xml` against the schema of its readers, for every way a pipeline can end, alone and together. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { issue } from '../../../src/errors.ts'
import { type PipelineResult, renderJunit } from '../../../src/report/index.ts'
import { type FixtureName, HOSTILE, reportOf, STATES } from './fixtures.ts'

const SCHEMA = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8')

const faultsOf = async (xml: string): Promise<string[]> => {
  const { valid, errors } = await validateXML({ xml: [{ fileName: 'junit.xml', contents: xml }], schema: [SCHEMA] })
  expect(valid).toBe(errors.length === 0)
  return errors.map(error => error.message)
}

const NAMES = Object.keys(STATES) as FixtureName[]
const REFUSED: PipelineResult = {
  name: 'pipelines/broken.yml',
  exitCode: 2,
  issues: [
    issue('FETTLE_PIPELINE_KEY', 'mapings: no such key', { at: { file: 'pipelines/broken.yml', line: 3, column: 1 } }),
    issue('FETTLE_PIPELINE_MISSING', 'mappings is missing', { hint: null }),
    issue('FETTLE_INPUT_SUSPECT', 'only a warning', { severity: 'warn' }),
  ],
}

test('the judge itself sees faults', async () => {
  const xml = renderJunit([reportOf('finished')])
  expect(await faultsOf(xml.replace('<testsuite ', '<testsuite rows="5" '))).not.toEqual([])
  expect(await faultsOf(xml.replace(/ errors="\d+"/g, ''))).not.toEqual([])
  expect(await faultsOf(xml.replace('</testsuites>', ''))).not.toEqual([])
  expect(await faultsOf(xml.replace('<testcase ', '<testrow '))).not.toEqual([])
})

describe('fits the schema', () => {
  test.each(NAMES)('%s', async name => expect(await faultsOf(renderJunit([reportOf(name)]))).toEqual([]))

  test('a refusal, hostile ones, and all together', async () => {
    const hostile = HOSTILE.map(
      (text): PipelineResult => ({
        name: text,
        exitCode: 2,
        issues: [issue('FETTLE_USAGE', text, { hint: text, at: { file: text, line: 1, column: 2 } })],
      }),
    )
    expect(await faultsOf(renderJunit([REFUSED]))).toEqual([])
    expect(await faultsOf(renderJunit([...NAMES.map(reportOf), REFUSED, ...hostile]))).toEqual([])
    expect(await faultsOf(renderJunit([]))).toEqual([])
  })
})

describe('content', () => {
  test('a case is a stage or a check, never a row', () => {
    const xml = renderJunit([reportOf('finished')])
    const names = [...xml.matchAll(/<testcase classname="([^"]+)" name="([^"]+)"/g)].map(([, kind, name]) => `${kind} ${name}`)
    expect(names).toEqual([
      ...['create', 'upload', 'map', 'submit', 'match', 'enrich', 'download'].map(name => `nightly-suppliers.stage ${name}`),
      ...['matched', 'unmatched', 'drift', 'moved'].map(name => `nightly-suppliers.check ${name}`),
      'nightly-suppliers.run every row is accounted for',
    ])
  })

  test('a refusal is one error with every problem and its place', () => {
    const xml = renderJunit([REFUSED])
    expect(xml).toContain('tests="1" failures="0" errors="1"')
    expect(xml).toContain('<error type="FETTLE_PIPELINE_KEY" message="mapings: no such key">pipelines/broken.yml:3:1 error:')
    expect(xml).toContain('error: mappings is missing')
    expect(xml).not.toContain('only a warning')
  })

  test('a budget that was too small is a failed check, and a stage that was skipped', () => {
    const report = reportOf('finished')
    const [result] = report.results
    const error = { code: 'FETTLE_BUDGET_CREDITS', kind: 'checks', message: 'too dear', hint: '', correlationId: null }
    const stages = result!.stages.map(stage =>
      stage.name === 'enrich' ? { ...stage, status: 'error' as const, note: 'too dear' } : stage,
    )
    const check = {
      assertion: 'budget.credits',
      success: false,
      severity: 'fail',
      expected: 'not > 7',
      actual: '8 credits',
    } as const
    const xml = renderJunit([{ ...report, results: [{ ...result!, error, stages, checks: [check] }] }])
    expect(xml).toContain('failures="1" errors="0"')
    expect(xml).toContain(
      'name="enrich" time="8.400"><skipped message="too dear"/>'.replace('8.400', /name="enrich" time="([\d.]+)"/.exec(xml)![1]!),
    )
    expect(xml).toContain('<failure type="FETTLE_CHECK_FAILED" message="budget.credits: 8 credits, required ≤ 7"/>')
  })

  test('reports fifty of 50,000 issues', () => {
    const report = reportOf('finished')
    const issues = Array.from({ length: 50_000 }, (_, n) => ({ ...report.results[0]!.issues[0]!, message: `number ${n}` }))
    const xml = renderJunit([{ ...report, results: [{ ...report.results[0]!, issues }] }])
    expect(xml.match(/number \d+/g)).toHaveLength(50)
    expect(xml).toContain('and 49,950 more')
  })
})
