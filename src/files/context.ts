/** Options for reading and writing the files of a run. Types only. */

export interface FileContext {
  /** The folder that relative paths start from and that outputs stay in; the working directory when absent. */
  readonly root?: string
  readonly signal?: AbortSignal
  /** Milliseconds since 1970, on the clock of file times; without it, files are hashed on every check. */
  readonly now?: () => number
}
