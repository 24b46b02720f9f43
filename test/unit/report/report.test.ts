/** The report as a value: its form, what is null, what may not enter it. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildReport, RENDERERS, type Report, reportJsonSchema, reportSchema, resultLine } from '../../../src/report/index.ts'
import { serviceWords } from '../../../src/report/service-words.ts'
import { type FixtureName, REGISTERS, reportOf, STATES } from './fixtures.ts'

const names = Object.keys(STATES) as FixtureName[]
const context = { generatedAt: '2025-11-20T02:30:00.000Z', elapsedMs: 1 }

describe('buildReport', () => {
  it.each(names)('%s fits the schema, every key there, and survives JSON', name => {
    const report = reportOf(name)
    expect(reportSchema.parse(report)).toStrictEqual(report)
    expect(JSON.parse(RENDERERS.json.render(report))).toStrictEqual(report)
  })

  it('is equal for equal states', () => {
    expect(reportOf('finished')).toEqual(reportOf('finished'))
  })

  it('has null counts, not 0, before the rows are counted', () => {
    const { totals, ledger, results } = reportOf('running')
    expect(totals).toEqual({
      rows: 500,
      matched: null,
      manualMatched: null,
      review: null,
      unmatched: null,
      duplicates: null,
      failed: null,
      skipped: null,
      matchRate: null,
    })
    expect(ledger.adds).toBeNull()
    expect(results[0]?.jobs[0]?.jobSummary).toBeNull()
  })

  it('shows a sum that does not add up as an error in every format, with any recorded status', () => {
    const state = STATES.finished()
    const report = buildReport({ ...state, status: 'success', outcomes: { ...state.outcomes!, unmatched: 40 } }, context)
    expect(report.ledger).toEqual({ adds: false, sum: 497, difference: 3, unknown: [] })
    expect(report.results[0]?.issues[0]).toMatchObject({ code: 'FETTLE_LEDGER', severity: 'error' })
    expect(RENDERERS.text.render(report)).toMatch(/^✗ Error/)
    expect(RENDERERS.markdown.render(report)).toMatch(/^### ✗ .*Error/)
    expect(RENDERERS.html.render(report)).toContain('<title>Error: ')
    expect(RENDERERS.junit.render(report)).toContain('<error type="FETTLE_LEDGER"')
  })

  it('keeps examples as masked as the settings of a resume ask, and reads a journal without a profile', () => {
    const state = STATES.finished()
    const examples = (report: Partial<typeof state.plan.report>): readonly string[][] => {
      const plan = { ...state.plan, report: { ...state.plan.report, ...report } }
      return buildReport({ ...state, plan }, context).results[0]!.profile.map(one => one.examples)
    }
    expect(examples({ mask: ['name', 'supplier_id'] })).toEqual([
      ['***'],
      ['1234567', '02345678', 'SC123456'],
      ['Leeds'],
      [],
      ['***'],
      ['***'],
    ])
    expect(examples({ rows: 'none' }).flat()).toEqual([])
    const { profile, ...plan } = state.plan
    const report = buildReport({ ...state, plan }, context)
    expect(report.results[0]?.profile).toEqual([])
    for (const { render } of Object.values(RENDERERS)) expect(render(report)).not.toMatch(/What the columns hold|filled \(/)
  })

  it('compares with the last good run', () => {
    const { delta, previous } = reportOf('finished')
    expect(previous?.runId).toBe('nightly-suppliers-20251119-021702-m2c4')
    expect(delta).toEqual({ rows: 12, review: 7, unmatched: -5, duplicates: 0, matchRate: expect.closeTo(-0.008794, 6) })
  })

  it.each([
    ['fettle-runs/r', 'fettle resume nightly-suppliers-20251120-021701-k3f9'],
    ['/var/my runs/r', "fettle resume nightly-suppliers-20251120-021701-k3f9 --runs-dir '/var/my runs'"],
  ])('in %s it names the command that goes on', (directory, command) => {
    expect(buildReport(STATES.pausedAtMatch(), { ...context, directory }).resume).toBe(command)
    expect(buildReport(STATES.finished(), { ...context, directory }).resume).toBeNull()
  })

  it('gives a run id no way out of the command', () => {
    expect(buildReport({ ...STATES.pausedAtMatch(), runId: "x'; rm -rf /" }, context).resume).toBe(
      "fettle resume 'x'\\''; rm -rf /'",
    )
  })
})

describe('row content', () => {
  const canary = 'Zebra Canary Ltd 4711'
  const withCanary = (rows: 'none' | 'review' | 'all', mask: string[]): Report => {
    const state = STATES.finished()
    const samples = state.samples.map(sample => ({ ...sample, cells: { ...sample.cells, name: `${canary} ${sample.outcome}` } }))
    return buildReport({ ...state, samples, plan: { ...state.plan, report: { rows, mask } } }, context)
  }
  const everything = (report: Report): string =>
    Object.values(RENDERERS)
      .map(({ render }) => render(report))
      .join('\n')

  it('stays out with rows: none', () => expect(everything(withCanary('none', []))).not.toContain(canary))
  it('describes rows in review with rows: review', () => {
    expect(everything(withCanary('review', []))).toContain(`${canary} review`)
    expect(everything(withCanary('review', []))).not.toContain(`${canary} unmatched`)
  })
  it('is masked by mapping and by header', () => {
    for (const mask of ['name', 'Company Name']) expect(everything(withCanary('all', [mask]))).not.toContain(canary)
    expect(everything(withCanary('all', []))).toContain(`${canary} unmatched`)
  })
  it('masks the key by its header, and every mapping of a masked column', () => {
    const state = STATES.finished()
    const shared = state.plan.mappings.find(one => one.mapping === 'name')!
    const mappings = [...state.plan.mappings, { ...shared, mapping: 'vatNumber' as const, header: null }]
    const samples = state.samples.map(sample => ({ ...sample, key: canary, cells: { ...sample.cells, vatNumber: canary } }))
    const shown = (mask: string[]): string =>
      everything(buildReport({ ...state, samples, plan: { ...state.plan, mappings, report: { rows: 'all', mask } } }, context))
    expect(shown([])).toContain(canary)
    expect(shown(['name'])).toContain(canary)
    expect(shown(['name', 'supplier_id'])).not.toContain(canary)
    expect(shown(['supplier_id'])).toContain(canary)
  })
})

it.each(['json', 'markdown', 'html'] as const)('%s: name, date and digest of a register that answered', format => {
  const [imported] = REGISTERS
  const text = RENDERERS[format].render(reportOf('running'))
  for (const fact of Object.values(imported!)) expect(text).toContain(fact)
})

it('the share of a list in the register is given where a row has a company or is in review', () => {
  const { results } = reportOf('finished')
  const one = { ...results[0]!, inRegister: { from: 0.1, to: 0.14 }, plan: { ...results[0]!.plan, sent: 60 } }
  const found = { matched: 0.97, review: null }
  expect(serviceWords({ ...one, lowestScores: found })).toContain('about 12 % of this list is in the register')
  const wide = { ...one, inRegister: { from: 0.15, to: 0.9 } }
  expect(serviceWords({ ...wide, lowestScores: found })).toContain('between 15 and 90 % of this list is in the register')
  // What the service assumes of a short list is not an estimate.
  const assumed = { ...one, inRegister: { from: 0.85, to: 0.85 }, lowestScores: found }
  expect(serviceWords(assumed)).toContain('too few rows to estimate how many are in the register, 85 % assumed')
  const nothing = { ...one, inRegister: { from: 0, to: 0 }, lowestScores: { matched: null, review: 0.3 } }
  expect(serviceWords(nothing)).toContain('nothing of this list is found beyond doubt')
  expect(serviceWords({ ...one, inRegister: { from: 1, to: 1 }, lowestScores: found })).toContain('about 100 % of this list')
  expect(serviceWords({ ...one, lowestScores: { ...found, matched: null } })).not.toContain('12 %')
  // The share is that of the list: of three rows alone, and of all rows if only three of them were sent.
  const few = { ...one, plan: { ...one.plan, sent: 3 }, lowestScores: found }
  expect(serviceWords(few)).not.toContain('12 %')
  const counts = { asked: 60, known: 57, sent: 3, repeated: 0, fresh: 3, changed: 0, tooOld: 0, lacking: 0, refreshed: 0 }
  expect(serviceWords({ ...few, reuse: { ...counts, outcomes: null } })).toContain('about 12 % of this list')
})

describe('resultLine', () => {
  it('is one line of what a scheduler needs', () => {
    expect(JSON.parse(resultLine(reportOf('finished')))).toEqual({
      schema: 'fettle/result/v1',
      status: 'warn',
      exitCode: 0,
      runId: 'nightly-suppliers-20251120-021701-k3f9',
      pipeline: 'nightly-suppliers',
      service: 'embedded',
      registers: null,
      inRegister: null,
      partial: null,
      totals: reportOf('finished').totals,
      events: null,
      report: 'fettle-runs/nightly-suppliers-20251120-021701-k3f9/report.json',
      output: 'out/suppliers.csv',
      journal: null,
    })
  })

  it.each(names)('%s: one line under 4 KB', name => {
    const line = resultLine(reportOf(name))
    expect(line).not.toMatch(/[\r\n]/)
    expect(Buffer.byteLength(line)).toBeLessThan(4096)
  })

  it('drops a path that is too long rather than cut it', () => {
    const report = reportOf('finished')
    const long = { ...report, metadata: { ...report.metadata, directory: 'é'.repeat(3_000) } }
    const line = resultLine(long)
    expect(Buffer.byteLength(line)).toBeLessThan(4096)
    expect(JSON.parse(line)).toMatchObject({ report: null, runId: report.metadata.runId })
  })
})

it('schema/report.v1.json is current (node scripts/schema-report.mjs after a build)', () => {
  const file = readFileSync(new URL('../../../schema/report.v1.json', import.meta.url), 'utf8')
  expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(reportJsonSchema())))
})

it.each(['html', 'markdown', 'junit', 'text', 'json'] as const)('%s of hostile text holds no control character', format => {
  const text = RENDERERS[format].render(reportOf('hostile'))
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
  expect(text).toContain('window.owned')
})
