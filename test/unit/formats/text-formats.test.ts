import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnName, csvText, excelText, jsonArray, jsonLines, neutralise, plainCsv } from '../../../src/formats/text-formats.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'

const payloads = [
  '=1+1',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://x","y")',
  '+1+1',
  '-1+1',
  '-5',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '\0=1',
  '\uff1d1+1',
  '\uff0b1',
  '\uff0d1',
  '\uff20SUM(1)',
]
const table = fc
  .integer({ min: 1, max: 4 })
  .chain(width =>
    fc.array(fc.array(fc.string({ unit: anyCharacter }), { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
  )

describe('csv', () => {
  it('reads back as it was: any cells, line ends in cells, lone empty cells', () => {
    const cells = fc.oneof(table, fc.constant([['\n'], [''], ['\r'], ['"']]))
    fc.assert(
      fc.property(cells, fc.constantFrom('\n', '\r\n'), fc.constantFrom(',', ';'), (rows, lineEnd, delimiter) => {
        const text = csvText(rows, { delimiter, lineEnd, columns: rows[0]!.length })
        expect(parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], skip_empty_lines: true })).toEqual(rows)
      }),
      { numRuns: runs(100, 500) },
    )
  })
})

describe('excel', () => {
  it.each(payloads)('makes text of %j, once', payload => {
    expect(neutralise(payload)).toBe(`'${payload}`)
    expect(neutralise(neutralise(payload))).toBe(`'${payload}`)
  })

  it.each(['Acme', '', ' =1', "'=1", '5', 'a-b'])('leaves %j alone', cell => {
    expect(neutralise(cell)).toBe(cell)
  })

  it('has a byte-order mark, CRLF and neutralised names; csv changes nothing', () => {
    const excel = excelText({ names: ['=name', 'b'], delimiter: ';' })
    expect(excel.head + excel.render([['=1', 'x;y']])).toBe('\ufeff\'=name;b\r\n\'=1;"x;y"\r\n')
    const csv = plainCsv({ names: ['=name', 'b'], delimiter: ',' })
    expect(csv.head + csv.render([['=1', '-5']])).toBe('=name,b\n=1,-5\n')
  })
})

describe('jsonl', () => {
  it('keeps the order of columns, makes duplicate names unique, and treats odd names as data', () => {
    const format = jsonLines({ names: ['Name', '2', '1', 'Name', '__proto__', ''] })
    expect(format.head + format.render([['a', 'b', 'c', 'd', 'e', 'f"\n']])).toBe(
      '{"Name":"a","2":"b","1":"c","Name_2":"d","__proto__":"e","COLUMN F":"f\\"\\n"}\n',
    )
  })

  it('writes one JSON object per row for any cells', () => {
    fc.assert(
      fc.property(table, rows => {
        const names = rows[0]!.map((_, at) => `c${at}`)
        const lines = jsonLines({ names }).render(rows).split('\n').slice(0, -1)
        expect(lines.map(line => Object.values(JSON.parse(line)))).toEqual(rows)
      }),
    )
  })
})

it('json is one array of the objects of jsonl, for any cells in any batches', () => {
  fc.assert(
    fc.property(table, fc.nat(5), (rows, at) => {
      const names = rows[0]!.map((_, index) => `c${index}`)
      const { head, render, end } = jsonArray({ names })
      const text = head + render(rows.slice(0, at)) + render(rows.slice(at)) + end!()
      expect(JSON.parse(text).map((row: object) => Object.values(row))).toEqual(rows)
    }),
  )
  const none = jsonArray({ names: ['a'] })
  expect(JSON.parse(none.head + none.end!())).toEqual([])
})

describe('column names', () => {
  it('are those of the service', () => {
    expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['COLUMN A', 'COLUMN Z', 'COLUMN AA', 'COLUMN ZZ', 'COLUMN AAA'])
  })
})
