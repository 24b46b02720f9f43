/** Counts the rows of a plan that are sent and skipped. */
import { filledRows } from '../../model/filled-rows.ts'
import type { InputFacts, Plan, Shard } from '../model/types.ts'

/** Rows of a plan, and how many of them are sent or skipped. */
export interface PlannedRows {
  readonly rows: number
  readonly sent: number
  readonly skipped: number
}

export interface PlannedShard extends PlannedRows {
  readonly shard: Shard
}

/** Whether the rows must be counted: different ones, or empty ones among some of the rows. */
export const needsCount = ({ collapse, input, rows }: Pick<Plan, 'collapse' | 'input' | 'rows'>): boolean =>
  collapse || (input.emptyRows !== undefined && rows < input.rows)

/** Until they are counted, empty rows come last: the fewest are among the first rows. */
export function assumedCounts(facts: InputFacts, rows: number): Omit<PlannedRows, 'rows'> {
  const sent = Math.min(rows, filledRows(facts))
  return { sent, skipped: rows - sent }
}
