/** Events of the portfolio in every report that people read, and in messages. */
import { expect, test } from 'vitest'
import { RENDERERS } from '../../../src/report/index.ts'
import { noticeOf, reasonsFor } from '../../../src/report/notify/notice.ts'
import { resultLine } from '../../../src/report/pipeline-result.ts'
import type { Report } from '../../../src/report/schema.ts'
import { reportOf } from './fixtures.ts'

const EVENTS: NonNullable<Report['results'][number]['events']> = {
  ...{ portfolio: { id: 7, name: 'Suppliers' }, since: '2026-01-01T02:00:00.000Z', events: 18, companies: 18 },
  kinds: { status: 14, address: 3, dissolved: 1 },
  ...{ file: 'out/events.csv', ownFile: 'out/events.r1.csv', sha256: 'ab', marked: 18 },
  listed: [
    {
      ...{ at: '2026-01-02 00:00:00', company: { id: 'GB-0-1', name: 'Harrow <b>Optics</b>' }, key: 'V100023' },
      ...{ rule: 'Company Status', old: 'active', new: 'liquidation' },
    },
  ],
}

const withEvents = (events: Partial<typeof EVENTS> = {}): Report => {
  const report = reportOf('finished')
  return { ...report, results: report.results.map(one => ({ ...one, events: { ...EVENTS, ...events } })) }
}
const SENTENCE = 'Since the last run: 14 changed status, 3 moved, 1 dissolved'

test.each(['text', 'markdown', 'html'] as const)('%s: the counts, and company, key, old and new value', format => {
  const text = RENDERERS[format].render(withEvents())
  for (const part of [SENTENCE, 'V100023', 'GB-0-1', 'active', 'li']) expect(text).toContain(part)
  if (format === 'html') expect(text).not.toContain('Harrow <b>Optics')
})

test('the first time it is not since the last run, and a night may have no event', () => {
  expect(RENDERERS.text.render(withEvents({ since: null }))).toContain('So far: 14 changed status')
  expect(RENDERERS.text.render(withEvents({ events: 0, kinds: {}, listed: [] }))).toContain('Since the last run: no events')
})

test('the line for schedulers has the counts', () => {
  expect(JSON.parse(resultLine(withEvents())).events).toEqual(EVENTS.kinds)
})

test('a message is sent about them, with the counts and no company', () => {
  const reasons = reasonsFor(withEvents(), true)
  expect(reasons).toContain('events')
  expect(reasonsFor(withEvents({ events: 0 }), true)).not.toContain('events')
  const notice = noticeOf(withEvents(), { reasons, rows: false, at: '2026-01-02T00:00:00Z' })
  expect(notice.message).toContain(`${SENTENCE}.`)
  expect(JSON.stringify(notice)).not.toContain('Harrow')
})
