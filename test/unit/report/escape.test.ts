/** Each format's escape: what comes out cannot act, and nothing but the unprintable is lost. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clip,
  escapeHtml,
  escapeLabel,
  escapeMarkdown,
  escapeTerminal,
  escapeXml,
  markdownCell,
  markdownCode,
  plain,
  safeJson,
} from '../../../src/report/formats/escape.ts'
import { html } from '../../../src/report/html/markup.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { HOSTILE } from './fixtures.ts'

/** Text rich in the characters that matter to some format. */
const charged = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE, ...'<>&"\'`*_[]()|\\~$#@:/{}\u001b\u009b\u0007\r\n\u202e\ud800\udfff%;'),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
    ),
  )
  .map(parts => parts.join(''))

const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/u

/** What a reader of HTML or XML makes of escaped text. */
const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#35;', '#')
    .replaceAll('&amp;', '&')

describe('plain', () => {
  it('is one line of printable characters, and saying it twice changes nothing', () => {
    fc.assert(
      fc.property(charged, text => {
        expect(plain(text)).not.toMatch(UNPRINTABLE)
        expect(plain(plain(text))).toBe(plain(text))
      }),
    )
  })

  it('keeps what people write', () => {
    for (const text of ['Müller & Söhne GmbH', '株式会社 良品計画', 'Łódź “S.A.”', 'naïve 👩‍👩‍👧 emoji', 'שלום'])
      expect(plain(text)).toBe(text)
  })

  it.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]0;title\u0007x', 'x'],
    ['\u009b31mred', 'red'],
    ['a\r\nb', 'a b'],
    ['\u001b]8;;http://never.ends', '8;;http://never.ends'],
    ['\u001b[never ends', 'ever ends'],
    ['a\u202eb', 'a⟦U+202E⟧b'],
  ])('%j becomes %j', (from, to) => expect(plain(from)).toBe(to))
})

it('plain takes no more than linear time over anything that begins a sequence', () => {
  for (const start of ['\u001b]', '\u009d', '\u001b[', '\u009b', '\u001b ', '\u001bP', '\r'])
    expect(plain(start.repeat(200_000)).length).toBeLessThan(400_001)
})

it('clip cuts by characters and never in the middle of one', () => {
  fc.assert(
    fc.property(charged, fc.integer({ min: 1, max: 30 }), (text, limit) => {
      const cut = clip(text, limit)
      expect([...cut].length).toBeLessThanOrEqual(limit)
      expect(cut).not.toMatch(/\p{Surrogate}/u)
      if ([...plain(text)].length <= limit) expect(cut).toBe(plain(text))
    }),
  )
})

it('HTML and XML: no markup comes out, and the reader sees the text', () => {
  fc.assert(
    fc.property(charged, text => {
      for (const escaped of [escapeHtml, escapeXml]) {
        expect(escaped(text)).not.toMatch(/[<>"']|&(?!(?:lt|gt|amp|quot|#3[59]);)/)
        expect(unescaped(escaped(text))).toBe(plain(text))
      }
      expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`)
    }),
  )
})

it('html`…` takes an object that only looks like markup for text', () => {
  const forged = { text: '<script>' } as never
  expect(() => html`${forged}`.text).toThrow()
  expect(html`${JSON.stringify({ text: '<b>' })}`.text).not.toContain('<b>')
})

it('Markdown: every active character is escaped, no address links itself, and the reader sees the text', () => {
  fc.assert(
    fc.property(charged, text => {
      const out = escapeMarkdown(text)
      const bare = out
        .replaceAll('<!-- -->', '')
        .replace(/\\[\\`*_{}[\]~$]/g, '')
        .replace(/&(?:lt|gt|amp);/g, '')
      expect(bare).not.toMatch(/[\\`*_{}[\]~$<>&]/)
      expect(out).not.toMatch(/:\/\/(?!<!-- -->)|@(?!<!-- -->)|#(?!<!-- -->)|www\./i)
      expect(unescaped(out.replaceAll('<!-- -->', '').replace(/\\([\\`*_{}[\]~$])/g, '$1'))).toBe(plain(text))
    }),
  )
})

it('Markdown: a cell stays one cell, a code span ends where it should', () => {
  fc.assert(
    fc.property(charged, text => {
      expect(markdownCell(escapeMarkdown(text)).replaceAll('\\|', '')).not.toContain('|')
      const code = markdownCode(text)
      const fence = /^`+/.exec(code)?.[0] ?? ''
      const runs = code.slice(fence.length, -fence.length).match(/`+/g) ?? []
      expect(code.endsWith(fence)).toBe(true)
      expect(runs).not.toContain(fence)
    }),
  )
})

it('terminal: no control character, no log command', () => {
  fc.assert(
    fc.property(charged, text => {
      expect(escapeTerminal(text)).not.toMatch(UNPRINTABLE)
      expect(escapeTerminal(text)).not.toMatch(/(^|\s)::|##\[|##vso\[/i)
    }),
  )
})

it('OpenMetrics: quotes and backslashes of a label are escaped, it holds no line end', () => {
  fc.assert(
    fc.property(charged, text => {
      const out = escapeLabel(text)
      expect(out.replace(/\\["\\]/g, '')).not.toMatch(/["\\\n]/)
      expect(out.replace(/\\(["\\])/g, '$1')).toBe(plain(text))
    }),
  )
})

it('JSON: the same value, harmless in a terminal and a log', () => {
  fc.assert(
    fc.property(fc.oneof(charged, fc.jsonValue()), value => {
      const out = safeJson(value)
      expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(out).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|##/)
    }),
  )
})
