/** Writes rows as text: CSV, CSV for a spreadsheet and JSON lines. */
import { stringify } from 'csv-stringify/sync'

/** A file in three parts: text before the first row, rows in batches, text after the last. */
export interface RowFormat<Out = string | Buffer> {
  readonly head: Out
  render(rows: readonly (readonly string[])[]): Out
  end?(): Out
}

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
      rows.map(row => row.map(neutralise)),
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
    // A lone empty cell would be a blank line, and a blank line is no row.
    quoted_empty: style.columns === 1,
  })
}

/**
 * A cell that a spreadsheet would take for a formula, made text by a leading `'` (faults S15). Only for files meant for a
 * spreadsheet: elsewhere it would change the data. Doing it twice changes nothing.
 */
export const neutralise = (cell: string): string => (/^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/.test(cell) ? `'${cell}` : cell)

// Text is put together by hand: an object would move keys that look like numbers to the front.
function jsonObject(names: readonly string[]): (row: readonly string[]) => string {
  const keys = uniqueNames(names).map(name => `${JSON.stringify(name)}:`)
  return row => `{${row.map((cell, at) => keys[at]! + JSON.stringify(cell)).join(',')}}`
}

export function jsonLines({ names }: Pick<TextTable, 'names'>): RowFormat<string> {
  const object = jsonObject(names)
  return { head: '', render: rows => rows.map(row => `${object(row)}\n`).join('') }
}

export function jsonArray({ names }: Pick<TextTable, 'names'>): RowFormat<string> {
  const object = jsonObject(names)
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

/** Names made different: the second `Name` is `Name_2`, an empty one is called after its column as in contract §5.4. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map((name, index) => {
    const base = name === '' ? columnName(index) : name
    let unique = base
    for (let n = 2; used.has(unique); n++) unique = `${base}_${n}`
    used.add(unique)
    return unique
  })
}

/** The name of a column without one: `COLUMN A`, `COLUMN B` … `COLUMN AA` (contract §5.4). */
export const columnName = (index: number): string => `COLUMN ${columnLetters(index)}`

/** How a spreadsheet numbers its columns: A, B … Z, AA. */
export const columnLetters = (index: number): string =>
  (index < 26 ? '' : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
