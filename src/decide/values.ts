/** Reads cells by the type of their field: a number, a date or a text in a form that compares. */
import type { Field } from './table.ts'

/** Text in one form, or a number; of a date year, month and day as one number. Null: the cell cannot be read so. */
export type Read = (cell: string) => string | number | null

const GROUPED = {
  '.': /^[+-]?(?:\d{1,3}(?:([,' \u00a0\u202f’])\d{3}(?:\1\d{3})*)?|\d+)(?:\.\d+)?$/,
  ',': /^[+-]?(?:\d{1,3}(?:([.' \u00a0\u202f’])\d{3}(?:\1\d{3})*)?|\d+)(?:,\d+)?$/,
}
const PLAIN = /^-?\d{1,12}(?:\.\d{1,3})?$/
/** More digits than a double holds: two different numbers would be the same. */
const MAX_DIGITS = 15

/** How cells of a field are read on a day. */
export function cellReader({ type = 'text', decimal = '.', order, unit }: Field, asOf: string): Read {
  if (type === 'text') return foldText
  if (type === 'number') return cell => readNumber(cell, decimal, unit)
  if (type === 'date') return cell => readDate(cell, order)
  const today = readDate(asOf)!
  return cell => {
    const date = readDate(cell, order)
    return date === null ? null : countTime(date, today, unit)
  }
}

/** How values of a table are read: numbers with a decimal point and without groups, days as 2026-01-31. */
export function valueReader({ type = 'text', unit }: Field): Read {
  if (type === 'text') return foldText
  if (type === 'date') return value => (/^\d{4}-\d\d-\d\d$/.test(value) ? readDate(value) : null)
  return value => (/[,'’\u00a0\u202f]|\d \d/.test(value) ? null : readNumber(value, '.', unit))
}

/** How cells of a field are sent: numbers as such, days as 2026-01-31, texts as they are. */
export function sentValueReader(field: Field, asOf: string): Read {
  if ((field.type ?? 'text') === 'text') return cell => cell.trim()
  const read = cellReader(field, asOf)
  if (field.type !== 'date') return read
  return cell => {
    const day = read(cell)
    return day === null ? null : String(day).replace(/^(\d+)(\d\d)(\d\d)$/, '$1-$2-$3')
  }
}

const foldText = (cell: string): string => cell.trim().normalize('NFC').toLowerCase()

function readNumber(cell: string, decimal: '.' | ',', unit: string | undefined): number | null {
  let digits = cell.trim()
  if (decimal === '.' && PLAIN.test(digits)) return Number(digits)
  if (unit !== undefined) digits = withoutUnit(digits, unit)
  if (!GROUPED[decimal].test(digits)) return null
  const plain = digits.replace(decimal === '.' ? /[^\d.-]/g : /[^\d,-]/g, '').replace(',', '.')
  return plain.replace(/^-?0*|\./g, '').length > MAX_DIGITS ? null : Number(plain)
}

/** Without the unit before or after the number; with it on both sides the rest is not a number. */
function withoutUnit(cell: string, unit: string): string {
  const [folded, mark] = [cell.toLowerCase(), unit.toLowerCase()]
  if (folded.length !== cell.length) return cell
  if (folded.endsWith(mark)) return cell.slice(0, -unit.length).trimEnd()
  if (folded.startsWith(mark)) return cell.slice(unit.length).trimStart()
  // -£5
  return folded.startsWith(`-${mark}`) ? `-${cell.slice(unit.length + 1).trimStart()}` : cell
}

const YEAR_FIRST = /^(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?$/
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/

function readDate(cell: string, order?: 'dmy' | 'mdy'): number | null {
  const written = cell.trim()
  const iso = YEAR_FIRST.exec(written)
  if (iso !== null) return checkDate(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const last = order === undefined ? null : YEAR_LAST.exec(written)
  if (last === null) return null
  const [first, second, year] = [Number(last[1]), Number(last[3]), Number(last[4])]
  return order === 'dmy' ? checkDate(year, second, first) : checkDate(year, first, second)
}

function checkDate(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1) return null
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate() ? year * 10_000 + month * 100 + day : null
}

/** Complete days, months or years between two dates; negative if the first is later. */
function countTime(from: number, to: number, unit: string | undefined): number {
  const days = (date: number): number =>
    Date.UTC(Math.floor(date / 10_000), (Math.floor(date / 100) % 100) - 1, date % 100) / 86_400_000
  if (unit === 'days') return days(to) - days(from)
  const months = (date: number): number => Math.floor(date / 10_000) * 12 + (Math.floor(date / 100) % 100)
  const complete = months(to) - months(from) - (to % 100 < from % 100 ? 1 : 0)
  return unit === 'months' ? complete : Math.floor(complete / 12)
}
