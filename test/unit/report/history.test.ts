import { expect, test } from 'vitest'
import { groupSeries } from '../../../src/report/history/history-page.ts'
import { type Night, renderHistory } from '../../../src/report/index.ts'

const night = (day: number, more: Partial<Night> = {}): Night => ({
  runId: `202601${String(day).padStart(2, '0')}T020000Z-${more.pipeline ?? 'suppliers'}-aaaaaa`,
  pipeline: 'suppliers',
  series: JSON.stringify([more.pipeline ?? 'suppliers', more.target, more.limit]),
  target: null,
  limit: null,
  status: 'success',
  startedAt: `2026-01-${String(day).padStart(2, '0')}T02:00:00.000Z`,
  message: 'Matched 8 of 10.',
  rows: 10,
  matchRate: 0.8,
  credits: 8,
  requests: 12,
  elapsedMs: 61_000,
  events: null,
  href: `runs/${day}/report.html`,
  ...more,
})
const page = (nights: readonly Night[], unread: readonly string[] = []): string =>
  renderHistory(nights, { tool: { name: 'fettle', version: '1' }, folder: 'fettle-runs', unread, at: '2026-01-31T00:00:00.000Z' })

test('the change of a night is against the last good one of the same pipeline, target and limit', () => {
  const all = groupSeries([
    night(4, { matchRate: 0.7 }),
    night(1),
    night(2, { matchRate: 0.2, status: 'fail' }),
    night(3, { matchRate: null, status: 'error' }),
    night(5, { matchRate: 0.1, limit: 5 }),
    night(6, { matchRate: 0.1, target: 'dev' }),
    night(7, { pipeline: 'customers' }),
  ])
  expect(all.map(({ pipeline, target, limit, nights }) => [pipeline, target, limit, nights.length])).toEqual([
    ['customers', null, null, 1],
    ['suppliers', 'dev', null, 1],
    ['suppliers', null, 5, 1],
    ['suppliers', null, null, 4],
  ])
  const drifts = all.at(-1)!.nights.map(({ drift }) => (drift === null ? null : Math.round(drift * 100)))
  expect(drifts).toEqual([null, -60, null, -10])
})

test('the page has a chart of each figure that is known, a table, and links to the reports', () => {
  const text = page([
    night(1),
    night(2, { events: 3 }),
    night(3, { status: 'error', matchRate: null, credits: null, href: null }),
  ])
  for (const label of ['Match rate', 'Change of the match rate', 'Credits', 'Duration', 'Events'])
    expect(text).toContain(`<figcaption>${label} `)
  expect(text).toContain('aria-label="Match rate of 3 runs: last run: none, lowest 80%, highest 80%"')
  expect(text.match(/class="missing"/g)?.length).toBeGreaterThan(0)
  expect(text).toContain('<a href="runs/2/report.html">2026-01-02 02:00:00</a>')
  expect(text).toContain('3 runs of 1 pipeline')
  expect(page([night(1)])).not.toContain('<figcaption>Events')
})

test('an empty folder, many nights and runs that cannot be read', () => {
  expect(page([])).toContain('There is no run in fettle-runs.')
  const many = Array.from({ length: 130 }, (_, at) =>
    night(1, { runId: `2026${String(at).padStart(4, '0')}T020000Z-suppliers-aaaaaa`, rows: at }),
  )
  const text = page(many, ['20260101T000000Z-x-aaaaaa'])
  expect(text).toContain('130 runs · the newest 100 are shown')
  expect(text).toContain('1 run cannot be read: 20260101T000000Z-x-aaaaaa')
  expect(text.match(/<tr role="row">/g)).toHaveLength(101)
})

test('texts are escaped, and values without a spread have finite places', () => {
  const text = page([night(1, { message: '<script>', credits: 0, elapsedMs: 0 }), night(2, { credits: 0, elapsedMs: 0 })])
  expect(text).not.toMatch(/<script>|NaN|Infinity/)
})
