/** A whole report as GitHub's Markdown, read by a parser that is not ours. */
import fc from 'fast-check'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { expect } from 'vitest'
import { RENDERERS } from '../../../src/report/index.ts'
import { hostileReports, reportWith } from './hostile.ts'

const render = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })
/** The tags of some HTML in order, comments left out. */
const tagsOf = (html: string): string[] => html.replace(/<!--[\s\S]*?-->/g, '').match(/<\/?[a-z][^>]*>/gi) ?? []

const KNOWN = 'p h3 h4 table thead tbody tr th td code strong em ul li details summary'.split(' ')
/** Elements whose number and order no text may change. */
const FRAME = /^<\/?(?:h\d|table|tr|td|th|details|summary)>/

/** Fails for a report in which a text became an element, an attribute, a row or a heading. */
export function judgeMarkdown(numRuns: number): void {
  fc.assert(
    fc.property(hostileReports, ({ report, texts }) => {
      const seen = tagsOf(render(RENDERERS.markdown.render(report)))
      const plain = tagsOf(render(RENDERERS.markdown.render(reportWith(texts.map(() => 'word')))))
      expect(seen.filter(tag => !/^<\/?\w+>$/.test(tag) || !KNOWN.includes(tag.replace(/\W/g, '')))).toEqual([])
      expect(seen.filter(tag => FRAME.test(tag))).toEqual(plain.filter(tag => FRAME.test(tag)))
    }),
    { numRuns, seed: 20_261_122, endOnFailure: true },
  )
}
