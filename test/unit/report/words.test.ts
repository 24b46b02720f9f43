/** Figures and reasons in words. */
import { describe, expect, it } from 'vitest'
import { explainInWords } from '../../../src/model/reasons.ts'
import { UNMATCHED_REASONS } from '../../../src/model/results.ts'
import type { Report } from '../../../src/report/index.ts'
import { repeatCommand } from '../../../src/report/message.ts'
import { reasonsOf, reviewWords, unmatchedGroups, unmatchedWords } from '../../../src/report/why.ts'
import { bytes, count, counted, duration, percent, points, signed } from '../../../src/report/words.ts'
import { REASONS } from '../../../src/service/matching/types.ts'
import { reportOf } from './fixtures.ts'

type Result = Report['results'][number]

describe('figures', () => {
  it.each([
    [percent(0), '0%'],
    [percent(1), '100%'],
    [percent(0.824), '82.4%'],
    [percent(249_999 / 250_000), '>99.9%'],
    [percent(1 / 250_000), '<0.1%'],
    [percent(null), 'unknown'],
    [count(1_234_567), '1,234,567'],
    [count(999), '999'],
    [count(null), 'unknown'],
    [counted(1, 'row'), '1 row'],
    [counted(0, 'row'), '0 rows'],
    [signed(-1200), '−1,200'],
    [signed(0), '±0'],
    [points(0.0123), '+1.2 points'],
    [points(-0.0004), '±0.0 points'],
    [duration(12), '12 ms'],
    [duration(999.6), '1.0 s'],
    [duration(59_980), '1 m 00 s'],
    [duration(91_787), '1 m 32 s'],
    [duration(7_203_000), '2 h 00 m'],
    [bytes(1), '1 byte'],
    [bytes(999), '999 bytes'],
    [bytes(18_310_000), '18.3 MB'],
    [bytes(999_960), '1.0 MB'],
  ])('%s is %s', (given, wanted) => expect(given).toBe(wanted))
})

describe('reasons', () => {
  it('are formatted as text', () => {
    expect(
      reasonsOf('name 0.97 | number = | postcode ≈ | vat ≠ | dissolved').map(reason => `${reason.kind}: ${reason.text}`),
    ).toEqual([
      'near: name 97% alike',
      'for: same number',
      'near: similar postcode',
      'against: different vat',
      'plain: dissolved',
    ])
    expect(reasonsOf('')).toEqual([])
    const kinds = ['name 1.00', 'name 0.86', 'name 0.50', 'name 0.49', 'address 0.00'].map(why => reasonsOf(why)[0]?.kind)
    expect(kinds).toEqual(['for', 'near', 'near', 'against', 'against'])
  })

  it('group unmatched rows', () => {
    for (const reason of REASONS)
      expect([reviewWords(reason) !== '', unmatchedWords(reason) !== unmatchedWords('not-given')].filter(Boolean)).toHaveLength(1)
    expect(new Set(UNMATCHED_REASONS.map(unmatchedWords)).size).toBe(UNMATCHED_REASONS.length)
    const rows = [{ reason: 'no-name' }, { reason: null }]
    expect(
      unmatchedGroups({ 'no-name': 2, 'below-threshold': 5 }, rows).map(one => [one.reason, one.count, one.samples]),
    ).toEqual([
      ['below-threshold', 5, []],
      ['no-name', 2, [rows[0]]],
      ['not-given', 1, [rows[1]]],
    ])
  })
})

describe('the command that does the same again', () => {
  const report = reportOf('finished')
  const [result] = report.results
  const registers = ['uk', 'de'].map(name => ({ name, snapshotDate: '2026-01-31', sha256: null }))
  const repeat = (args: Report['args'], named: Result['registers'] = registers): string | null =>
    repeatCommand({ ...report, args }, { ...result!, file: 'p.yml', registers: named })

  it.each<[string, Report['args'], Result['registers'], string]>([
    ['the registers of the run', { command: 'run' }, registers, 'fettle run p.yml --register uk --register de'],
    ['those that were named', { command: 'run', register: ['uk'] }, registers, 'fettle run p.yml --register uk'],
    ['the sample by its flag', { command: 'run', sample: true }, registers, 'fettle run p.yml --sample'],
    ['none of a service that names none', { command: 'run' }, null, 'fettle run p.yml'],
  ])('names %s', (_, args, named, expected) => expect(repeat(args, named)).toBe(expected))

  it('names registers and output of a list without a pipeline', () =>
    expect(repeat({ command: 'clean', file: 'my list.csv' })).toBe(
      `fettle clean 'my list.csv' --register uk --register de --output ${result?.plan.output?.path}`,
    ))
})

it.each([
  ['address-alone', 'the address agrees, but not the name: name 40% alike, same postcode'],
  ['between-thresholds', 'name 40% alike, same postcode'],
  [null, 'name 40% alike, same postcode'],
])('says first what the score does not: %s', (reason, words) => {
  expect(explainInWords('name 0.40 | postcode =', reason)).toBe(words)
})
