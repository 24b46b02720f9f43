/** Reads the cells of a sheet in their order, each as text. */
import { type Book, TextRuns, unescaped } from './workbook.ts'
import { readXml } from './xml.ts'

/** The last row and column that Excel has. */
const MAX_ROW = 1_048_576
const MAX_COLUMN = 16_384

/**
 * Calls `take` for each cell with content, rows and columns counted from 1 and ascending, until it returns false. Throws an Error
 * for a cell that cannot be read.
 */
export function readCells(
  xml: Buffer,
  book: Book,
  take: (row: number, column: number, text: string, isNumber: boolean) => boolean,
): void {
  const runs = new TextRuns()
  let [isData, isValue, goesOn] = [false, false, true]
  let [row, column] = [0, 0]
  let cell: { type: string; style: string | null } | null = null
  let value = ''
  readXml(xml, {
    open(name, attribute) {
      if (name === 'sheetData') isData = true
      else if (name === 'row' && isData) {
        row = placed(rowNumber(attribute('r')), row, `row ${attribute('r')}`, MAX_ROW)
        column = 0
      } else if (name === 'c' && isData) {
        const at = addressOf(attribute('r'))
        if (at !== null && at.row !== row) throw new Error(`the cell ${attribute('r')} is in row ${row}`)
        column = placed(at?.column ?? null, column, `cell ${attribute('r')} of row ${row}`, MAX_COLUMN)
        cell = { type: attribute('t') ?? 'n', style: attribute('s') }
        value = ''
      } else if (cell !== null) {
        if (name === 'v') isValue = true
        else runs.open(name)
      }
      return goesOn
    },
    close(name) {
      if (name === 'sheetData') isData = false
      if (cell === null) return
      if (name === 'v') isValue = false
      else if (name === 'c') {
        const text = textOf(cell, value, runs.take(), book, () => `${row}, column ${column}`)
        const isNumber = cell.type === 'n' && book.dates[Number(cell.style ?? -1)] !== true
        cell = null
        if (text !== '') goesOn &&= take(row, column, text, isNumber)
      } else runs.close(name)
    },
    text(text) {
      if (cell === null) return
      if (isValue) value += text
      else runs.add(text)
    },
  })
}

/** The position of a cell or row; the next one when none is given. Positions must ascend. */
function placed(named: number | null, before: number, what: string, last: number): number {
  const place = named ?? before + 1
  if (place > last) throw new Error(`${what} is beyond the last that Excel has`)
  if (place <= before) throw new Error(`${what} follows one of a higher number`)
  return place
}

function rowNumber(text: string | null): number | null {
  if (text === null) return null
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`${JSON.stringify(text.slice(0, 20))} is not the address of a row`)
  return Number(text)
}

function addressOf(text: string | null): { row: number; column: number } | null {
  if (text === null) return null
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(text) ?? []
  if (letters === undefined) throw new Error(`${JSON.stringify(text.slice(0, 20))} is not the address of a cell`)
  return { row: Number(digits), column: [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) }
}

/** The text of a cell: dates as ISO 8601, numbers without exponent, TRUE and FALSE, nothing for errors and for an empty one. */
function textOf(
  cell: { type: string; style: string | null },
  value: string,
  inline: string,
  book: Book,
  place: () => string,
): string {
  const known = (text: string | undefined | null): string => {
    if (text == null)
      throw new Error(`the cell of row ${place()} has ${JSON.stringify(value.slice(0, 40))}, which is not a value of its type`)
    return text
  }
  if (cell.type === 'inlineStr') return inline
  if (value === '' || cell.type === 'e') return ''
  switch (cell.type) {
    case 's':
      return known(/^\s*\d{1,9}\s*$/.test(value) ? book.strings[Number(value)] : null)
    case 'str':
      return unescaped(value)
    case 'b':
      return known(value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : null)
    case 'd': {
      const date = new Date(value)
      return known(Number.isNaN(date.getTime()) ? null : dateText(date))
    }
    case 'n': {
      const number = value.trim() === '' ? Number.NaN : Number(value)
      const isDate = cell.style === null ? false : book.dates[Number(cell.style)]
      if (Number.isNaN(number) || isDate === undefined) return known(null)
      return isDate ? dateText(dateOf(number, book.is1904)) : numberText(number)
    }
    default:
      return known(null)
  }
}

/** A number as JavaScript prints it, without exponent. */
function numberText(value: number): string {
  const [, sign = '', whole = '', part = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const point = whole.length + Number(exponent)
  const digits = whole + part
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.slice(0, point).padEnd(point, '0') + (digits.length > point ? `.${digits.slice(point)}` : '')
}

const DAY_MS = 86_400_000
/** Days from 30 December 1899 and from 1 January 1904 to 1970. */
const DAYS_1900 = 25_569
const DAYS_1904 = 24_107

const dateOf = (days: number, is1904: boolean): Date => new Date(Math.floor((days - (is1904 ? DAYS_1904 : DAYS_1900)) * DAY_MS))

const SECOND_MS = 1000

/** A date with its time, if any, or a time alone. Empty for a number outside the calendar. */
function dateText(date: Date): string {
  // Times are fractions of a day, which miss whole seconds by less than one second.
  const rounded = new Date(Math.round(date.getTime() / SECOND_MS) * SECOND_MS)
  if (Number.isNaN(rounded.getTime())) return ''
  const [day = '', rest = ''] = rounded.toISOString().split('T')
  const time = rest.slice(0, 8)
  // Day 0: a time of day without a date.
  if (day === '1899-12-30') return time
  return time === '00:00:00' ? day : `${day}T${time}`
}
