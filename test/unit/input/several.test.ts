/** Several sheets, and several files, as one list. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInList, joinPaths, listFiles, pathsOfList } from '../../../src/files/paths.ts'
import { inspect } from '../../../src/input/index.ts'
import { readRows } from '../../../src/input/table/records.ts'
import { surroundingsOf } from '../../../src/pipeline/index.ts'
import type { InputOptions } from '../../../src/pipeline/model/types.ts'
import { openSectionReader, surroundingIssues } from '../../../src/prepare/lines-around.ts'
import { file, folder, inMemory, options } from './kit.ts'
import { hiding, numberCell, sheetXml, textCell, workbookOf } from './workbooks.ts'

type Cells = readonly (string | number)[]
const sheetOf = (...rows: readonly Cells[]): string =>
  sheetXml(...rows.map(cells => cells.map(cell => (typeof cell === 'number' ? numberCell(cell) : textCell(cell)))))

const HEADER = ['Vendor', 'Town', 'Amount']
const NORTH = sheetOf(HEADER, ['Acme Ltd', 'Leeds', 1], ['Bolt "Best"\nLtd', 'York', 2])
const SOUTH = sheetOf(
  ['Suppliers, south', ''],
  [''],
  ['vendor ', 'Town', 'Amount'],
  ['Cord Ltd', 'Bath', 3],
  ['Dent Ltd', 'Hull', 4],
  ['Eel Ltd', 'Kent', 5],
  ['Total', '', 12],
)
const COVER = sheetOf(['How to read this'], ['Ask Jo'])

const read = async (sheets: Record<string, string>, rest: Partial<InputOptions> = {}) => {
  const path = file(workbookOf(sheets), 'book.xlsx')
  const skip = { head: 'auto', tail: 'auto' } as const
  const { facts, issues } = await inspect(options(path, { sheet: '*', skip, ...rest }), { around: surroundingsOf })
  const rows: string[][] = []
  if (facts !== null) for await (const row of readRows(facts)) rows.push(row)
  const said = issues.map(({ code, severity, message, hint }) => [code, severity, message.replaceAll(path, 'book.xlsx'), hint])
  return { facts, rows, said }
}

describe('all sheets', () => {
  it('have their headings, totals and repeated headers found, without the column for the sheet', async () => {
    const sheets = {
      North: sheetOf(
        [...HEADER, 'No'],
        ['Region North'],
        ['Acme Ltd', 'Leeds', 1, 7],
        [...HEADER, 'No'],
        ['Bolt Ltd', 'York', 2, 8],
      ),
      South: sheetOf(
        [...HEADER, 'No'],
        ['Region South'],
        ['Cord Ltd', 'Bath', 3, 9],
        ['Subtotal', '', 3],
        ['Dent Ltd', 'Hull', 4, 1],
      ),
    }
    const path = file(workbookOf(sheets), 'book.xlsx')
    const extra = { around: surroundingsOf, sections: await openSectionReader() }
    const { facts, sections } = await inspect(options(path, { sheet: '*', sections: 'skip' }), extra)
    expect(facts).toMatchObject({ rows: 8, emptyRows: 4, sections: [1, 3, 5, 7] })
    expect(sections!.found.map(({ text }) => text)).toEqual(['Region North', 'the header again', 'Region South', 'Subtotal'])
  })

  it('do not include hidden ones, which are named', async () => {
    const path = file(hiding({ North: NORTH, Old: NORTH }, 'Old'), 'book.xlsx')
    const { facts, issues } = await inspect(options(path, { sheet: '*' }))
    expect(facts).toMatchObject({ rows: 2 })
    expect(issues.map(({ message }) => message.replaceAll(path, 'book.xlsx'))).toEqual([
      'book.xlsx: 1 sheet read as one list, "North"; passed over, since they are hidden: "Old"',
    ])
  })

  it('judge the number of rows in a total by their own rows', async () => {
    const of = (count: number): Cells[] => Array.from({ length: count }, (_, at) => [`Acme ${at} Ltd`, 'Leeds', ''])
    const sheets = { North: sheetOf(HEADER, ...of(2)), South: sheetOf(HEADER, ...of(5), ['Total', '', 5]) }
    const path = file(workbookOf(sheets), 'book.xlsx')
    const skip = { head: 'auto', tail: 'auto' } as const
    const inspection = await inspect(options(path, { sheet: '*', skip }), { around: surroundingsOf })
    const pipeline = { input: { skip, header: true }, report: { rows: 'all', mask: [] } }
    const found = surroundingIssues(pipeline as unknown as Parameters<typeof surroundingIssues>[0], inspection)
    expect(found.map(({ severity, message }) => [severity, message])).toEqual([
      ['info', 'skipped 1 line below the last row: "Total", "5"'],
    ])
  })

  it('with the same columns are one list: titles and totals of each left out, a column for the sheet, a cover passed over', async () => {
    const { facts, rows, said } = await read({ 'Read me': COVER, North: NORTH, South: SOUTH })
    expect(facts).toMatchObject({ header: [...HEADER, 'Sheet'], columns: 4, rows: 5 })
    expect(rows).toEqual([
      ['Acme Ltd', 'Leeds', '1', 'North'],
      ['Bolt "Best"\nLtd', 'York', '2', 'North'],
      ['Cord Ltd', 'Bath', '3', 'South'],
      ['Dent Ltd', 'Hull', '4', 'South'],
      ['Eel Ltd', 'Kent', '5', 'South'],
    ])
    expect(said).toEqual([
      [
        'FETTLE_INPUT_SHEET',
        'info',
        'book.xlsx: 2 sheets read as one list, "North", "South"; passed over, since their columns are others: "Read me"',
        null,
      ],
    ])
  })

  it('name the sheet in a column of their own, behind empty rows, without a header, and for one sheet', async () => {
    const own = sheetOf(['Sheet', 'Town'], ['Acme Ltd', 'Leeds'], [''], ['Bolt Ltd', 'York'])
    expect(await read({ A: own })).toMatchObject({
      facts: { header: ['Sheet', 'Town', 'Sheet (fettle)'], emptyRows: 1 },
      rows: [
        ['Acme Ltd', 'Leeds', 'A'],
        ['', '', ''],
        ['Bolt Ltd', 'York', 'A'],
      ],
    })
    const headless = await read({ A: sheetOf(['Acme', 'Leeds']), B: sheetOf(['Bolt', 'York']) }, { header: false })
    expect(headless.rows).toEqual([
      ['Acme', 'Leeds', 'A'],
      ['Bolt', 'York', 'B'],
    ])
  })

  it.each([
    ['a column more', sheetOf([...HEADER, 'Note'], ['Cord Ltd', 'Bath', 3, 'x']), 'it alone has "Note"'],
    ['another order', sheetOf(['Town', 'Vendor', 'Amount'], ['Bath', 'Cord Ltd', 3]), 'column 1 is "Town", there "Vendor"'],
    ['no header', sheetOf(['Cord Ltd', 'Bath', 3]), 'it lacks "Vendor", "Town", "Amount"'],
  ])('are refused where one has %s: its rows would be lost', async (_, south, why) => {
    const rows = south.includes('r="A2"')
      ? south
      : south.replace('</sheetData>', '<row r="2"><c r="A2"><v>1</v></c></row></sheetData>')
    const { facts, said } = await read({ North: NORTH, South: rows, West: NORTH })
    expect(facts).toBeNull()
    expect(said).toEqual([
      [
        'FETTLE_INPUT_HEADER',
        'error',
        expect.stringContaining(`book.xlsx: sheet "South" and sheet "North" are not one list: ${why}`),
        'Give all sheets the same columns in the same order, or name one sheet.',
      ],
    ])
  })

  it('of a CSV file, or of a workbook without rows, are refused', async () => {
    const path = file('a,b\n1,2\n')
    const { facts, issues } = await inspect(options(path, { sheet: '*' }))
    expect([facts, issues[0]?.code, issues[0]?.message]).toEqual([
      null,
      'FETTLE_INPUT_SHEET',
      `${path} is not an Excel file: it has no sheets`,
    ])
    expect((await read({ A: sheetOf() })).said[0]?.slice(0, 2)).toEqual(['FETTLE_INPUT_EMPTY', 'error'])
  })

  it.each([1, 2, 3])('of a workbook that is written before it is read for the time %i are refused', async time => {
    const path = file(workbookOf({ North: NORTH, Middle: NORTH }), 'book.xlsx')
    let times = 0
    const now = (): number => {
      if (++times === time)
        writeFileSync(path, workbookOf({ North: NORTH, Middle: NORTH, South: sheetOf(HEADER, ['Cord Ltd', 'Bath', 3]) }))
      return 0
    }
    const { facts, issues } = await inspect(options(path, { sheet: '*' }), { now })
    expect({ facts, issues }).toMatchObject({ facts: null, issues: [{ code: 'FETTLE_INPUT_CHANGED', severity: 'error' }] })
  })

  it('keep each row of each sheet, with any text in the cells', async () => {
    const cell = fc.constantFrom('', 'x', 'a,b', '"', 'l\nm', 'l\r\nm', 'é')
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(table, { minLength: 1, maxLength: 4 }), fc.nat(2), async (tables, titles) => {
        const above = Array.from({ length: titles }, (_, at) => [at === 0 ? 'Title\nof two lines' : ''])
        const head = above.length === 0 ? 0 : above.length + 1
        const sheets = Object.fromEntries(
          tables.map((rows, at) => [`S${at}`, sheetOf(...above, ['id', 'name'], ...rows, ['end', ''])]),
        )
        const { rows } = await read(sheets, { skip: { head, tail: 1 } })
        expect(rows).toEqual(
          tables.flatMap((own, at) => own.map(cells => [...cells, cells.every(text => text === '') ? '' : `S${at}`])),
        )
      }),
      { numRuns: 40 },
    )
  })
})

describe('several paths', () => {
  const write = (...names: string[]): string => {
    const root = folder(inMemory())
    for (const name of names) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), 'x')
    }
    return root
  }

  it('are one list of all their files, each once, also those whose names have wildcards, braces and commas', async () => {
    const names = ['a.csv', 'in/b.csv', 'in/c.csv', 'odd, {1}.csv', 'x[*].csv']
    const root = write(...names, 'y/d.csv', 'odd- -1-.csv')
    const isThere = (path: string): boolean => existsSync(join(root, path))
    const path = joinPaths(['x[*].csv', 'a.csv', 'in', 'in/b.csv', 'in/*.csv', 'odd, {1}.csv', './a.csv'], isThere)
    expect(await listFiles(path, root)).toEqual(names)
    expect(names.filter(name => !isInList(path, join(root, name), root))).toEqual(['odd, {1}.csv'])
    expect(isInList(path, join(root, 'y/d.csv'), root)).toBe(false)
    expect(joinPaths(['a.csv'], isThere)).toBe('a.csv')
  })

  it('may be a sheet and text with quotes inside cells, in any order; a sheet and text with semicolons are refused', async () => {
    const sheet = workbookOf({ List: sheetOf(['Name', 'No'], ['Cord "Co"\nLtd', 1]) })
    const text = 'Name,No\nBolt "Best" Ltd,2\n"Acme, Inc",3\n'
    for (const names of [
      ['a.xlsx', 'b.csv'],
      ['b.xlsx', 'a.csv'],
    ] as const) {
      const root = folder()
      for (const name of names) writeFileSync(join(root, name), name.endsWith('.csv') ? text : sheet)
      const { facts, issues } = await inspect({ ...options('*'), quotes: 'auto' }, { root })
      expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
      const rows: string[] = []
      for await (const [name = ''] of readRows(facts!, root)) rows.push(name)
      expect(rows.sort()).toEqual(['Acme, Inc', 'Bolt "Best" Ltd', 'Cord "Co"\nLtd'])
      writeFileSync(join(root, names.find(name => name.endsWith('.csv'))!), 'Name;No\nBolt Ltd;2\n')
      const refused = await inspect(options('*'), { root })
      expect(refused.issues.map(({ hint }) => hint)).toEqual([
        'A sheet is read with commas: write the other files with commas, or as Excel.',
      ])
    }
  })

  it('all have to be there, where braces that are a part of a path take what is there', async () => {
    const root = write('a.csv', 'b.csv')
    expect(await listFiles('{a.csv,c.csv}', root)).toEqual(['a.csv', 'c.csv'])
    expect(await listFiles('{a,c}.csv', root)).toEqual(['a.csv'])
    expect(await listFiles('{a.csv,none*.csv}', root)).toMatchObject({ code: 'FETTLE_INPUT_READ' })
    expect(pathsOfList('{a{1,2}.csv,b}')).toEqual(['a{1,2}.csv', 'b'])
    expect(['{a,b}.csv', '{a', 'a,b', '{a}{b}', ''].map(pathsOfList)).toEqual([['{a,b}.csv'], ['{a'], ['a,b'], ['{a}{b}'], ['']])
  })
})
