/** Types of facts about an input, and of the plan. Types only. */

export type { CellCounts, ValueWarning, WatchedColumn } from './cell-counts.ts'
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
  /** Lines above the table and below it that are no part of it: how many, or `auto`, those that are recognised. */
  readonly skip?: SkippedLines
  /** Which sheet of a workbook: its name, its number from 1, or null for the first with content. */
  readonly sheet: string | number | null
  /** Of a database: the query whose rows are the input. */
  readonly sql?: string
}

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
