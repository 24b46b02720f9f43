/** One line of a decisions file, and its columns. Imports nothing: the report page uses it in a browser. */

/** The columns of a decisions file; the first two must be there. */
export const DECISION_COLUMNS = ['fingerprint', 'decision', 'company', 'companyName', 'name', 'by', 'at', 'expires'] as const

/**
 * One line: the row is this company, or is not. `reject` without a company rejects all candidates; `undo` removes earlier lines.
 */
export interface Decision {
  readonly fingerprint: string
  readonly decision: 'accept' | 'reject' | 'undo'
  readonly company: string
  readonly companyName: string
  /** The name in the row, for readers of the file. */
  readonly name: string
  readonly by: string
  /** UTC, with or without a time. */
  readonly at: string
  /** The last valid day, '' for no limit. */
  readonly expires: string
}
