/** The values of cells of a workbook behind their texts, as `input/excel` reads them: numbers, dates and truth values. */
import type { SheetColumn } from '../model/columns.ts'
import { isNumber } from './text-formats.ts'

type SheetKind = NonNullable<SheetColumn['is']>

export const SHEET_KINDS: readonly SheetKind[] = ['number', 'date', 'boolean']

/** The number format of a day, in the order of the reader's country. */
export const SHEET_DATE = 14

export const DAY_MS = 86_400_000
/** Days from 30 December 1899 to 1970. */
export const DAYS_1900 = 25_569

const DATE = /^(\d{4}-\d{2}-\d{2})?(?:(?:^|T)(\d{2}:\d{2}:\d{2}))?$/

/** What the cell of a workbook holds for a text; null for a text that is not of this kind, or that a cell would change. */
export function sheetValue(text: string, is: SheetKind): string | null {
  if (text === '') return null
  if (is === 'boolean') return text === 'TRUE' ? '1' : text === 'FALSE' ? '0' : null
  // A number of more than fifteen digits is held if it is one that a double has.
  if (is === 'number') return isNumber(text) || (/^[-.\d]+$/.test(text) && String(Number(text)) === text) ? text : null
  const [, day = '1899-12-30', time = '00:00:00'] = DATE.exec(text) ?? [null, '']
  const days = Date.parse(`${day}T${time}Z`) / DAY_MS + DAYS_1900
  // Excel has no days before 1900, and one too many in it: from March on they are the days of the calendar.
  return days >= 61 || (days >= 0 && days < 1) ? String(days) : null
}
