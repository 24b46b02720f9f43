/** The result of one check of the doctor, with a hint. */
import { type Action, ERRORS, type ErrorCode, FettleError } from '../errors.ts'

/** One line of the doctor's; `code` is the error that a run would end with. */
export interface CheckResult {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly hint: string | null
  /** The command that follows the hint. */
  readonly action?: Action
  readonly code: ErrorCode | null
}

export const ok = (name: string, message: string): CheckResult => ({ name, status: 'ok', message, hint: null, code: null })

export function warn(name: string, message: string, hint: string, action: Action | null = null): CheckResult {
  return { name, status: 'warn', message, hint, action: action ?? undefined, code: null }
}

export function fail(
  name: string,
  code: ErrorCode,
  message: string,
  { hint = ERRORS[code].hint, action }: Partial<Pick<CheckResult, 'hint' | 'action'>> = {},
): CheckResult {
  return { name, status: 'fail', message, hint, action, code }
}

/** The result of `check`, or the failure it throws. */
export async function attempt<T>(name: string, check: () => T | Promise<T>): Promise<T | CheckResult> {
  try {
    return await check()
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return fail(name, error.code, error.message, { hint: error.hint, action: error.action ?? undefined })
  }
}
