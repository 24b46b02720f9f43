/** A violated invariant of a run. */

/**
 * The invariants: one job a run (I1), no row lost (I2), nothing half-written (I3), every planned fault happened and nothing is
 * left pending (I4), no secret anywhere (I5).
 */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5'

/** One way in which one of them is broken. */
export interface Violation {
  readonly invariant: Invariant
  readonly what: string
}
