/** THE place where an exit code is decided: from results, from an error, from a signal. It prints nothing. */
import { EXIT, FettleError } from '../../errors.ts'

/** The worst first (design: several pipelines). Signals stand above all. */
const WORST_FIRST: readonly number[] = [
  EXIT.sigint,
  EXIT.sigterm,
  EXIT.bug,
  EXIT.usage,
  EXIT.denied,
  EXIT.input,
  EXIT.output,
  EXIT.rejected,
  EXIT.retryable,
  EXIT.checks,
  EXIT.ok,
]

/** The worst of several exit codes; 0 when there is none. */
export const worstExit = (codes: readonly number[]): number =>
  WORST_FIRST.find(code => codes.includes(code)) ?? codes[0] ?? EXIT.ok

/** The exit code of whatever a command threw: ours by kind, anything else is a bug. */
export const exitOf = (error: unknown): number => (FettleError.is(error) ? error.exitCode : EXIT.bug)
