/** What the record scanner may find wrong, as values without words. Types only. */

/** What can be wrong at one place. `merged`: several lines became one record although each would be a record by itself. */
export type ProblemKind = 'bareQuote' | 'spaceBeforeQuote' | 'afterQuote' | 'unclosed' | 'nul' | 'bytes' | 'columns' | 'merged'

/** One place; `record` counts from 1 and includes the header, line and column (in characters) count from 1. */
export interface Problem {
  readonly kind: ProblemKind
  readonly line: number
  readonly column: number | null
  readonly record: number
}

/** A record with another number of cells than the first. */
export interface Ragged {
  readonly line: number
  readonly record: number
  readonly found: number
}
