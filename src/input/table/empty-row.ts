/** Recognises rows without a value, which are not sent: the same rows as the scanner counts. */
import type { InputFacts } from '../../pipeline/model/types.ts'

const BLANK = /^[\t-\r ]*$/

const isEmptyRow = (row: readonly string[]): boolean => row.every(cell => BLANK.test(cell))

/** Selects the empty rows of an input; none in journals of versions that sent them. */
export const emptyRowsOf = ({ emptyRows }: Pick<InputFacts, 'emptyRows'>): ((row: readonly string[]) => boolean) =>
  emptyRows === undefined ? () => false : isEmptyRow
