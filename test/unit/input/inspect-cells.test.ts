/** Profiles of watched columns: the same as a plain reading gives, wherever the pieces are cut. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutralise } from '../../../src/formats/formula-guard.ts'
import { CellCounter, CellTap } from '../../../src/input/scan/column-profiler.ts'
import { MAX_COLUMNS, RecordScanner } from '../../../src/input/scan/record-scanner.ts'
import type { CellCounts, WatchedColumn } from '../../../src/pipeline/model/types.ts'
import { runs } from '../../support/runs.ts'

const ALL: WatchedColumn['of'] = ['profile', 'numbers', 'values', 'keys', 'formulas']

/** Counts column 1 of `text`, given to the scanner in pieces of `size` bytes. */
function counted(text: string, size: number, of: WatchedColumn['of'] = ALL, hasHeader = true): CellCounts {
  const counter = new CellCounter({ index: 1, of }, ',')
  const scanner = new RecordScanner(',', false, new CellTap([counter], hasHeader, MAX_COLUMNS))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
  scanner.end()
  return counter
}

/** The same by strings. */
function plainly(cells: readonly string[]) {
  const rowsOf = (test: (cell: string, at: number) => boolean) => cells.flatMap((cell, at) => (test(cell, at) ? [at + 1] : []))
  const told = (rows: readonly number[]) => ({ count: rows.length, rows: rows.slice(0, 3) })
  const trimmed = cells.map(cell => cell.replace(/^ +| +$/g, ''))
  const isDigits = (cell: string): boolean => /^\d+$/.test(cell)
  return {
    empty: told(rowsOf((_, at) => trimmed[at] === '')),
    notDigits: told(rowsOf((_, at) => trimmed[at] !== '' && !isDigits(trimmed[at]!))),
    exponents: told(rowsOf((_, at) => /^\d+(\.\d+)?[eE][+-]?\d+$/.test(trimmed[at]!))),
    formulas: told(rowsOf(cell => neutralise(cell, ',') !== cell)),
    repeated: told(rowsOf((_, at) => trimmed[at] !== '' && trimmed.indexOf(trimmed[at]!) < at)),
    leadingZeros: trimmed.filter(cell => isDigits(cell) && cell.startsWith('0')).length,
    eights: trimmed.filter(cell => isDigits(cell) && cell.length === 8).length,
    distinct: { count: new Set(trimmed.filter(cell => cell !== '')).size, isEstimate: false },
    examples: [...new Set(trimmed.filter(cell => cell !== ''))].slice(0, 3),
    values: new Map(trimmed.filter(cell => cell !== '').map(cell => [cell, trimmed.filter(one => one === cell).length])),
  }
}

const cell = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '   ',
    'GB',
    '01234567',
    '12345678',
    '1234567',
    '4.41E+11',
    '=1+1',
    'x;=1',
    '\u200b=1',
    '\uff1d1',
    ' -Foo',
    '+1-800-555',
    '+44',
    '-5',
    'Zürich',
    ' GB ',
    '\tx',
    'SC123456',
  ),
  fc.string({ unit: fc.constantFrom('a', '1', '0', ' ', 'E', '+', 'é', '🏭'), maxLength: 8 }),
)
const quoted = fc.boolean()

describe('cells of a watched column', () => {
  it('are counted as a plain reading counts them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, quoted), { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (rows, size) => {
        const text = `a,b,c\n${rows.map(([content, isQuoted]) => `x,${isQuoted ? `"${content}"` : content},y\n`).join('')}`
        const { empty, notDigits, exponents, formulas, repeated, leadingZeros, digits, distinct, examples, values } = counted(
          text,
          size,
        )
        expect({
          empty: { ...empty },
          notDigits: { ...notDigits },
          exponents: { ...exponents },
          formulas: { ...formulas },
          repeated: { ...repeated },
          leadingZeros,
          eights: digits[8]?.count ?? 0,
          distinct,
          examples,
          values: new Map(values.map(({ text: value, count }) => [value, count])),
        }).toEqual(plainly(rows.map(([content]) => content)))
      }),
      { numRuns: runs(100, 300) },
    )
  })

  it('are counted for blanks alone when nothing else is requested', () => {
    expect(counted('a,b\n1,x\n', 100, []).distinct).toEqual({ count: 0, isEstimate: false })
    const text = `a,b\n${['x', '', '""', '"  "', '     ', 'long cell', '" x"'].map(content => `1,${content}`).join('\n')}`
    for (const size of [1, 2, 3, 7, 1000]) expect(counted(text, size, []).empty).toEqual({ count: 4, rows: [2, 3, 4] })
  })

  it('are examples cut to sixty characters, without their quotes', () => {
    const [first, second] = counted(`a,b\n1,"${'say ""é"" '.repeat(40)}"\n2,${'🏭'.repeat(60)}\n`, 50).examples
    expect(first).toBe(`${'say "é" '.repeat(8).slice(0, 59)}…`)
    expect(second).toBe('🏭'.repeat(60))
  })

  it('are compared by their first 1,000 bytes, wherever they are cut', () => {
    const long = 'x'.repeat(1_000)
    const text = `a,b\n${[`${long}y`, `${long}z`, ` ${long}`, `"${long}"`, `${long.slice(1)}y`].map(cell => `1,${cell}\n`).join('')}`
    for (const size of [1, 7, 500, 1_003, 10_000]) expect([size, counted(text, size).distinct.count]).toEqual([size, 2])
  })

  it('include the first row of a file without header', () => {
    expect(counted('1,GB\n2,GB\n', 100, ALL, false).values).toEqual([{ text: 'GB', count: 2, rows: [1, 2] }])
  })
})
