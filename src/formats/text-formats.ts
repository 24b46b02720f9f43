/** Writes rows as text: CSV, CSV for a spreadsheet, and JSON with numbers, truth values and null. */
import { stringify } from 'csv-stringify/sync'
import { uniqueNames } from '../model/columns.ts'
import { neutralise } from './formula-guard.ts'

/** A file in three parts: text before the first row, rows in batches, text after the last. */
export interface RowFormat<Out = string | Buffer> {
  readonly head: Out
  render(rows: readonly (readonly string[])[]): Out
  end?(): Out
  /** Cells so far that the types of their columns cannot hold, and that are left empty; absent for a format that holds every cell. */
  unfit?(): readonly UnfitCells[]
}

/** `rows`: the first ones, from 1, of the file. */
export interface UnfitCells {
  readonly column: string
  readonly type: string
  readonly count: number
  readonly rows: readonly number[]
}

/** How JSON and workbooks write a column. Cells of another form stay text. */
export type CellForm = 'text' | 'number' | 'boolean'

/** A number as Excel and a double of JSON hold it: no zero in front, at most 15 digits. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const MAX_DIGITS = 15

export const isNumber = (cell: string): boolean => NUMBER.test(cell) && cell.replace(/\D/g, '').length <= MAX_DIGITS

interface TextTable {
  readonly names: readonly string[]
  readonly delimiter: string
}

export function plainCsv({ names, delimiter }: TextTable): RowFormat<string> {
  const style = { delimiter, lineEnd: '\n', columns: names.length }
  return { head: csvText([names], style), render: rows => csvText(rows, style) }
}

export function excelText({ names, delimiter }: TextTable): RowFormat<string> {
  const style = { delimiter, lineEnd: '\r\n', columns: names.length }
  const render = (rows: readonly (readonly string[])[]): string =>
    csvText(
      rows.map(row => row.map(cell => neutralise(cell, delimiter))),
      style,
    )
  // Without the mark a spreadsheet reads the file in its local code page.
  return { head: `\ufeff${render([names])}`, render }
}

interface CsvStyle {
  readonly delimiter: string
  readonly lineEnd: string
  readonly columns: number
}

export function csvText(rows: readonly (readonly string[])[], style: CsvStyle): string {
  return stringify(rows as string[][], {
    delimiter: style.delimiter,
    record_delimiter: style.lineEnd,
    // A named line end switches off the quoting of the other ones: test "line ends in cells".
    quote_record_delimiter: true,
    // A lone empty cell would be a blank line, which is not a row.
    quoted_empty: style.columns === 1,
  })
}

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['Y', 'true'],
  ['N', 'false'],
  ['true', 'true'],
  ['false', 'false'],
])

function jsonValue(cell: string, type: CellForm | undefined): string {
  if (cell === '') return 'null'
  if (type === 'number' && isNumber(cell)) return cell
  return (type === 'boolean' ? BOOLEANS.get(cell) : undefined) ?? JSON.stringify(cell)
}

type JsonTable = Pick<TextTable, 'names'> & { readonly types?: readonly CellForm[] }

// Text is put together by hand: an object would move keys that look like numbers to the front, and change the digits of numbers.
function jsonObject({ names, types = [] }: JsonTable): (row: readonly string[]) => string {
  const keys = uniqueNames(names).map(name => `${JSON.stringify(name)}:`)
  return row => `{${row.map((cell, at) => keys[at]! + jsonValue(cell, types[at])).join(',')}}`
}

export function jsonLines(table: JsonTable): RowFormat<string> {
  const object = jsonObject(table)
  return { head: '', render: rows => rows.map(row => `${object(row)}\n`).join('') }
}

export function jsonArray(table: JsonTable): RowFormat<string> {
  const object = jsonObject(table)
  let before = '\n'
  const render = (rows: readonly (readonly string[])[]): string =>
    rows
      .map(row => {
        const text = before + object(row)
        before = ',\n'
        return text
      })
      .join('')
  return { head: '[', render, end: () => '\n]\n' }
}
