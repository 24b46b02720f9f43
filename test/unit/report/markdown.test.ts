/** S17: what GitHub makes of hostile text in a Markdown report, by a real parser: text, and nothing else. */
import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { expect, it } from 'vitest'
import { escapeMarkdown, markdownCell, markdownCode, plain } from '../../../src/report/formats/escape.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'
import { HOSTILE } from './fixtures.ts'

const render = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })

/** The text a reader sees, once the elements named are gone; whatever is left of another would show. */
const textOf = (html: string, elements: string): string =>
  html
    .replaceAll('<!-- -->', '')
    .replace(new RegExp(`</?(?:${elements})>\\n?`, 'g'), '')
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? '')

/** Markdown folds spaces, at the ends and at line ends. */
const folded = (text: string): string => text.replace(/[ \t]+/g, ' ').trim()

const charged = fc
  .array(
    fc.oneof(fc.constantFrom(...HOSTILE, ...'<>&"\'`*_[]()|\\~$#@:/!-+.=1 '), fc.string({ unit: anyCharacter, maxLength: 4 })),
  )
  .map(parts => parts.join(''))

it('a sentence holds hostile text as text', () => {
  fc.assert(
    fc.property(charged, text => {
      const seen = textOf(render(`Company ${escapeMarkdown(text)} was found.`), 'p')
      expect(folded(seen)).toBe(folded(`Company ${plain(text)} was found.`))
    }),
    { numRuns: runs(200, 1000) },
  )
})

it('a table keeps its cells, and each holds its own text', () => {
  fc.assert(
    fc.property(charged, charged, (one, two) => {
      const cells = [markdownCell(escapeMarkdown(one)), markdownCell(markdownCode(two))]
      const html = render(`| text | code |\n|---|---|\n| x ${cells[0]} | y ${cells[1]} |\n`)
      const found = [...html.matchAll(/<td>(.*?)<\/td>/gs)].map(([, inner = '']) => folded(textOf(inner, 'code')))
      expect(found).toHaveLength(2)
      expect(found[0]).toBe(folded(`x ${plain(one)}`))
      expect(html.match(/<(?!\/|!-- )[a-z]+/g)).toEqual([
        '<table',
        '<thead',
        '<tr',
        '<th',
        '<th',
        '<tbody',
        '<tr',
        '<td',
        '<td',
        '<code',
      ])
    }),
    { numRuns: runs(200, 1000) },
  )
})
