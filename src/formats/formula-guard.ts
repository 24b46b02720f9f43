/**
 * Keeps a spreadsheet from running a cell of a text file: a `'` before a formula makes it text. Cells that a spreadsheet does not run
 * (numbers, amounts, telephone numbers, a lone dash) stay as they are.
 */

/** What a formula begins with, also in the wide and small forms of an East Asian keyboard. */
const SIGN = '[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]'
/** What a spreadsheet drops before it looks at a cell: blanks, control and invisible characters, a quote. */
const DROPPED = String.raw`[\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]`
/** The characters at which a spreadsheet with other settings, or an import as text, begins a new cell. */
const LIST_SEPARATORS = ';,'
const BLANK_SEPARATORS = '\\t\\r\\n'
const HAS_SIGN = new RegExp(SIGN)
/** Signs with nothing to compute: `-`, `--`, `+/-`. */
const ONLY_SIGNS = new RegExp(String.raw`^(?:${SIGN}|[\s./*,;'])*$`)
/** One number: -12.50, +1 234,50 €, -5%, -£3, -12.50 GBP, -1.5e-7. */
const AMOUNT = /^[+-]\s*\p{Sc}?\s*\d[\d\s.,'’]*(?:e[+-]?\d+)?\s*(?:%|\p{Sc}|[A-Z]{3})?\s*$/iu
const PHONE = /^\+[\d\p{Zs}\t.()/-]+$/u
/** Two numbers without an operator between them, which no formula has: +44 20-7946. Without them +1-800-555 is a subtraction. */
const NOT_COMPUTED = /\d\s+\d|\d\s*\(|\)\s*\d/

/** No number is longer. Of a longer text not more is read, or a cell of many lines would take quadratic time. */
const LONGEST = 200

const isRun = (formula: string): boolean =>
  formula.length > LONGEST ||
  (!ONLY_SIGNS.test(formula) && !AMOUNT.test(formula) && !(PHONE.test(formula) && NOT_COMPUTED.test(formula)))

interface CellStarts {
  readonly bare: RegExp
  readonly guarded: RegExp
}

const BY_DELIMITER = new Map<string, CellStarts>()

/** The starts of cells in a cell, its own and those after a separator, with the text that is computed there. */
function startsIn(delimiter: string): CellStarts {
  let starts = BY_DELIMITER.get(delimiter)
  if (starts === undefined) {
    // The delimiter of the file ends no cell inside a cell: there the cell is quoted. A blank or line end does not end a formula.
    const listSeparators = LIST_SEPARATORS.replace(delimiter, '')
    const separators = listSeparators + BLANK_SEPARATORS.replace(delimiter === '\t' ? '\\t' : delimiter, '')
    const dropped = `((?:(?![${separators}])${DROPPED})*)`
    const formula = `(?=(${SIGN}[^${listSeparators}]{0,${LONGEST}}))`
    const startAfter = (mark: string): RegExp => new RegExp(`(^|[${separators}])${mark}${dropped}${formula}`, 'gu')
    starts = { bare: startAfter(''), guarded: startAfter("'") }
    BY_DELIMITER.set(delimiter, starts)
  }
  return starts
}

/** The cell, with a `'` wherever a spreadsheet would begin a formula. Doing it twice changes nothing. */
export function neutralise(cell: string, delimiter: string): string {
  if (!HAS_SIGN.test(cell)) return cell
  return cell.replace(startsIn(delimiter).bare, (start: string, end: string, dropped: string, formula: string) =>
    isRun(formula) ? `${end}'${dropped}` : start,
  )
}

/** The cell before `neutralise`. */
export function withoutGuard(cell: string, delimiter: string): string {
  return cell.replace(startsIn(delimiter).guarded, (start: string, end: string, dropped: string, formula: string) =>
    isRun(formula) ? end + dropped : start,
  )
}
