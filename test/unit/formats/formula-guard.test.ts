/** Cells that a spreadsheet runs, and cells that only look so: judged by a small parser of formulas of its own. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutralise, withoutGuard } from '../../../src/formats/formula-guard.ts'
import { csvText } from '../../../src/formats/text-formats.ts'
import { runs } from '../../support/runs.ts'

const PAYLOADS = [
  '=1+1',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://x","y")',
  '+1+1',
  '-1+1',
  '-2+3+cmd|calc',
  '+1-800-555-1234',
  '+44/20',
  '-(5)',
  '-Acme',
  '+A1',
  '@SUM(1)',
  '\uff1d1+1',
  '\uff0b1+1',
  '\uff0dA1',
  '\uff20SUM(1)',
  '\ufe661',
]
const INVISIBLE = [' ', '\u00a0', '\0', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u3164', '"']
const CELL_ENDS = [';', ',', '\t', '\r', '\n']

/** Cells of lists of companies that begin as a formula does, and are none. */
const ORDINARY = [
  ...[
    '-',
    '--',
    ' - ',
    '+',
    '=',
    '+/-',
    '\uff0d',
    '-5',
    '-12.50',
    '-1,234.56',
    '-1 234,50',
    '-£12.50',
    '-12.50 EUR',
    '-5%',
    '- 5',
  ],
  ...['+3.5 %', '-1e-7', '+44 20 7946 0000', '+442079460000', '+44 (0)20 7946 0000', '+1 (800) 555-1234', '+49 (0)89 / 123456'],
  ...[
    '2026-11-26',
    '26/11/2026',
    'a-b',
    'A = B',
    'x@y.com',
    '(12.50)',
    "'=1",
    '',
    'Tel: +44',
    'Smith; +44 20 7946 0000',
    'a\n- 5',
  ],
]

describe('a cell of a file for a spreadsheet', () => {
  it.each(PAYLOADS)('is text behind an apostrophe, once: %j', payload => {
    expect(neutralise(payload, ',')).toBe(`'${payload}`)
    expect(neutralise(neutralise(payload, ','), ',')).toBe(`'${payload}`)
    for (const front of INVISIBLE) expect(neutralise(front + payload, ',')).toBe(`'${front}${payload}`)
    for (const end of CELL_ENDS.filter(separator => separator !== ','))
      for (const front of ['', ...INVISIBLE])
        expect(neutralise(`Acme${end}${front}${payload}`, ',')).toBe(`Acme${end}'${front}${payload}`)
  })

  it.each(ORDINARY)('stays unchanged: %j', cell => {
    for (const delimiter of [',', ';', '\t']) expect(neutralise(cell, delimiter)).toBe(cell)
  })

  it('stays unchanged where only the delimiter of the file, which is quoted, stands before a sign', () => {
    expect(neutralise('Acme, -Foo', ',')).toBe('Acme, -Foo')
    expect(neutralise('Acme, -Foo', ';')).toBe("Acme,' -Foo")
    expect(neutralise('\t=1', '\t')).toBe("'\t=1")
  })
})

/** Whether a text after its first sign is a whole expression of more than one number: what a spreadsheet computes. */
function isComputed(text: string): boolean {
  const visible = text.normalize('NFKC').replace(/^[\s"\p{Cc}\p{Cf}\u3164]+/u, '')
  if (!/^[=+\-@]/.test(visible)) return false
  if (/^[+-]\s*[\d.,]+\s*%?\s*$/.test(visible)) return false
  const tokens = visible.match(/[\d.]+(?:[eE][+-]?\d+)?%?|[\p{L}_]+\d*|[^\s]/gu) ?? []
  let at = 0
  const operand = (): boolean => {
    while (/^[=+\-@]$/.test(tokens[at] ?? '')) at++
    if (tokens[at] === '(') {
      at++
      if (!expression() || tokens[at] !== ')') return false
      at++
      return true
    }
    if (!/^[\d.]*\d|^[\p{L}_]/u.test(tokens[at] ?? '')) return false
    const isName = /^[\p{L}_]/u.test(tokens[at++]!)
    if (!isName || tokens[at] !== '(') return true
    at++
    if (tokens[at] !== ')' && !expression()) return false
    return tokens[at++] === ')'
  }
  const expression = (): boolean => {
    if (!operand()) return false
    while (/^[+\-*/&^=<>!|:]$/.test(tokens[at] ?? '')) {
      at++
      if (!operand()) return false
    }
    return true
  }
  return expression() && at === tokens.length
}

/** The cells of a file as a spreadsheet splits it: a quote counts at the start of a cell, and an open quote is not an error. */
function splitLeniently(text: string, separator: string): string[] {
  const cells: string[] = []
  for (let at = 0; at < text.length; at++) {
    let content = ''
    if (text[at] === '"') {
      for (at++; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at++) {
        content += text[at]
        if (text[at] === '"') at++
      }
      at++
    }
    for (; at < text.length && ![separator, '\r', '\n'].includes(text[at]!); at++) content += text[at]
    cells.push(content)
  }
  return cells
}

const SEPARATORS = [',', ';', '\t']
const cell = fc.string({
  unit: fc.constantFrom(...'=+-@,;()/.%!|"\'\t\n 1205AB£é\u200b\ufeff\uff1d\uff0b'),
  maxLength: 12,
})

describe('a spreadsheet', () => {
  it('computes no cell of a file, whichever list separator it is set to', () => {
    expect(PAYLOADS.filter(payload => !isComputed(payload) && !/[|"]/.test(payload))).toEqual([])
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        // A file with tabs is imported as one.
        fc.constantFrom([',', ','], [',', ';'], [';', ','], [';', ';'], ['\t', '\t']),
        (rows, [delimiter, separator]) => {
          const guarded = rows.map(row => row.map(content => neutralise(content, delimiter!)))
          const text = csvText([['a', 'b', 'c'], ...guarded], { delimiter: delimiter!, lineEnd: '\r\n', columns: 3 })
          expect(splitLeniently(text, separator!).filter(isComputed)).toEqual([])
        },
      ),
      { numRuns: runs(2_000, 50_000) },
    )
  })

  it('gives back what was guarded, and a guarded cell twice is the same', () => {
    fc.assert(
      fc.property(cell, fc.constantFrom(...SEPARATORS), (content, delimiter) => {
        const guarded = neutralise(content, delimiter)
        expect(neutralise(guarded, delimiter)).toBe(guarded)
        fc.pre(withoutGuard(content, delimiter) === content)
        expect(withoutGuard(guarded, delimiter)).toBe(content)
      }),
      { numRuns: runs(2_000, 50_000) },
    )
  })

  it('reads a cell of two megabytes whose every line begins as a formula, and a long formula of signs', () => {
    const cell = '\n-1+1'.repeat(400_000)
    expect(withoutGuard(neutralise(cell, ','), ',')).toBe(cell)
    const signs = `=${'-'.repeat(300)}1+1`
    expect(neutralise(signs, ',')).toBe(`'${signs}`)
  })
})
