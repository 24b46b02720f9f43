/** The interface through which monitoring reads the changes of the registers. */
import type { Facts, Field } from '../portfolios/company-facts.ts'

export interface Change {
  readonly connectId: string
  readonly field: Field
  /** '' when the register had no value before. */
  readonly old: string
  readonly new: string
}

export interface ChangeSet {
  readonly register: string
  readonly sequence: number
  /** Day of the newer data, `2026-01-31`. */
  readonly snapshotDate: string
  readonly changes: AsyncIterable<Change> | Iterable<Change>
}

export interface Applied {
  /** Sequence of the last applied set of each register, if any. */
  readonly sequences: ReadonlyMap<string, number>
  /** The last known state of the monitored companies; changes of others may be omitted. */
  watched(): ReadonlyMap<string, Facts>
}

/** Yields the pending change sets, oldest first. */
export interface ChangeSource {
  after(applied: Applied): AsyncIterable<ChangeSet>
}

/** A source without changes. */
export const UNCHANGING: ChangeSource = { async *after() {} }
