/** Recognises rows without a value, which are not sent: the same rows as the scanner counts. */
import { type Issue, issue, type Place } from '../../errors.ts'
import type { InputFacts, ValueWarning } from '../../pipeline/model/types.ts'
import type { RecordScanner } from '../scan/record-scanner.ts'

const BLANK = /^[\t-\r ]*$/

const isEmptyRow = (row: readonly string[]): boolean => row.every(cell => BLANK.test(cell))

/** Selects the empty rows of an input. */
export const emptyRowsOf = ({ emptyRows }: Pick<InputFacts, 'emptyRows'>): ((row: readonly string[]) => boolean) =>
  emptyRows === undefined ? () => false : isEmptyRow

const FIRST_ROWS = 3

/** The data rows without a value, and the first three of them. */
export function emptyRowsIn({ empty }: RecordScanner, hasHeader: boolean): ValueWarning {
  const headers = hasHeader ? 1 : 0
  const first = empty.first.filter(record => record > headers)
  return {
    count: empty.count - (empty.first.length - first.length),
    rows: first.slice(0, FIRST_ROWS).map(record => record - headers),
  }
}

export function emptyRowsIssue(path: string, { count, rows: first }: ValueWarning, rows: number, at: Place): Issue {
  const [are, they, keep] = count === 1 ? ['is', 'it is', 'keeps'] : ['are', 'they are', 'keep']
  const message = `${count} of ${rows} rows of ${path} ${are} empty (first in row ${first.join(', ')}): ${they} not sent, and ${keep} the place in the output with the outcome skipped`
  return issue('FETTLE_INPUT_LINES', message, { severity: 'info', at, count, rows: first, hint: null })
}
