/** A column with its distinct values, the first thousand at most. */
export interface SeenColumn {
  readonly index: number
  readonly header: string | null
  readonly filled: number
  readonly distinct: number
  readonly values: readonly string[]
  /** The number of cells with each of `values`. */
  readonly counts: readonly number[]
  readonly examples: readonly string[]
}
