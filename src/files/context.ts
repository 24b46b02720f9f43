/** What reading and writing files of a run needs beside the plan. Types only. */

/** Where relative paths start, and what stops the work. */
export interface FileContext {
  /** The folder that relative paths start from and that outputs stay in; the working directory when absent. */
  readonly root?: string
  readonly signal?: AbortSignal
  /** Milliseconds since 1970, on the clock that files are dated by; without it, a file is hashed at every look. */
  readonly now?: () => number
}
