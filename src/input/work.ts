/** What source and results are given beside the plan. Types only. */

/** Settings shared by source and results. */
export interface WorkExtra {
  /** The folder that relative paths start from and that outputs stay in; the working directory when absent. */
  readonly root?: string
  readonly signal?: AbortSignal
}
