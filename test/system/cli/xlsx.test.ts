/** An Excel file in, Excel files out, by the command line. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readXlsx from 'read-excel-file/node'
import { beforeAll, describe, expect, test } from 'vitest'
import { numberCell, sheetXml, textCell, workbookOf } from '../../unit/input/workbooks.ts'
import { fettle, folderOf, importRegister, pipelineOf } from './fettle.ts'

const LIST = [
  ['Company Name', 'Reg No', 'Country'].map(textCell),
  [textCell('Acme Forgings Ltd'), numberCell(1234567), textCell('GB')],
  [textCell('Bolton Castings Ltd'), textCell('02345678'), textCell('GB')],
  [textCell('Nobody Knows Us GmbH'), numberCell(99999999), textCell('DE')],
]
const BOOK = workbookOf({ Notes: sheetXml(), List: sheetXml(...LIST) })
const XLSX = `output: {path: out/p.xlsx, format: xlsx, unmatched: out/rest.xlsx, columns: ["*", match.outcome]}`
const withBook = (more: string, book: Buffer = BOOK): string => {
  const cwd = folderOf({
    'p.yml': pipelineOf('p', more).replace('rows.csv', 'list.xlsx').replace('Reg No', '{from: Reg No, pad: 8}'),
  })
  writeFileSync(join(cwd, 'list.xlsx'), book)
  return cwd
}

beforeAll(importRegister)

describe.concurrent('an Excel file', () => {
  test('goes in and comes out, its cells as they were, and the same bytes in a second run', async () => {
    const cwd = withBook(XLSX)
    expect(await fettle(['run', 'p.yml', '-q'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' })
    const first = readFileSync(join(cwd, 'out/p.xlsx'))
    expect(await readXlsx(first)).toEqual([
      {
        sheet: 'List',
        data: [
          ['Company Name', 'Reg No', 'Country', 'match.outcome'],
          ['Acme Forgings Ltd', 1234567, 'GB', 'matched'],
          ['Bolton Castings Ltd', '02345678', 'GB', 'matched'],
          ['Nobody Knows Us GmbH', 99999999, 'DE', 'unmatched'],
        ],
      },
    ])
    expect((await readXlsx(join(cwd, 'out/rest.xlsx')))[0]?.data).toHaveLength(2)
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'out/p.xlsx')).equals(first)).toBe(true)
  })

  test('is reported by check: its sheet, and zeros that its numbers have lost', async () => {
    const numbers = [1234567, 12345678, 23456789, 34567890, 45678901, 56789012]
    const rows = numbers.map((no, at) => [textCell(`Firm ${at}`), numberCell(no), textCell('GB')])
    const book = workbookOf({ List: sheetXml(LIST[0]!, ...rows) })
    const cwd = folderOf({ 'p.yml': pipelineOf('p').replace('rows.csv', 'list.xlsx') })
    writeFileSync(join(cwd, 'list.xlsx'), book)
    const { code, stdout, stderr } = await fettle(['check', 'p.yml', '--explain'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/sheet +"List"/)
    expect(stdout).toMatch(/sent +as UTF-8 CSV made from it: the sheet "List" as text/)
    expect(stderr).toContain('leading zeros may be lost')
  })

  test('at the path of an output is replaced by an Excel file only', async () => {
    const cwd = withBook('output: { path: out/mine.xlsx, format: csv }')
    mkdirSync(join(cwd, 'out'))
    writeFileSync(join(cwd, 'out/mine.xlsx'), BOOK)
    const { code, stderr } = await fettle(['run', 'p.yml'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(
      'error FETTLE_PIPELINE_PATH p.yml:5:17\n  output.path: "out/mine.xlsx" does not go with output.format: csv',
    )
    expect(readFileSync(join(cwd, 'out/mine.xlsx')).equals(BOOK)).toBe(true)
  })
})
