/** Prints errors and issues: place, code, message, and hint with the command that follows it. Stack traces need --debug. */
import { type Action, actionOf, FettleError, type Issue, type Place } from '../../errors.ts'
import { escapeLines, escapeTerminal } from '../../report/formats/escape.ts'
import { place } from '../../report/words.ts'
import { DEFAULT_RUNS_DIR, hintWithCommand } from '../../shell-command.ts'

interface Printable {
  readonly label: string
  readonly code: string
  readonly at: Place | null
  readonly message: string
  readonly correlationId?: string | null
  readonly hint: string | null
  readonly action: Action | null
  /** The pipeline, when the command is about several. */
  readonly of?: string | null
}

/** Every part may contain foreign text, and is escaped separately. */
function print({ label, code, at, message, correlationId, hint, action, of }: Printable, runsDir: string): string {
  const pipeline = of == null ? '' : `[${escapeTerminal(of)}] `
  let text = `${pipeline}${label} ${code}${at === null ? '' : ` ${escapeTerminal(place(at))}`}\n  ${escapeTerminal(message)}`
  if (correlationId != null) text += `\n  correlation id: ${escapeTerminal(correlationId)}`
  if (hint !== null) text += `\n  hint: ${escapeTerminal(hintWithCommand(hint, action, runsDir))}`
  return text
}

/** One issue: `error FETTLE_X file:line:col`, what is wrong, and its hint; `of` is its pipeline among several. */
export const printIssue = (issue: Issue, runsDir: string = DEFAULT_RUNS_DIR, of: string | null = null): string =>
  print({ ...issue, of, action: actionOf(issue), label: issue.severity === 'warn' ? 'warning' : issue.severity }, runsDir)

/** All issues of a pipeline; `of` names it among several. */
export const printIssues = (issues: readonly Issue[], of: string | null): string =>
  issues.map(issue => printIssue(issue, DEFAULT_RUNS_DIR, of)).join('\n')

/** An error with all its issues; `debug` adds the stack and the chain of causes. Commands name `runsDir` unless it is the default. */
export function printError(error: unknown, debug: boolean, runsDir: string = DEFAULT_RUNS_DIR, of: string | null = null): string {
  const issues = FettleError.is(error) ? error.issues : []
  const own = issues.length > 0 ? issues.map(issue => printIssue(issue, runsDir, of)) : [printOne(error, runsDir, of)]
  if (debug)
    for (let cause = error; cause instanceof Error; cause = cause.cause) own.push(escapeLines(cause.stack ?? cause.message))
  return own.join('\n')
}

function printOne(error: unknown, runsDir: string, of: string | null): string {
  if (FettleError.is(error)) return print({ ...error, of, message: error.message, label: 'error' }, runsDir)
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const hint = 'this is a mistake in fettle; please report it with the output of --debug'
  return print({ of, label: 'error', code: 'FETTLE_BUG', at: null, message: `unexpected: ${why}`, hint, action: null }, runsDir)
}
