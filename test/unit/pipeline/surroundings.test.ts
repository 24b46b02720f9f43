/** Lines around a table: titles, group rows, totals and remarks, in delimited text and in sheets. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { skippedRows, surroundingsOf } from '../../../src/pipeline/index.ts'
import type { EdgeLine } from '../../../src/pipeline/model/types.ts'

const HEADER = ['Company No', 'Company name', 'Street', 'Town', 'Postcode', 'Country', 'Spend']
const row = (at: number): string[] => [
  String(2971930 + at),
  `Firm ${at} Ltd`,
  `${at} High Street`,
  'York',
  'YO1 7HH',
  'United Kingdom',
  `${at}.50`,
]
const ROWS = Array.from({ length: 12 }, (_, at) => row(at))
/** As in a sheet: every line has all columns. */
const padded = (cells: readonly string[]): string[] => HEADER.map((_, at) => cells[at] ?? '')
const at = (places: Readonly<Record<number, string>>): string[] => HEADER.map((_, index) => places[index] ?? '')

const found = (lines: readonly (readonly string[])[], isAll = true) => {
  const edges = lines.map((cells): EdgeLine => ({ cells, lines: 1 }))
  const { head, tail } = surroundingsOf(
    { first: edges.slice(0, 40), last: edges.slice(-40), isAll, file: 'a.csv', skipped: { above: [], below: [], belowAt: 0 } },
    true,
  )
  return [head, tail]
}

const ABOVE = [['Supplier list 2026'], [''], at({ 0: 'Identity', 2: 'Address', 6: 'Money' })]
/** As a merged cell is read: its value is in both lines. */
const GROUPS = [...HEADER.slice(0, 2), 'Address', '', '', 'Country', 'Spend']
const BELOW = [at({ 0: 'Total', 6: '1234.50' }), [], ['End of report']]

describe.each([
  ['text', (cells: readonly string[]) => [...cells]],
  ['a sheet', padded],
] as const)('lines around a table in %s', (_, write) => {
  test.each<[string, string[][], string[][], [number, number]]>([
    ['nothing', [], [], [0, 0]],
    ['a title', [['Suppliers']], [], [1, 0]],
    ['a title, a blank line and groups', ABOVE, [], [3, 0]],
    [
      'groups whose name is in every column',
      [['Identity', 'Identity', 'Address', 'Address', 'Address', 'Address', 'Money']],
      [],
      [1, 0],
    ],
    [
      'groups whose name is known, and in every column',
      [['Number', 'Company', 'Address', 'Address', 'Address', 'Address', 'Amount']],
      [],
      [1, 0],
    ],
    ['groups above a part of the header, the rest of it merged over both lines', [GROUPS], [], [1, 0]],
    ['a title and such groups', [['Suppliers'], [''], GROUPS], [], [3, 0]],
    ['a total', [], [at({ 1: 'Total', 6: '1234.50' })], [0, 1]],
    ['a total and a remark', [], BELOW, [0, 3]],
    ['both', ABOVE, BELOW, [3, 3]],
    ['a sum in German', [], [[], at({ 0: 'Summe', 6: '1234,50' })], [0, 2]],
    ['a remark apart from the rows', [], [[], ['Alle Angaben ohne Gewähr']], [0, 2]],
    ['a company that begins with Total, at a town only', [], [at({ 1: 'Total Gas Ltd', 5: 'United Kingdom' })], [0, 0]],
    ['blank lines below', [], [[], [], []], [0, 0]],
    ['a company that is called Total', [], [['1', 'Total', '1 Rue X', 'Paris', '75001', 'France', '3.10']], [0, 0]],
  ])('%s', (_, above, below, expected) => {
    expect(found([...above, HEADER, ...ROWS, ...below].map(write))).toEqual(expected)
  })

  test('a last company with nothing but a name stays a row', () => {
    expect(found([HEADER, ...ROWS, at({ 1: 'Acme Ltd' })].map(write))).toEqual([0, 0])
  })

  test('any number of them, with any rows between', () => {
    const title = fc.constantFrom(['Report'], ['List of suppliers, as of May'], [''])
    const remark = fc.constantFrom(['Total'], ['Summe'], ['Grand total'], ['End of report'])
    fc.assert(
      fc.property(
        fc.array(title, { maxLength: 5 }),
        fc.integer({ min: 4, max: 60 }),
        fc.array(remark, { maxLength: 4 }),
        (above, count, below) => {
          const rows = Array.from({ length: count }, (_, index) => row(index))
          const lines = [...above, HEADER, ...rows, ...below].map(write)
          expect(found(lines, lines.length <= 40)).toEqual([above.length, below.length])
        },
      ),
    )
  })
})

