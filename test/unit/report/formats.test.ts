/** What each text format promises beyond its golden files. */

import { describe, expect, it } from 'vitest'
import { type ChangeCause, noChanges, type RowSample } from '../../../src/model/results.ts'
import { buildReport, RENDERERS, renderText } from '../../../src/report/index.ts'
import { type FixtureName, reportOf, STATES } from './fixtures.ts'

const names = Object.keys(STATES) as FixtureName[]

/** The elements of an XML text in order of their end; throws when it is not well formed. */
function elementsOf(xml: string): string[] {
  const open: string[] = []
  const closed: string[] = []
  const rest = xml
    .replace(/^<\?xml [^?]*\?>\n/, '')
    .replace(/<(\/?)([a-z-]+)((?: [a-zA-Z]+="[^"<]*")*)(\/?)>/g, (_, end: string, name: string, __, empty: string) => {
      if (end === '' && empty === '') open.push(name)
      else if (empty === '/') closed.push(name)
      else if (open.pop() === name) closed.push(name)
      else throw new Error(`</${name}> closes nothing`)
      return ''
    })
  if (/[<>]|&(?!(?:lt|gt|amp|quot|#3[59]);)/.test(rest)) throw new Error(`stray markup: ${rest}`)
  if (open.length > 0) throw new Error(`never closed: ${open.join(' ')}`)
  return closed
}

describe('JUnit', () => {
  it.each(names)('%s is well formed, of JUnit elements only, without a character XML forbids', name => {
    const xml = RENDERERS.junit.render(reportOf(name))
    const allowed = ['testsuites', 'testsuite', 'testcase', 'properties', 'property', 'failure', 'error', 'skipped', 'system-out']
    expect(elementsOf(xml).filter(element => !allowed.includes(element))).toEqual([])
    expect(xml).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
    expect(xml).not.toContain(']]>')
  })

  it.each(names)('%s: the counts match its cases', name => {
    const xml = RENDERERS.junit.render(reportOf(name))
    const elements = elementsOf(xml)
    const number = (element: string): number => elements.filter(one => one === element).length
    expect(xml).toContain(
      `<testsuites name="fettle" tests="${number('testcase')}" failures="${number('failure')}" errors="${number('error')}" time=`,
    )
    expect(xml).toContain(` errors="${number('error')}" skipped="${number('skipped')}" time=`)
  })

  it('a check that was not met is a failure, what could not be done is an error', () => {
    expect(elementsOf(RENDERERS.junit.render(reportOf('failedAtUpload'))).filter(name => name === 'error')).toHaveLength(1)
    expect(RENDERERS.junit.render(reportOf('finished'))).toContain('warning: matched')
    expect(RENDERERS.junit.render(reportOf('pausedAtMatch'))).toContain(
      'Resume with: fettle resume nightly-suppliers-20251120-021701-k3f9',
    )
  })
})

describe('Markdown', () => {
  const rows = (cells: number): RowSample[] =>
    Array.from({ length: 40 }, (_, i) => ({
      row: i + 1,
      line: null,
      key: null,
      outcome: i < 20 ? 'review' : 'unmatched',
      score: 0.5,
      why: 'name 0.5',
      cells: Object.fromEntries(Array.from({ length: cells }, (_, j) => [`field${j}`, '<'.repeat(200)])),
      candidate: { id: 'x', name: 'y' },
      ...{ reason: '', fingerprint: '', candidates: [], decision: null },
    }))

  it.each([[10], [90], [400]])('stays under 900 KB by whole sections with %i cells a row', cells => {
    const text = RENDERERS.markdown.render(
      buildReport({ ...STATES.finished(), samples: rows(cells) }, { generatedAt: '', elapsedMs: 0 }),
    )
    expect(Buffer.byteLength(text)).toBeLessThan(900_500)
    expect(text.match(/<details>/g)?.length ?? 0).toBe(text.match(/<\/details>/g)?.length ?? 0)
    expect(text.includes('Left out for length')).toBe(cells > 10)
    for (const line of text.split('\n').filter(one => one.startsWith('|'))) expect(line.endsWith(' |')).toBe(true)
  })

  it.each(names)('%s: headings begin at ###, tables are as wide as their head', name => {
    const lines = RENDERERS.markdown.render(reportOf(name)).split('\n')
    expect(lines.filter(line => /^#{1,2} /.test(line))).toEqual([])
    let width = 0
    for (const line of lines) {
      const bars = line.startsWith('|') ? line.replaceAll('\\|', '').split('|').length : 0
      if (bars > 0 && width > 0) expect(bars).toBe(width)
      width = bars
    }
  })
})

describe('changes since the last good run', () => {
  const counts = { ...noChanges(), new: 1_200, moved: 3 }
  const place = (id: string) => ({ outcome: 'matched', company: { id, name: `Company ${id}` } })
  const causes: readonly (readonly [ChangeCause, string])[] = [
    ['list', 'the list changed'],
    ['answer', 'the answer changed'],
    ['company', 'the company changed'],
    ['decision', 'a person decided'],
  ]
  const rows = causes.map(([cause], at) => ({
    ...({ kind: 'moved', cause, row: at + 1, key: `K${at}`, name: 'Acme' } as const),
    ...{ before: place('A'), after: place('B'), columns: [] },
  }))
  const state = { ...STATES.finished(), changes: { against: 'earlier-run', counts, rows } }
  const report = buildReport(state, { generatedAt: '', elapsedMs: 0 })
  const figures =
    '1,200 new, 0 gone, 0 now matched, 0 lost the match, 3 another company, 0 other data, 0 another outcome, 0 decided, 0 undone'

  it('have every kind in the same order, also without a row', () => {
    expect(renderText(report, { width: 200 })).toContain(`changes         ${figures} since earlier-run\n`)
    expect(RENDERERS.markdown.render(report)).toContain(`Since \`earlier-run\`: ${figures}\n`)
    const [section = ''] = /<section aria-labelledby="changes">.*?<\/table>/s.exec(RENDERERS.html.render(report)) ?? []
    const cells = [...section.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text = '']) => text.replace(/<[^>]*>/g, ''))
    expect(cells.join(' ')).toBe(
      'Change Rows new 1,200 gone 0 now matched 0 lost the match 0 another company 3 other data 0 another outcome 0 decided 0 undone 0',
    )
  })

  it.each([['markdown'], ['html']] as const)('have the cause of each row in %s', format => {
    for (const [, words] of causes) expect(RENDERERS[format].render(report)).toContain(words)
  })
})

describe('OpenMetrics', () => {
  it.each(names)('%s: known names, numbers, and the end mark', name => {
    const lines = RENDERERS.openmetrics.render(reportOf(name)).split('\n')
    expect(lines.slice(-2)).toEqual(['# EOF', ''])
    for (const line of lines.filter(one => one !== '' && !one.startsWith('#')))
      expect(line).toMatch(/^fettle_[a-z_]+\{pipeline="[a-z0-9-]+"(,outcome="[a-zA-Z]+")?\} [\d.]+$/)
  })

  it('leaves out what is unknown', () => {
    expect(RENDERERS.openmetrics.render(reportOf('running'))).not.toMatch(/fettle_rows\{|fettle_match_ratio\{/)
  })
})

describe('text', () => {
  it.each(names)('%s fits a screen', name => {
    expect(renderText(reportOf(name)).split('\n').length).toBeLessThanOrEqual(name === 'hostile' ? 45 : 36)
  })

  it('keeps to the width where it can, and paints only when asked', () => {
    for (const line of renderText(reportOf('finished'), { width: 60 })
      .split('\n')
      .filter(one => !one.includes('fettle-runs'))) {
      expect([...line].length).toBeLessThanOrEqual(60)
    }
    const painted = renderText(reportOf('finished'), { colour: (style, text) => `<${style}>${text}</${style}>` })
    expect(painted).toMatch(/^<warn>! Done, with warnings<\/warn>/)
    expect(painted.replace(/<\/?(?:good|warn|bad|dim|bold)>/g, '')).toBe(renderText(reportOf('finished')))
  })

  it('ends a paused run with the command that goes on', () => {
    expect(renderText(reportOf('pausedAtMatch')).trimEnd().endsWith('fettle resume nightly-suppliers-20251120-021701-k3f9')).toBe(
      true,
    )
  })
})
