/** What is counted in the cells of a column while the input is read. Types only. */

/**
 * A column whose cells are counted while the input is read, and what is counted besides empty cells. Numbers and values are
 * counted in a profile only, and keys have one.
 */
export interface WatchedColumn {
  readonly index: number
  readonly of: readonly ('profile' | 'numbers' | 'values' | 'keys' | 'formulas' | 'lengths')[]
}

/** How often something occurs, and its first data rows (from 1). */
export interface ValueWarning {
  readonly count: number
  readonly rows: readonly number[]
}

/** What the cells of a watched column hold. Cells that are empty but for spaces are counted as empty and as nothing else. */
export interface CellCounts {
  readonly index: number
  readonly empty: ValueWarning
  /** Different values: exactly while they are few. */
  readonly distinct: { readonly count: number; readonly isEstimate: boolean }
  /** The first different values, cut. */
  readonly examples: readonly string[]
  /** Cells of digits alone, by how many digits; the last place holds all longer ones. Places may be missing. */
  readonly digits: readonly (ValueWarning | undefined)[]
  /** Cells of digits alone that begin with 0. */
  readonly leadingZeros: number
  readonly notDigits: ValueWarning
  /** Numbers as a spreadsheet writes those too long for it: 4.41E+11. */
  readonly exponents: ValueWarning
  readonly formulas: ValueWarning
  /** Cells of more characters than a cell of Excel holds. */
  readonly tooLong: ValueWarning
  readonly repeated: ValueWarning
  /** Each different value, the first thousand of them. */
  readonly values: readonly (ValueWarning & { readonly text: string })[]
}