describe('lists of two or three columns', () => {
  const few = (...columns: ((at: number) => string)[]): string[][] => ROWS.map((_, index) => columns.map(one => one(index)))
  const firm = (index: number): string => `Firm ${index} Ltd`
  const COUNTRIES = [['Name', 'Country'], ...few(firm, () => 'GB')]
  const SPEND = [['Name', 'Spend'], ...few(firm, index => `1,${100 + index}.50`)]
  const THREE = [['Name', 'Country', 'Spend'], ...ROWS.map((_, index) => [firm(index), 'GB', `${index}`])]
  const NUMBERS = [['Name', 'Company No'], ...few(firm, index => `${2971930 + index}`)]

  test.each<[string, string[][], string[][], number]>([
    ['a count of the rows', COUNTRIES, [['Total', '12']], 1],
    ['a total with another delimiter, and a remark', COUNTRIES, [['Total;12'], ['Printed 2026-11-01']], 2],
    ['a remark after a blank line', COUNTRIES, [[], ['Alle Angaben ohne Gewähr']], 2],
    ['a sum', SPEND, [['Total', '13,272.00']], 1],
    ['a sum in German', SPEND, [['Summe', '13.272,00 €']], 1],
    ['a sum in the last of three columns', THREE, [['Total', '', '66']], 1],
    ['a company that is called Total', NUMBERS, [['Total', '2971942']], 0],
    ['a company that is called Total, in a country', COUNTRIES, [['Total', 'FR']], 0],
    ['a company that is called Total, with a small amount', SPEND, [['Total', '12.50']], 0],
    ['a last company without a country', COUNTRIES, [['Acme Ltd', '']], 0],
    ['a last line without a delimiter, which may be a company', COUNTRIES, [['Acme Ltd']], 0],
  ])('%s', (_, table, below, tail) => {
    expect(found([...table, ...below])).toEqual([0, tail])
  })
})

test('a table with headers that no list of words has begins at its first line', () => {
  expect(found([['qid', 'foo', 'bar'], ...Array.from({ length: 9 }, (_, n) => [`Q${n}`, 'a', 'b'])])).toEqual([0, 0])
  expect(found([['Acme Ltd', 'Name', 'GB'], ...Array.from({ length: 9 }, (_, n) => [`Firm ${n}`, 'York', 'GB'])])).toEqual([0, 0])
})

describe('a skipped line looks like a row', () => {
  const edgeLines = (lines: readonly (readonly string[])[]): EdgeLine[] => lines.map(cells => ({ cells, lines: 1 }))
  const lost = (
    above: readonly (readonly string[])[],
    table: readonly (readonly string[])[],
    below: readonly (readonly string[])[],
  ) => {
    const [lines, belowAt] = [edgeLines(table), above.length + table.length + 1]
    const edges = { file: 'a.csv', first: lines.slice(0, 40), last: lines.slice(-40), isAll: true }
    return skippedRows(
      { ...edges, skipped: { above: edgeLines(above), below: edgeLines(below), belowAt } },
      { hasHeader: true, isTailFound: false, rows: table.length - 1 },
    )
  }
  const GROUPS = at({ 0: 'Identity', 2: 'Address', 6: 'Money' })
  const SUM = [at({ 1: 'Total', 6: '1234.50' }), ['Total', '12', '', '', '12', '12', '1234.50'], ['End of report']]

  test.each<[string, string[][], string[][], string[][], number[]]>([
    ['with as many cells as one, below the last', [], [HEADER, ...ROWS], [row(20), ...SUM], [14]],
    ['more than once', [], [HEADER, ...ROWS], [row(20), row(21), [], row(22)], [14, 15, 17]],
    ['above the header', [row(20)], [HEADER, ...ROWS], [], [1]],
    ['where the header itself is skipped', [['Suppliers'], HEADER], [...ROWS], [], [2]],
  ])('%s', (_, above, table, below, expected) => {
    expect(lost(above, table, below).map(({ line }) => line)).toEqual(expected)
  })

  test('unless it is a title, a group row, a header in another language, a total or a remark', () => {
    expect(lost([['Suppliers'], [], GROUPS, HEADER.map(name => `${name} (de)`)], [HEADER, ...ROWS], SUM)).toEqual([])
  })
})

