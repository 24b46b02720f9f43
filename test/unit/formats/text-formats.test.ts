import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvText, excelText, jsonArray, jsonLines, plainCsv } from '../../../src/formats/text-formats.ts'
import { openFormat } from '../../../src/formats/writers.ts'
import { columnName, outputNames, snakeCase } from '../../../src/model/columns.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'

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
  it('has a byte-order mark, CRLF and neutralised names; csv changes nothing', () => {
    const excel = excelText({ names: ['=name', 'b'], delimiter: ';' })
    expect(excel.head + excel.render([['=1', 'x;y']])).toBe('\ufeff\'=name;b\r\n\'=1;"x;y"\r\n')
    const csv = plainCsv({ names: ['=name', 'b'], delimiter: ',' })
    expect(csv.head + csv.render([['=1', '-5']])).toBe('=name,b\n=1,-5\n')
  })
})

const orNull = (rows: readonly (readonly string[])[]) => rows.map(row => row.map(cell => (cell === '' ? null : cell)))

describe('jsonl', () => {
  it('writes numbers and truth values in columns that hold them, null for an empty cell, and any other cell as text', () => {
    const types = ['text', 'number', 'boolean'] as const
    const { render } = jsonLines({ names: ['id', 'score', 'active'], types })
    const rows = [
      ['007', '0.988', 'Y'],
      ['12', '1.000', 'N'],
      ['', '', ''],
      ['true', '007', 'perhaps'],
      ['0', '1234567890123456', 'constructor'],
      ['-', '-0.5e3', 'toString'],
    ]
    expect(render(rows).split('\n')).toEqual([
      '{"id":"007","score":0.988,"active":true}',
      '{"id":"12","score":1.000,"active":false}',
      '{"id":null,"score":null,"active":null}',
      '{"id":"true","score":"007","active":"perhaps"}',
      '{"id":"0","score":"1234567890123456","active":"constructor"}',
      '{"id":"-","score":"-0.5e3","active":"toString"}',
      '',
    ])
  })

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
        expect(lines.map(line => Object.values(JSON.parse(line)))).toEqual(orNull(rows))
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
      expect(JSON.parse(text).map((row: object) => Object.values(row))).toEqual(orNull(rows))
    }),
  )
  const none = jsonArray({ names: ['a'] })
  expect(JSON.parse(none.head + none.end!())).toEqual([])
})

it('a name that ends in .gz is packed: the same bytes for the same rows, in batches too, and any unpacker reads them', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.nat(5), fc.constantFrom('csv', 'jsonl', 'json'), async (rows, at, format) => {
      const spec = { names: rows[0]!.map((_, index) => `c${index}`), delimiter: ',', title: 'p' }
      const written = async (path: string): Promise<Buffer> => {
        const { head, render, end } = await openFormat(format, spec, path)
        const parts = [head, render(rows.slice(0, at)), render(rows.slice(at)), end?.() ?? '']
        return Buffer.concat(parts.map(part => Buffer.from(part)))
      }
      const packed = await written('a.gz')
      expect((await written('a.GZ')).equals(packed)).toBe(true)
      expect(gunzipSync(packed)).toEqual(await written('a'))
    }),
  )
})

describe('column names', () => {
  it('match the service', () => {
    expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['COLUMN A', 'COLUMN Z', 'COLUMN AA', 'COLUMN ZZ', 'COLUMN AAA'])
  })

  it('in snake_case are lower case with underscores, and begin with a letter or an underscore', () => {
    const names = ['general.connectId', 'Company Name', 'VATNumber', 'T/A', '2nd Größe', 'Łódź', '公司', ' id ', '']
    expect(names.map(snakeCase)).toEqual([
      ...['general_connect_id', 'company_name', 'vat_number', 't_a', '_2nd_grosse', 'lodz', 'column_7', 'id', 'column_9'],
    ])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(9), (name, at) => {
        expect(snakeCase(name, at)).toMatch(/^[a-z_][a-z0-9_]*$/)
      }),
    )
  })

  it('of an output are those that the pipeline names, or snake_case, each once', () => {
    const own = ['Name', 'name', 'Id']
    const columns = ['*', 'general.connectId', 'match.score']
    expect(outputNames({ columns }, own)).toEqual(['Name', 'name', 'Id', 'general.connectId', 'match.score'])
    const rename = { 'general.connectId': 'name_2' }
    expect(outputNames({ columns, rename }, own)).toEqual(['Name', 'name', 'Id', 'name_2', 'match.score'])
    expect(outputNames({ columns, rename, names: 'snake' }, own)).toEqual(['name', 'name_3', 'id', 'name_2', 'match_score'])
  })
})
