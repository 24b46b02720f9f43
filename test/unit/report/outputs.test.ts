/** Whole documents of hostile text, read by parsers that are not ours: only the elements, cells and lines of ours, whatever the text. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { githubAnnotations, githubOutputFile, githubOutputs, RENDERERS, type Report } from '../../../src/report/index.ts'
import { hostileReports, reportWith } from './hostile.ts'
import { judgeMarkdown } from './whole-markdown.ts'

const SCHEMA = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8')
const RUNS = 40
const each = (judge: (report: Report) => void): void =>
  fc.assert(
    fc.property(hostileReports, ({ report }) => judge(report)),
    { numRuns: RUNS, seed: 20_261_122 },
  )

test('Markdown: the elements match the same report of plain words, in number and order', () => judgeMarkdown(3))

test('JUnit: libxml2 reads it, and it has the elements of the same report of plain words', async () => {
  const cases = fc.sample(hostileReports, { numRuns: RUNS, seed: 20_261_122 })
  const files = cases.map(({ report }, at) => ({ fileName: `${at}.xml`, contents: RENDERERS.junit.render(report) }))
  expect((await validateXML({ xml: files, schema: [SCHEMA] })).errors).toEqual([])
  for (const [at, { texts }] of cases.entries()) {
    const plain = RENDERERS.junit.render(reportWith(texts.map(() => 'word')))
    const names = (xml: string): string[] => xml.match(/<[/?!]?[\w-]+/g) ?? []
    expect(names(files[at]!.contents)).toEqual(names(plain))
  }
})

test('OpenMetrics: each line is a comment or one sample, and the last ends it', () => {
  each(report => {
    const lines = RENDERERS.openmetrics.render(report).split('\n')
    expect(lines.splice(-2)).toEqual(['# EOF', ''])
    for (const line of lines)
      expect(line).toMatch(
        /^(?:# (?:TYPE|UNIT|HELP) fettle_\w+ .+|fettle_\w+\{pipeline="(?:[^"\\\n]|\\["\\])*"(?:,outcome="\w+")?\} [\d.]+)$/,
      )
  })
})

describe('GitHub, by the rules of its runner', () => {
  /** ActionCommand.TryParseV2 and the older form: what the runner takes a line for. */
  const commandOf = (line: string): string | null => {
    const start = line.trimStart()
    if (start.startsWith('::')) return /^::([^ :]+)(?: [^:]*)?::/.exec(start)?.[1] ?? 'broken'
    return /##\[([^\]]+)\]/.exec(line)?.[1] ?? null
  }

  test('annotations are commands of their own kind, a line each', () => {
    each(report => {
      for (const line of githubAnnotations([report], file => file)) {
        expect(line).not.toMatch(/[\r\n\u0085\u2028\u2029]/)
        expect(commandOf(line)).toMatch(/^(?:error|warning)$/)
        expect(line).not.toMatch(/##\[|##vso\[/)
      }
    })
  })

  /** FileCommandManager of the runner: the heredoc form and `name=value`, lines ended by LF or CRLF. */
  function outputsOf(text: string): Record<string, string> {
    const lines = text.replaceAll('\r\n', '\n').split('\n')
    const found: Record<string, string> = {}
    for (let at = 0; at < lines.length; at++) {
      const line = lines[at]!
      if (line === '') continue
      const equals = line.indexOf('=')
      const heredoc = line.indexOf('<<')
      if (heredoc !== -1 && (equals === -1 || heredoc < equals)) {
        const [name, end] = [line.slice(0, heredoc), line.slice(heredoc + 2)]
        const value: string[] = []
        for (at++; lines[at] !== end; at++) {
          if (at >= lines.length) throw new Error(`${name} does not end`)
          value.push(lines[at]!)
        }
        found[name] = value.join('\n')
      } else found[line.slice(0, equals)] = line.slice(equals + 1)
    }
    return found
  }

  test('outputs come back under their own names', () => {
    each(report => {
      const outputs = githubOutputs([report], 0)
      const wanted = Object.entries(outputs).map(([name, value]) => [name, value.replaceAll('\r\n', '\n')])
      expect(Object.entries(outputsOf(githubOutputFile(outputs)))).toEqual(wanted)
    })
  })
})

test('JSON, HTML and text hold no control character, and no direction mark that is not shown', () => {
  each(report => {
    for (const [name, { render: make }] of Object.entries(RENDERERS))
      expect(make(report).replaceAll('\n', ''), name).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
      )
  })
})
