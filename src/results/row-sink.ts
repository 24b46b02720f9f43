/** What takes the rows of a run, each in turn: totals, outputs, lists for later stages, states for the next run, answers to keep. */
import type { Decision } from '../decide/decide.ts'
import type { JudgedHits } from '../model/results.ts'
import type { AuditedMatch } from './audit.ts'
import type { RowState } from './changes/row-states.ts'
import type { RowResult } from './decisions/apply-decisions.ts'
import type { EnrichedColumns } from './enriched-columns.ts'

/** A row of the input with its result; every sink gets the same object. */
export interface JoinedRow {
  /** From 1. */
  readonly number: number
  readonly inputRow: readonly string[]
  /** The cells as sent. */
  readonly uploadRow: readonly string[]
  readonly result: RowResult
  /** The row has the answer, or the company, of an earlier row. */
  readonly isRepeat: boolean
  /** Whether its company can be the one in the row; null where that is not audited. */
  readonly audit: AuditedMatch | null
  /** Identify the row for decisions, by key first; empty strings where no decision can be about it. */
  readonly fingerprints: readonly string[]
  /** Null where no states are kept, and for a row that was not sent. */
  readonly state: RowState | null
  /** What the decision table decided; null without one, and for a row that was not sent. */
  readonly ruled: Decision | null
  /** What the search for its company found; null where there was none. */
  readonly screened: JudgedHits | null
  /** Why there was none, in a word; null where that is not known. */
  readonly unscreened: string | null
}

/** Takes the rows of a run in their order; what it writes appears once all are accounted for. Its methods throw FETTLE_OUTPUT_WRITE. */
export interface RowSink {
  /** Called before the first rows whose answers have these columns. */
  begin?(columns: EnrichedColumns): void | Promise<void>
  add(row: JoinedRow): void | Promise<void>
  publish?(): Promise<void>
  /** Called in every case, after `publish` too. */
  discard?(): Promise<void>
}
