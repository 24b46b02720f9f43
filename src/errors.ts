/**
 * The one error class and the table of codes, with text, hint and exit code, for `fettle explain CODE`, docs/errors.md and every process.
 */
import { type Action, type Entry, ERRORS, type ErrorKind, EXIT } from './errors/table.ts'

export { type Action, action, ERRORS, type ErrorKind, EXIT } from './errors/table.ts'

/** A stable identifier from the table. */
export type ErrorCode = keyof typeof ERRORS

/** The codes of a family. */
export type CodeOf<K extends ErrorKind> = { [C in ErrorCode]: (typeof ERRORS)[C]['kind'] extends K ? C : never }[ErrorCode]

/** A position in a file; line and column count from 1, null if unknown. */
export interface Place {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
}

/** One problem found by `check` or during a run. `rows` are data row numbers from 1, the first few only. */
export interface Issue {
  readonly code: ErrorCode
  readonly severity: 'error' | 'warn' | 'info'
  readonly message: string
  readonly hint: string | null
  readonly at: Place | null
  readonly column: string | null
  readonly count: number
  readonly rows: readonly number[]
  /** What to do next as a command, where `hint` asks for one that differs from the table's. */
  readonly action?: Action
}

/** An issue with the fields that are absent or undefined filled in; the hint defaults to the table's. */
export const issue = (code: ErrorCode, message: string, details: Partial<Omit<Issue, 'code' | 'message'>> = {}): Issue => {
  const { severity = 'error', hint = ERRORS[code].hint, at = null, column = null, count = 1, rows = [], action } = details
  const filled: Issue = { code, severity, message, hint, at, column, count, rows }
  return action === undefined ? filled : { ...filled, action }
}

/** Optional fields of an error. */
export interface ErrorDetails {
  readonly hint?: string
  /** The table's where neither hint nor action is given. */
  readonly action?: Action
  readonly at?: Place | null
  readonly cause?: unknown
  /** HTTP status of the answer, when there was one. */
  readonly status?: number
  /** The service's id of the request. */
  readonly correlationId?: string | null
  /** The request may have taken effect: check before repeating it. */
  readonly unanswered?: boolean
  /** All problems of a file, when the error represents several. */
  readonly issues?: readonly Issue[]
}

const BRAND = Symbol.for('fettle.error')

/** The root of every error fettle throws. `code` identifies it, `kind` groups it, `exitCode` follows from the kind. */
export class FettleError extends Error {
  override readonly name = 'FettleError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly exitCode: number
  readonly hint: string
  /** The command that follows the hint, where there is one. */
  readonly action: Action | null
  readonly at: Place | null
  readonly status: number | null
  readonly correlationId: string | null
  readonly unanswered: boolean
  readonly issues: readonly Issue[]

  /** `message`: what was attempted, on what, and why it failed. The hint defaults to the table's. */
  constructor(code: ErrorCode, message: string = ERRORS[code].text, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.kind = ERRORS[code].kind
    this.exitCode = EXIT[this.kind]
    this.hint = details.hint ?? ERRORS[code].hint
    this.action = details.action ?? (details.hint === undefined ? ERRORS[code].action : null)
    this.at = details.at ?? null
    this.status = details.status ?? null
    this.correlationId = details.correlationId ?? null
    this.unanswered = details.unanswered ?? false
    this.issues = details.issues ?? []
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for a FettleError, also one of another copy of the package; of one family, when it is named. */
  static is<K extends ErrorKind = ErrorKind>(
    error: unknown,
    kind?: K,
  ): error is FettleError & { readonly kind: K; readonly code: CodeOf<K> } {
    if (typeof error !== 'object' || error === null || !(BRAND in error)) return false
    return kind === undefined || (error as unknown as FettleError).kind === kind
  }
}

/** The action of an issue: its own, or the table's where the hint is the table's. */
export const actionOf = ({ code, hint, action }: Pick<Issue, 'hint' | 'action'> & { readonly code: string }): Action | null => {
  const known: Entry<ErrorKind> | undefined = ERRORS[code as ErrorCode]
  return action ?? (known?.hint === hint ? known.action : null)
}

/** The error that represents all problems of a file: the first problem's code, every problem in `issues`. */
export function errorOfIssues(issues: readonly Issue[]): FettleError {
  const errors = issues.filter(issue => issue.severity === 'error')
  const first = errors[0] ?? issues[0]
  if (first === undefined) return new FettleError('FETTLE_BUG', 'errorOfIssues was called without an issue')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new FettleError(first.code, first.message + more, {
    at: first.at,
    issues,
    hint: first.hint ?? undefined,
    action: actionOf(first) ?? undefined,
  })
}
