/** The port through which monitoring learns what changed in the registers. Whoever keeps registers stands behind it. */
import type { Facts, Field } from '../portfolios/company-facts.ts'

/** A field of a company that a newer snapshot of its register tells differently. */
export interface Change {
  readonly connectId: string
  readonly field: Field
  /** '' when the register said nothing before. */
  readonly old: string
  readonly new: string
}

/** What one import changed in one register. */
export interface ChangeSet {
  readonly register: string
  /** Greater than that of every earlier set of this register. */
  readonly sequence: number
  /** Day the newer data was taken, `2026-01-31`. */
  readonly snapshotDate: string
  readonly changes: AsyncIterable<Change> | Iterable<Change>
}

/** What has been applied already. */
export interface Applied {
  /** Sequence of the last set of each register; a register that is not here had none. */
  readonly sequences: ReadonlyMap<string, number>
  /** The companies anybody watches, as they were then; changes of others need not be told. */
  watched(): ReadonlyMap<string, Facts>
}

/** Gives the change sets that are still to be applied, oldest first. */
export interface ChangeSource {
  after(applied: Applied): AsyncIterable<ChangeSet>
}

/** Where nothing ever changes. */
export const UNCHANGING: ChangeSource = { async *after() {} }
