/** The structural problems that the record scanner finds. Types only. */

/** `merged`: a quoted cell joined lines of which each would be a record by itself. */
export type ProblemKind = 'bareQuote' | 'spaceBeforeQuote' | 'afterQuote' | 'unclosed' | 'nul' | 'bytes' | 'columns' | 'merged'

/** `record` counts from 1 and includes the header; `line` and `column` (in characters) count from 1. */
export interface Problem {
  readonly kind: ProblemKind
  readonly line: number
  readonly column: number | null
  readonly record: number
}

export interface Ragged {
  readonly line: number
  readonly record: number
  readonly found: number
}
