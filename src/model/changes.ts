/** What changed from one run of a list to the next, row by row. */

export const CHANGE_KINDS = ['new', 'gone', 'matched', 'lost', 'moved', 'changed', 'outcome', 'decided', 'undone'] as const
/**
 * `matched`: the row has a company now; `lost`: it has none now; `moved`: another company; `changed`: the same company with other
 * data; `outcome`: it has no company before and after, and another outcome, such as review after unmatched; `decided`: a person decided about it;
 * `undone`: a decision applied to it before and does not now; such a row is also of another kind.
 */
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** Whether the cells of the row, the answer of the service, the data of the company, or a decision made the difference. */
export type ChangeCause = 'list' | 'answer' | 'company' | 'decision'

export type ChangeCounts = Record<ChangeKind, number>

export const noChanges = (): ChangeCounts => ({
  new: 0,
  gone: 0,
  matched: 0,
  lost: 0,
  moved: 0,
  changed: 0,
  outcome: 0,
  decided: 0,
  undone: 0,
})

interface RowPlace {
  readonly outcome: string
  /** Empty texts without a company. */
  readonly company: { readonly id: string; readonly name: string }
}

export interface RowChange {
  readonly kind: ChangeKind
  readonly cause: ChangeCause
  /** Data row from 1 of the later list; null when it is gone. */
  readonly row: number | null
  readonly key: string | null
  readonly name: string
  readonly before: RowPlace | null
  readonly after: RowPlace | null
  /** Of `changed`: the columns that differ. */
  readonly columns: readonly { readonly name: string; readonly before: string; readonly after: string }[]
}

/** What a run changed against an earlier one; the rows are the first of each kind. */
export interface RunChanges {
  /** The earlier run. */
  readonly against: string
  readonly counts: ChangeCounts
  readonly rows: readonly RowChange[]
}
