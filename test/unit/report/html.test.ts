/** The page as text: policy, size, structure. What a browser makes of it is tested in test/browser. */

import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import type { RowSample } from '../../../src/model/results.ts'
import { renderPairs } from '../../../src/report/html/pairs.ts'
import { buildReport, RENDERERS, renderHtml } from '../../../src/report/index.ts'
import { type FixtureName, HOSTILE, reportOf, STATES } from './fixtures.ts'

const names = Object.keys(STATES) as FixtureName[]
const page = (name: FixtureName): string => RENDERERS.html.render(reportOf(name))

test('the page of pairs escapes their texts, and is readable without its script', () => {
  const text = `<img src="x">&</script>`
  const rows = [['', text, 'B', '1', '2', `r${'0'.repeat(32)}`, `r${'1'.repeat(32)}`]]
  const names = ['decision', 'name', 'name 2', 'rows', 'rows 2', 'key', 'key 2']
  const html = renderPairs(
    { list: text, file: 'p.csv', fields: ['name'], names, rows, others: [[]] },
    { name: 'fettle', version: '0' },
  )
  expect(html).not.toContain('<img')
  expect(html.match(/<script/g)).toHaveLength(2)
  expect(html).toContain('&lt;img src=')
  const json = /<script type="application\/json" id="pairs-data">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? ''
  expect(JSON.parse(json)).toMatchObject({ list: text, rows })
  expect(html.replace(/<script[\s\S]*/, '')).toContain('1 to decide.')
})

describe('the report page', () => {
  it('contains the digest of its style sheet (STYLE_SHA256 in src/report/html/style.ts)', () => {
    const text = page('running')
    const sheet = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const digest = createHash('sha256').update(sheet).digest('base64')
    expect(/sha256-([^']*)'/.exec(text.replaceAll('&#39;', "'"))?.[1]).toBe(digest)
  })

  it('contains the digest of its script, which is built from page/ (node scripts/page.mjs)', () => {
    const text = page('finished')
    const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? ''
    expect(text.replaceAll('&#39;', "'")).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    expect(text.match(/<script/g)).toHaveLength(2)
  })

  it('gives its script the rows as data that cannot end their element', () => {
    const json = /<script type="application\/json" id="rows">([\s\S]*?)<\/script>/.exec(page('hostile'))?.[1] ?? ''
    expect(json).not.toMatch(/[<\u0080-\u009f\u2028\u202e]/)
    const { rows, mappings } = JSON.parse(json)
    expect([rows.length, mappings[0], rows[0][5][0]]).toEqual([HOSTILE.length, 'name', HOSTILE[0]])
  })

  it('shows how many rows are omitted, and includes all without a size limit', () => {
    const report = reportOf('finished')
    const [sample] = report.results[0]?.review ?? []
    const rows = Array.from({ length: 9_000 }, (_, n) => ({
      ...sample!,
      row: n + 1,
      fingerprint: `r${String(n).padStart(32, '0')}`,
    }))
    const text = RENDERERS.html.render(report, rows)
    expect(text.length).toBeLessThan(5_000_000)
    expect(text).toMatch(/The first [\d,]+ of 9,000 rows: more would make the page too large to mail/)
    expect(renderHtml(report, rows, [], Number.POSITIVE_INFINITY)).not.toContain('too large to mail')
  })

  it.each(names)('%s holds no script but its own, no inline style, no event handler and no address to load', name => {
    const text = page(name).replace(/<script( type="application\/json" id="rows")?>[\s\S]*?<\/script>/g, '')
    const tags = text.match(/<[a-z][^>]*>/gi) ?? []
    expect(
      tags.filter(tag => /^<(script|img|iframe|link|object|embed|base|form|audio|video|source|a href="(?!#|\.\.\/))/i.test(tag)),
    ).toEqual([])
    expect(tags.filter(tag => /\s(style|on\w+|src|srcset|action)=/i.test(tag.replace(/"[^"]*"/g, '""')))).toEqual([])
  })

  it('is small for a small report', () => {
    expect(page('running').length).toBeLessThan(60_000)
    expect(page('skipped').length).toBeLessThan(60_000)
  })

  it('stays under 5 MB with any rows, and names what is omitted', () => {
    const state = STATES.finished()
    const cells = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, '"<&>'.repeat(500)]))
    const samples = Array.from(
      { length: 4_000 },
      (_, i): RowSample => ({
        row: i + 1,
        line: null,
        key: null,
        outcome: i % 2 === 0 ? 'review' : 'unmatched',
        score: 0.5,
        why: 'x'.repeat(10_000),
        cells,
        candidate: { id: 'i'.repeat(10_000), name: 'n'.repeat(10_000) },
        ...{ reason: '', fingerprint: 'r', candidates: [], decision: null },
      }),
    )
    const jobs = state.jobs.map(job => ({
      ...job,
      history: Array.from({ length: 50_000 }, () => ({ status: 's', at: state.startedAt })),
    }))
    const text = RENDERERS.html.render(buildReport({ ...state, samples, jobs }, { generatedAt: state.startedAt, elapsedMs: 1 }))
    expect(text.length).toBeLessThan(5_000_000)
    expect(text).toContain('the rest would make the page too large')
    expect(text).toContain('and 49,800 more')
  })

  it.each(names)('%s has one h1, and no heading skips a level', name => {
    const levels = [...page(name).matchAll(/<h([1-6])/g)].map(match => Number(match[1]))
    expect(levels.filter(level => level === 1)).toHaveLength(1)
    levels.reduce((before, level) => {
      expect(level - before).toBeLessThanOrEqual(1)
      return level
    }, 0)
  })
})