describe('with `auto`, a line below the last row is skipped in silence only if no company can be in it', () => {
  const FIVE = ['Name', 'Number', 'Street', 'Town', 'Country']
  const firms = (count: number): string[][] =>
    Array.from({ length: count }, (_, at) => [`Firm ${at} Ltd`, `${20_000_001 + at}`, `Street ${at}`, 'York', 'GB'])
  const SPENT = [['Name', 'Town', 'Spend'], ...Array.from({ length: 8 }, (_, at) => [`Firm ${at}`, 'York', `1,${100 + at}.50`])]
  const edgeLines = (lines: readonly (readonly string[])[]): EdgeLine[] => lines.map(cells => ({ cells, lines: 1 }))

  /** The last of these lines are skipped as `auto` skips them: how many rows are left, and the skipped lines that are shown. */
  const read = (lines: readonly (readonly string[])[]) => {
    const all = edgeLines(lines)
    const edges = { file: 'a.csv', first: all.slice(0, 40), last: all.slice(-40), isAll: lines.length <= 40 }
    const { tail } = surroundingsOf({ ...edges, skipped: { above: [], below: [], belowAt: 0 } }, true)
    const table = all.slice(0, all.length - tail)
    const skipped = { above: [], below: all.slice(table.length), belowAt: table.length + 1 }
    const cut = { file: 'a.csv', first: table.slice(0, 40), last: table.slice(-40), isAll: table.length <= 40, skipped }
    return { rows: table.length, refused: skippedRows(cut, { hasHeader: true, isTailFound: true, rows: table.length - 1 }) }
  }
  const isSilent = (lines: readonly (readonly string[])[], at: number): boolean => {
    const { rows, refused } = read(lines)
    return at >= rows && !refused.some(({ line }) => line === at + 1)
  }

  test.each<[string, string[][], string[]]>([
    ['a total with its sum', SPENT, ['Total', '', '8,832.00']],
    ['a total by itself', firms(8), ['Total', '', '', '', '']],
    ['a total in another language', firms(8), ['Razem:', '', '', '', '']],
    ['a total and the count of the rows', firms(8), ['Total', '', '8', '', '']],
    ['a total in one cell', firms(8), ['Total: 8 rows', '', '', '', '']],
    ['a day of a report', firms(8), ['Report generated on 2026-11-01 10:15', '', '', '', '']],
    ['a day in words', firms(8), ['Printed on 1 November 2026', '', '', '', '']],
    ['a day in German', firms(8), ['Stand: 01.11.2026']],
    ['a page', firms(8), ['Page 1 of 3']],
    ['the end of a report', firms(8), ['*** End of report ***', '', '', '', '']],
    ['a source', firms(8), ['Source: SAP', '', '', '', '']],
    ['a count', firms(8), ['(8 rows)', '', '', '', '']],
  ])('skipped: %s', (_, table, line) => {
    const rows = table[0]!.length === 5 ? [FIVE, ...table] : table
    expect(read([...rows, [], line])).toEqual({ rows: rows.length, refused: [] })
    expect(read([...rows, line])).toEqual({ rows: rows.length, refused: [] })
  })

  test.each<string[]>([
    ['Total Energies Ltd', '', '', '', ''],
    ['Total Energies', '', '', '', ''],
    ['Total Produce plc', '20000185', '', '', ''],
    ['Total', '20000185', '', '', ''],
    ['Total', '', '', '', 'FR'],
    ['Total', '', '', '75001', ''],
    ['Total', '', '', 'Paris', ''],
    ['Summe & Sohn GmbH', '', '', '', ''],
    ['Note Printing Australia', '', '', '', ''],
    ['Source Supply', '', '', '', ''],
    ['Page Group plc', '', '', '', ''],
    ['Page 1 Books', '', '', '', ''],
    ['Printed 4 You', '', '', '', ''],
    ['Report Generated Media', '', '', '', ''],
    ['Confidential', '', '', '', ''],
    ['End of Line Clothing', '', '', '', ''],
    ['37 Records', '', '', '', ''],
    ['Prepared by Grace', '', '', '', ''],
    ['Lantern Mill Ltd', '', '', '', ''],
    ['Lantern Mill Ltd'],
    ['20000185'],
  ])('not skipped in silence: %s', (...line) => {
    for (const count of [1, 2, 3, 8, 60])
      for (const below of [[], [['Total', '', '', '', '']], [[], ['End of report']]])
        for (const between of [[], [['', '', '', '', '']]]) {
          const lines = [FIVE, ...firms(count), ...between, line, ...below]
          expect(isSilent(lines, 1 + count + between.length)).toBe(false)
        }
  })

  test('counts the lines below such a line: to skip as many reads it as a row', () => {
    const { refused } = read([FIVE, ...firms(8), [], ['Lantern Mill Ltd'], ['Total'], ['Page 1 of 1']])
    expect(refused).toEqual([{ line: 11, text: '"Lantern Mill Ltd"', below: 2 }])
  })

  test('a company with nothing but a name is never skipped in silence', () => {
    const companies = ['suppliers', 'register', 'clean'].flatMap(name => {
      const [, ...rows] = parse(readFileSync(`samples/${name}.csv`), { bom: true }) as string[][]
      return rows.map(cells => cells[1]!)
    })
    const words = fc.constantFrom(...['', 'Total', 'Page', 'Source', 'Note', 'Report', 'Grand Total', 'Summe', 'Printed'])
    const below = fc.array(fc.constantFrom([], ['', '', '', '', ''], ['Total'], ['Total', '', '', '', ''], ['Page 1 of 1']), {
      maxLength: 3,
    })
    const count = fc.integer({ min: 1, max: 50 })
    fc.assert(
      fc.property(
        fc.constantFrom(...companies),
        words,
        fc.boolean(),
        fc.boolean(),
        below,
        count,
        (company, word, blank, short, after, rows) => {
          const line = short ? [`${word} ${company}`] : [`${word} ${company}`, '', '', '', '']
          const lines = [FIVE, ...firms(rows), ...(blank ? [[]] : []), line, ...after]
          expect(isSilent(lines, lines.length - after.length - 1)).toBe(false)
        },
      ),
      { numRuns: 500 },
    )
  })
})
