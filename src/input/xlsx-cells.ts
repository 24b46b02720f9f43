/** The cells of a workbook: what each reads as text, and how far they reach. It knows no file. */

/** A cell as the reader gives it. */
export type Cell = string | number | boolean | Date | null

/** The text of a cell: dates as ISO 8601, numbers without exponent, TRUE and FALSE, nothing for an empty one. */
export function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return numberText(cell)
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE'
  return typeof cell === 'string' ? cell : dateText(cell)
}

/** A number as JavaScript prints it, its exponent written out. */
function numberText(value: number): string {
  const [, sign = '', whole = '', part = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const point = whole.length + Number(exponent)
  const digits = whole + part
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.slice(0, point).padEnd(point, '0') + (digits.length > point ? `.${digits.slice(point)}` : '')
}

const SECOND_MS = 1000

/** A date, with the time when there is one; a time without a date by itself. Nothing for what no calendar has. */
function dateText(date: Date): string {
  // A workbook holds days as a fraction, which misses whole seconds by less than one of them.
  const rounded = new Date(Math.round(date.getTime() / SECOND_MS) * SECOND_MS)
  if (Number.isNaN(rounded.getTime())) return ''
  const [day = '', rest = ''] = rounded.toISOString().split('T')
  const time = rest.slice(0, 8)
  // Day 0 of a workbook: a time of day alone.
  if (day === '1899-12-30') return time
  return time === '00:00:00' ? day : `${day}T${time}`
}

/** How far a sheet reaches: its rows, and the rows and columns that have content. */
export interface Extent {
  readonly rows: number
  readonly filledRows: number
  readonly columns: number
}

/**
 * How far the sheet in this XML reaches, told by the addresses of its rows and cells; null when one of them is none. Whatever is no
 * sheet reaches nowhere.
 */
export function extentOf(xml: Buffer): Extent | null {
  let [rows, filledRows, columns] = [0, 0, 0]
  for (const [, name, attributes = ''] of xml.toString('latin1').matchAll(/<(?:\w+:)?(row|c)\s([^>]*)>/g)) {
    const [, letters = '', digits] = /(?:^|[\s:])r\s*=\s*["']([A-Z]{0,3})(\d{1,7})["']/.exec(attributes) ?? []
    if (digits === undefined) {
      if (/(?:^|[\s:])r\s*=/.test(attributes)) return null
      continue
    }
    rows = Math.max(rows, Number(digits))
    // A cell without content has a style alone.
    if (name === 'row' || attributes.endsWith('/')) continue
    filledRows = Math.max(filledRows, Number(digits))
    columns = Math.max(columns, columnNumber(letters))
  }
  return { rows, filledRows, columns }
}

const columnNumber = (letters: string): number => [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
