/** The page about several pipelines: the worst first, each with its figures and the way to its own page; nothing foreign is markup. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { issue } from '../../../src/errors.ts'
import { type PipelineResult, renderIndex } from '../../../src/report/index.ts'
import { HOSTILE, reportOf } from './fixtures.ts'

const tool = { name: 'fettle', version: '0.1.0' }
const linkOf = ({ metadata: { runId } }: { metadata: { runId: string } }): string => `${runId}/report.html`
const REFUSED: PipelineResult = {
  name: 'broken.yml',
  exitCode: 2,
  issues: Array.from({ length: 7 }, (_, n) => issue('FETTLE_USAGE', `problem ${n}`)),
}
const told = [reportOf('finished'), REFUSED, reportOf('pausedAtMatch')]
const page = renderIndex(told, { tool, linkOf })

test('what went wrong comes first, each with its verdict and the way to its page', () => {
  const heads = [...page.matchAll(/<h3>(?:<a href="([^"]*)">)?([^<]*)/g)].map(([, link, name]) => [name?.trim(), link])
  const [finished, , paused] = told.map(one => ('schema' in one ? linkOf(one) : undefined))
  expect(heads).toEqual([
    ['broken.yml', undefined],
    ['nightly-suppliers', finished],
    ['nightly-suppliers', paused],
  ])
  expect(page).toContain('<title>Error: 3 pipelines</title>')
  expect(page).toMatch(/problem 4[\s\S]*and 2 more/)
  expect(page).not.toContain('problem 5')
  expect(page).toContain('85.1% matched')
  expect(page).toMatch(/fettle resume nightly-suppliers-\S+</)
})

test('it has no script, allows none, and its style sheet is the one it allows', () => {
  const sheet = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? ''
  expect(page.replaceAll('&#39;', "'")).toContain(
    `style-src 'sha256-${createHash('sha256').update(sheet).digest('base64')}'; script-src 'none'`,
  )
  expect(page).not.toContain('<script')
})

test('foreign text stays text, in addresses too', () => {
  const plain = new Set(page.match(/<[a-z]+/g))
  for (const hostile of HOSTILE) {
    const refusal: PipelineResult = { name: hostile, exitCode: 2, issues: [issue('FETTLE_USAGE', hostile, { hint: hostile })] }
    const text = renderIndex([refusal, reportOf('hostile')], { tool, linkOf: () => 'a"><script>/report.html' })
    expect([...new Set(text.match(/<[a-z]+/g))].filter(tag => !plain.has(tag) && tag !== '<br')).toEqual([])
    expect(text).toContain('href="a&quot;&gt;&lt;script&gt;/report.html"')
  }
})

test('of refusals alone there are no numbers', () => {
  expect(renderIndex([REFUSED], { tool, linkOf })).not.toContain('class="numbers"')
})
