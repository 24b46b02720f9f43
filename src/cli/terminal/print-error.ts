/** Errors and issues as a person reads them: place, code, what is wrong, how to cure it. No stack trace but with --debug. */
import { FettleError, type Issue, type Place } from '../../errors.ts'
import { escapeLines, escapeTerminal } from '../../report/formats/escape.ts'
import { place } from '../../report/words.ts'

interface Printable {
  readonly label: string
  readonly code: string
  readonly at: Place | null
  readonly message: string
  readonly correlationId?: string | null
  readonly hint: string | null
}

/** Every part is foreign text as far as the terminal is concerned, and is cleaned for itself. */
function print({ label, code, at, message, correlationId, hint }: Printable): string {
  const lines = [
    `${label} ${code}${at === null ? '' : ` ${escapeTerminal(place(at))}`}`,
    `  ${escapeTerminal(message)}`,
    ...(correlationId == null ? [] : [`  correlation id: ${escapeTerminal(correlationId)}`]),
    ...(hint === null ? [] : [`  hint: ${escapeTerminal(hint)}`]),
  ]
  return lines.join('\n')
}

/** One issue: `error FETTLE_X file:line:col`, what is wrong, and its hint. */
export const printIssue = (issue: Issue): string =>
  print({ ...issue, label: issue.severity === 'warn' ? 'warning' : issue.severity })

/** An error with all its issues; `debug` adds the stack and the chain of causes. */
export function printError(error: unknown, debug: boolean): string {
  const known = FettleError.is(error)
  const own = known && error.issues.length > 0 ? error.issues.map(printIssue) : [printOne(error)]
  return [...own, ...(debug ? stacksOf(error) : [])].join('\n')
}

function printOne(error: unknown): string {
  if (FettleError.is(error)) return print({ ...error, message: error.message, label: 'error' })
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const hint = 'this is a mistake in fettle; please report it with the output of --debug'
  return print({ label: 'error', code: 'FETTLE_BUG', at: null, message: `unexpected: ${why}`, hint })
}

function* stacksOf(error: unknown): Generator<string> {
  for (let one: unknown = error; one instanceof Error; one = one.cause) yield escapeLines(one.stack ?? one.message)
}
