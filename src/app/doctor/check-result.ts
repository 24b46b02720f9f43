/** What a look at one thing found, and how to cure it. It looks at nothing itself. */
import { ERRORS, type ErrorCode, FettleError } from '../../errors.ts'

/** One line of the doctor's; `code` is the error that a run would end with. */
export interface CheckResult {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly hint: string | null
  readonly code: ErrorCode | null
}

/** Nothing to cure. */
export const ok = (name: string, message: string): CheckResult => ({ name, status: 'ok', message, hint: null, code: null })

/** A run works, but perhaps not as it should. */
export const warn = (name: string, message: string, hint: string): CheckResult => ({
  name,
  status: 'warn',
  message,
  hint,
  code: null,
})

/** A run would end with this. */
export const fail = (name: string, code: ErrorCode, message: string, hint: string = ERRORS[code].hint): CheckResult => ({
  name,
  status: 'fail',
  message,
  hint,
  code,
})

/** What `look` gives, or the failure it throws. */
export async function attempt(name: string, look: () => CheckResult | Promise<CheckResult>): Promise<CheckResult> {
  try {
    return await look()
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return fail(name, error.code, error.message, error.hint)
  }
}
