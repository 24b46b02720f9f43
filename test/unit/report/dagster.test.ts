/** What Dagster is told of runs that ended each way: which asset, which checks, what it may never hear. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { issue } from '../../../src/errors.ts'
import { type PipesMessage, pipesLine, pipesMessages, type Report } from '../../../src/report/index.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { type FixtureName, HOSTILE, reportOf, STATES } from './fixtures.ts'

const here = (path: string): string => `/work/${path}`
const one = (report: Report, assets: string[], checks: string[] = []) => pipesMessages([report], { assets, checks }, here)
const of = (messages: readonly PipesMessage[], method: PipesMessage['method']) =>
  messages.filter(message => message.method === method).map(({ params }) => params)

const finished = reportOf('finished')
const [result] = finished.results
const renamed = (name: string): Report => ({ ...finished, results: [{ ...result!, name }] })

describe('assets', () => {
  test('the only asset of the step belongs to the only pipeline, under any name; its metadata are counts, digest and paths', () => {
    const [made, ...more] = of(one(finished, ['crm/anything']), 'report_asset_materialization')
    expect(more).toEqual([])
    const output = result!.outputs.find(({ kind }) => kind === 'output')!
    expect(made).toMatchObject({
      asset_key: 'crm/anything',
      data_version: output.sha256,
      metadata: {
        'dagster/row_count': { type: 'int', raw_value: output.rows },
        output: { type: 'path', raw_value: here(output.path) },
        rows: { type: 'int', raw_value: finished.totals.rows },
        match_rate: { type: 'float', raw_value: finished.totals.matchRate },
        manual_matched: { type: 'int', raw_value: finished.totals.manualMatched },
      },
    })
  })

  test.each([0, 1, 0.5])('a match rate of %d has a type that its JSON has in Python', matchRate => {
    const [made] = of(one({ ...finished, totals: { ...finished.totals, matchRate } }, ['a']), 'report_asset_materialization')
    const type = Number.isInteger(matchRate) ? 'int' : 'float'
    expect(made).toMatchObject({ metadata: { match_rate: { type, raw_value: matchRate } } })
  })

  test('of several, the asset with the name, and the assets of the other outputs', () => {
    const assets = [
      'crm/suppliers_review',
      'crm/nightly_suppliers',
      'crm/nightly_suppliers_review',
      'nightly_suppliers_unmatched',
    ]
    const made = of(one(renamed('nightly-suppliers'), assets), 'report_asset_materialization')
    expect(made.map(({ asset_key }) => asset_key)).toEqual([
      'crm/nightly_suppliers',
      ...result!.outputs
        .filter(({ kind }) => kind !== 'output')
        .map(({ kind }) => assets.find(key => key.endsWith(`nightly_suppliers_${kind}`))),
    ])
    expect(new Set(made.map(({ data_version }) => data_version)).size).toBe(made.length)
  })

  test('each of several pipelines has its asset, and a pipeline without one is reported', () => {
    const told = [renamed('a'), renamed('b')]
    const messages = pipesMessages(told, { assets: ['x/a'], checks: [] }, here)
    expect(of(messages, 'report_asset_materialization').map(({ asset_key }) => asset_key)).toEqual(['x/a'])
    expect(of(messages, 'log').filter(({ message }) => /none of the assets/.test(String(message)))).toEqual([
      { level: 'WARNING', message: 'b: none of the assets of this step has its name: x/a' },
    ])
    expect(of(messages, 'report_custom_message')).toHaveLength(2)
  })

  test('a step without assets receives the result too', () => {
    const messages = one(finished, [])
    expect(messages.map(({ method }) => method)).toEqual(['log', 'report_custom_message', 'closed'])
    expect(of(messages, 'report_custom_message')[0]).toMatchObject({ payload: { schema: 'fettle/result/v1', exitCode: 0 } })
  })

  test.each(Object.keys(STATES) as FixtureName[])('%s: made only where rows came to something; the last word is closed', name => {
    const report = reportOf(name)
    const messages = one(report, ['a'], ['matched'])
    const isMade = ['success', 'warn', 'fail'].includes(report.status)
    expect(of(messages, 'report_asset_materialization')).toHaveLength(isMade ? 1 : 0)
    expect(messages.at(-1)?.method).toBe('closed')
    const { error } = report.results[0]!
    expect(of(messages, 'closed')).toEqual([
      error === null ? {} : { exception: expect.objectContaining({ name: error.code, stack: [] }) },
    ])
    // Elsewhere than in rows the hostile one has the same texts.
    for (const sample of name === 'hostile' ? [] : [...report.results[0]!.review, ...report.results[0]!.unmatched])
      for (const cell of Object.values(sample.cells).filter(text => text.length > 5))
        expect(messages.map(pipesLine).join('\n')).not.toContain(cell)
  })

  test('what is unknown is left out', () => {
    const totals = { ...finished.totals, review: null, matchRate: null }
    const [made] = of(one({ ...finished, totals }, ['a']), 'report_asset_materialization')
    expect(made!.metadata).not.toHaveProperty('review')
    expect(made!.metadata).not.toHaveProperty('match_rate')
  })
})

describe('checks', () => {
  const check = (assertion: string, severity: 'warn' | 'fail', success: boolean | null) => ({
    ...{ assertion, severity, success, expected: 'not < 80%', actual: '1 of 5 (20.0%)' },
  })
  const withChecks = (...checks: Report['results'][number]['checks']): Report => ({
    ...finished,
    results: [{ ...result!, checks }],
  })

  test('those that Dagster declared are reported, once each; the others stand in the metadata', () => {
    const report = withChecks(
      check('matched', 'warn', false),
      check('matched', 'fail', true),
      check('failed', 'warn', true),
      check('failed', 'fail', false),
      check('budget.credits', 'fail', true),
      check('moved', 'fail', null),
      check('drift', 'warn', true),
    )
    const messages = one(report, ['a'], ['matched', 'failed', 'budget_credits', 'moved'])
    expect(of(messages, 'report_asset_check')).toEqual([
      expect.objectContaining({ asset_key: 'a', check_name: 'matched', passed: false, severity: 'WARN' }),
      expect.objectContaining({ check_name: 'failed', passed: false, severity: 'ERROR' }),
      expect.objectContaining({ check_name: 'budget_credits', passed: true }),
      expect.objectContaining({ check_name: 'moved', passed: true }),
    ])
    const [made] = of(messages, 'report_asset_materialization')
    expect(made!.metadata).toHaveProperty('checks.raw_value.6.assertion', 'drift')
  })

  test('one that the pipeline does not have is named', () => {
    const messages = one(withChecks(), ['a'], ['matched'])
    expect(of(messages, 'report_asset_check')).toEqual([])
    expect(of(messages, 'log').at(-1)).toMatchObject({
      level: 'ERROR',
      message: expect.stringContaining('waits for the check matched'),
    })
  })
})

test('a pipeline that could not start is reported and closed with its code', () => {
  const issues = [
    issue('FETTLE_PIPELINE_KEY', 'unknown key "chekcs"'),
    issue('FETTLE_SETTINGS', 'odd', { severity: 'warn', hint: null }),
  ]
  const messages = pipesMessages([{ name: 'p.yml', exitCode: 2, issues }], { assets: ['a'], checks: ['matched'] }, here)
  expect(of(messages, 'log').map(({ level }) => level)).toEqual(['ERROR', 'WARNING'])
  expect(of(messages, 'closed')).toEqual([{ exception: expect.objectContaining({ name: 'FETTLE_PIPELINE_KEY' }) }])
  expect(of(messages, 'report_asset_materialization')).toEqual([])
})

test('every message is one line of JSON, with any names and texts', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE)), text => {
      const report = { ...finished, results: [{ ...result!, name: text, message: text }] }
      for (const message of one(report, [text, 'b'])) {
        const line = pipesLine(message)
        expect(line).not.toMatch(/[\n\r\x1b\u2028]/)
        expect(JSON.parse(line)).toMatchObject({ __dagster_pipes_version: '0.1', method: message.method })
      }
    }),
  )
})
