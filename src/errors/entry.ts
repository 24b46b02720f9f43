/** Exit codes, and the form of a row in the table of error codes. */

/** Exit codes of the process; the table in README "Exit codes" is checked against it. */
export const EXIT = {
  ok: 0,
  checks: 1,
  usage: 2,
  input: 65,
  bug: 70,
  output: 73,
  retryable: 75,
  rejected: 76,
  denied: 77,
  sigint: 130,
  sigterm: 143,
} as const

/** The family an error belongs to, to switch on; it fixes the exit code. */
export type ErrorKind = Exclude<keyof typeof EXIT, 'ok'>

/** A row of the table of codes. */
export interface Entry<K extends ErrorKind> {
  readonly kind: K
  /** What it means, one sentence. */
  readonly text: string
  /** What to do, as an imperative; the command line appends `action` to it. */
  readonly hint: string
  readonly action: Action | null
  /** Only ever a note or a warning: no command ends with it. */
  readonly isNotice?: true
}

/** What to do next, as a command of fettle: `{ command: 'resume', args: ['20260101T…'] }`. The command line prints it for a shell. */
export interface Action {
  readonly command: string
  readonly args: readonly string[]
}

/** Builds an action: `action('resume', runId)`. */
export const action = (command: string, ...args: readonly string[]): Action => ({ command, args })

/** Writes a row. */
export const entry = <K extends ErrorKind>(kind: K, text: string, hint: string, next: Action | null = null): Entry<K> => ({
  kind,
  text,
  hint,
  action: next,
})

/** Writes a row that is only ever a note or a warning. */
export const notice = <K extends ErrorKind>(...row: Parameters<typeof entry<K>>): Entry<K> => ({
  ...entry(...row),
  isNotice: true,
})
