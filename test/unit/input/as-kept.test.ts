/** Lists as people keep them: merged cells, and quotes inside cells. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import { readRows } from '../../../src/input/table/records.ts'
import { surroundingsOf } from '../../../src/pipeline/index.ts'
import { file, folder, options } from './kit.ts'
import { sheetXml, textCell, workbookOf } from './workbooks.ts'

const read = async (path: string, quotes: 'strict' | 'auto' = 'strict') => {
  const skip = { head: 'auto', tail: 'auto' } as const
  const { facts, issues } = await inspect({ ...options(path), skip, quotes }, { around: surroundingsOf })
  const rows: string[][] = []
  if (facts !== null && issues.every(({ severity }) => severity !== 'error'))
    for await (const row of readRows(facts)) rows.push(row)
  const said = issues.map(({ code, severity, message }) => `${severity} ${code} ${message.replaceAll(path, 'list')}`)
  return { facts, rows, said }
}

const merged = (rows: readonly (readonly string[])[], ...ranges: readonly string[]): string => {
  const cells = ranges.map(range => `<mergeCell ref="${range}"/>`).join('')
  const xml = sheetXml(...rows.map(row => row.map(textCell)))
  const book = xml.replace('</sheetData>', `</sheetData><mergeCells>${cells}</mergeCells>`)
  return file(workbookOf({ List: book }), 'list.xlsx')
}

describe('merged cells', () => {
  it('of several rows carry their value down, to rows with cells of their own', async () => {
    const { rows, said } = await read(
      merged(
        [
          ['Country', 'Name', 'Town'],
          ['GB', 'Acme Ltd', 'Leeds'],
          ['', 'Bolt Ltd', 'York'],
          ['', '', ''],
          ['', 'Cord Ltd', ''],
          ['DE', 'Dent GmbH', 'Ulm'],
          ['', 'Eck GmbH', 'Bonn'],
          ['', 'No country Ltd', 'Hull'],
        ],
        'A2:A5',
        'A6:A7',
      ),
    )
    expect(rows.map(row => row.join('|'))).toEqual([
      'GB|Acme Ltd|Leeds',
      'GB|Bolt Ltd|York',
      '||',
      'GB|Cord Ltd|',
      'DE|Dent GmbH|Ulm',
      'DE|Eck GmbH|Bonn',
      '|No country Ltd|Hull',
    ])
    expect(said).toContain(
      'info FETTLE_INPUT_SHEET list has merged cells: 3 cells of the sheet "List" got the value of the range',
    )
  })

  it('are a title above the header, and names of columns below names of groups', async () => {
    const { facts, rows } = await read(
      merged(
        [
          ['Suppliers 2026', '', '', ''],
          ['', '', '', ''],
          ['Name', 'Address', '', ''],
          ['', 'Street', 'Town', 'Postcode'],
          ['Acme Ltd', 'High St 1', 'Leeds', 'LS1 1AA'],
          ['Bolt Ltd', 'Low St 2', 'York', 'YO1 1AA'],
          ['Cord Ltd', 'Old St 3', 'Bath', 'BA1 1AA'],
        ],
        'A1:D2',
        'A3:A4',
        'B3:D3',
      ),
    )
    expect(facts?.header).toEqual(['Name', 'Street', 'Town', 'Postcode'])
    expect(rows).toHaveLength(3)
  })

  it.each(['A2:A1048576', 'A2:XFD1048576', 'A2', 'A3:A2', ''])(
    'of the range %j take no more rows than there are',
    async range => {
      const { rows } = await read(
        merged(
          [
            ['Country', 'Name'],
            ['GB', 'Acme Ltd'],
            ['', 'Bolt Ltd'],
          ],
          range,
        ),
      )
      expect(rows.map(row => row.length)).toEqual([2, 2])
      expect(rows[1]?.[0]).toBe(range.includes('1048576') ? 'GB' : '')
    },
  )

  it('of a text that would fill the memory are refused', async () => {
    const rows = Array.from({ length: 2 }, (_, at) => [at === 0 ? 'x'.repeat(32_000) : '', 'Acme Ltd'])
    const { said } = await read(merged(rows, 'A1:A1048576'))
    expect(said).toEqual([expect.stringContaining('error FETTLE_INPUT_LIMIT')])
  })
})

describe('quotes inside cells', () => {
  const csv = (...lines: readonly string[]): string => file(`${['Name,Town', ...lines].join('\n')}\n`)

  it('are text where every row can be read that way alone, which is printed', async () => {
    const { facts, rows, said } = await read(csv('Foo "Best" Ltd,Leeds', '"Bar, Baz",York', 'Six 6" Nails,Hull'), 'auto')
    expect(facts?.quotes).toBe('relaxed')
    expect(rows).toEqual([
      ['Foo "Best" Ltd', 'Leeds'],
      ['Bar, Baz', 'York'],
      ['Six 6" Nails', 'Hull'],
    ])
    expect(said).toEqual(['info FETTLE_INPUT_QUOTE list: quotes inside cells are read as text; every row has 2 cells that way'])
  })

  it('in a hundred rows, and in several files, are text too', async () => {
    const lines = Array.from({ length: 100 }, (_, at) => `Foo "Best" ${at} Ltd,Leeds`)
    expect((await read(csv(...lines), 'auto')).rows).toHaveLength(100)
    const root = folder()
    writeFileSync(join(root, 'a.csv'), 'Name,Town\nAcme Ltd,Hull\n')
    writeFileSync(join(root, 'b.csv'), 'Name,Town\nFoo "Best" Ltd,Leeds\n')
    expect(await read(root, 'auto')).toMatchObject({ facts: { quotes: 'relaxed', rows: 2 } })
  })

  it.each([
    ['a row that has other cells than the rest', ['Foo "Best, Ltd",Leeds,x', 'Bar Ltd,York']],
    ['text behind a quoted cell, which may be the end of one', ['"Foo" Best Ltd,Leeds', 'Bar Ltd,York']],
    ['a quote that is not closed', ['Foo "Best" Ltd,Leeds', '"Bar Ltd,York', 'Baz Ltd,Hull']],
    ['a space in front of a quoted cell', ['Foo "Best" Ltd,Leeds', 'Bar Ltd, "York"']],
  ])('beside %s are refused', async (_, lines) => {
    const { said } = await read(csv(...lines), 'auto')
    expect(said.filter(line => line.startsWith('error')).length).toBeGreaterThan(0)
  })

  it('stay as strict as without them, and in a pipeline', async () => {
    expect((await read(csv('"Bar, ""Baz""",York'), 'auto')).facts?.quotes).toBe('strict')
    expect((await read(csv('Foo "Best" Ltd,Leeds'))).said[0]).toContain('error FETTLE_INPUT_QUOTE')
  })
})
