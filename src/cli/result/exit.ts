/** The only place that decides an exit code: from results, errors and signals. */
import { EXIT, FettleError } from '../../errors.ts'

/** The worst first, for several pipelines in one call. */
const KINDS = ['sigint', 'sigterm', 'bug', 'usage', 'denied', 'input', 'output', 'rejected', 'retryable', 'checks', 'ok'] as const
const WORST_FIRST: readonly number[] = KINDS.map(kind => EXIT[kind])

/** The worst of several exit codes; 0 for an empty list. */
export const worstExit = (codes: readonly number[]): number =>
  WORST_FIRST.find(code => codes.includes(code)) ?? codes[0] ?? EXIT.ok

/** The exit code of a thrown value: by kind for a FettleError, otherwise a bug. */
export const chooseExit = (error: unknown): number => (FettleError.is(error) ? error.exitCode : EXIT.bug)
