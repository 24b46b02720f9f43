/** Types of facts about an input, and of the plan. Types only. */
import type { Threshold } from './plan.ts'

export type * from './plan.ts'

export interface SkippedLines<Count = number | 'auto'> {
  readonly head: Count
  readonly tail: Count
}

/** How the pipeline wants the input read; `auto` is resolved from the file. */
export interface InputOptions {
  readonly path: string
  /** `auto`, or a name that TextDecoder supports. */
  readonly encoding: string
  /** `auto`, or one character. */
  readonly delimiter: string
  readonly header: boolean
  readonly quotes: 'strict' | 'relaxed'
  /** Lines above and below the table that are not part of it: how many, or `auto` for all that are recognised. */
  readonly skip?: SkippedLines
  /** `skip`: rows inside the list that are headings, totals or its header again are not sent. */
  readonly sections?: 'skip' | 'rows' | undefined
  /** Which sheet of a workbook: its name, its number from 1, or null for the first with content. */
  readonly sheet: string | number | null
  /** Of a database: the query whose rows are the input. */
  readonly sql?: string
  /** How many rows that cannot be read are left out: a count, or a share of all rows; absent: the list is refused. */
  readonly rejects?: Pick<Threshold, 'value' | 'unit' | 'text'> | undefined
}

/** A row inside a list that is a heading, a total or the header again; `row` counts data rows from 1. */
export interface Section {
  readonly row: number
  readonly text: string
  readonly isTotal: boolean
  /** What proves it; null where nothing does, so that it is a row like others. */
  readonly proof: string | null
}

export interface Sections {
  readonly found: readonly Section[]
  /** Rows that look like one, without proof. */
  readonly doubtful: readonly Section[]
}

/** Takes the rows of a list in their order. */
export interface SectionReader {
  add(row: readonly string[]): void
  end(): Sections
}

/** Why a row cannot be read. */
export type RejectReason = 'cells' | 'quotes' | 'encoding' | 'nul'

/** A line at an end of a table, as cells; `lines` is more than 1 where a quoted cell holds line breaks. */
export interface EdgeLine {
  readonly cells: readonly string[]
  readonly lines: number
}

/**
 * The first and the last lines of the table of a file, blank ones included; `isAll`: both are the complete table. `skipped` surround
 * it, those below from line `belowAt` on.
 */
export interface TableEdges {
  readonly file: string
  readonly first: readonly EdgeLine[]
  readonly last: readonly EdgeLine[]
  readonly isAll: boolean
  readonly skipped: { readonly above: readonly EdgeLine[]; readonly below: readonly EdgeLine[]; readonly belowAt: number }
}

/**
 * A column whose cells are counted while the input is read, and what is counted besides empty cells. Names, numbers and values are
 * counted in a profile only, and keys have one.
 */
export interface WatchedColumn {
  readonly index: number
  readonly of: readonly ('profile' | 'names' | 'numbers' | 'values' | 'keys' | 'formulas' | 'lengths' | 'kinds')[]
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
  /** Texts in place of a name, such as `N/A`. */
  readonly noNames: ValueWarning
  /** Numbers as a spreadsheet writes those too long for it: 4.41E+11. */
  readonly exponents: ValueWarning
  readonly formulas: ValueWarning
  /** Cells of more characters than a cell of Excel holds. */
  readonly tooLong: ValueWarning
  readonly repeated: ValueWarning
  /** Cells that are a number, and that are a date. */
  readonly kinds: { readonly numbers: number; readonly dates: number }
  /** Each different value, the first thousand of them. */
  readonly values: readonly (ValueWarning & { readonly text: string })[]
}
