/** The result of one check of the doctor, with a hint. */
import { type Action, ERRORS, type ErrorCode, FettleError } from '../../errors.ts'

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

export const warn = (name: string, message: string, hint: string, action: Action | null = null): CheckResult => ({
  name,
  status: 'warn',
  message,
  hint,
  ...(action === null ? {} : { action }),
  code: null,
})

export const fail = (
  name: string,
  code: ErrorCode,
  message: string,
  hint: string = ERRORS[code].hint,
  action: Action | null = null,
): CheckResult => ({ name, status: 'fail', message, hint, ...(action === null ? {} : { action }), code })

/** What `look` gives, or the failure it throws. */
export async function attempt(name: string, look: () => CheckResult | Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await look()
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return fail(name, error.code, error.message, error.hint, error.action)
  }
}
