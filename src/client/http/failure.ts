/** Words for what went wrong with a request: what was attempted, on what, why. Never headers, bodies or queries. */
import { type ErrorCode, type ErrorDetails, FettleError } from '../../errors.ts'
import type { Redactor } from '../redact.ts'
import type { Miss } from '../retry/policy.ts'

/** Why an attempt brought no answer, in one clause. */
export function describe(miss: Miss, redactor: Redactor, who = 'the service'): string {
  switch (miss.type) {
    case 'loss':
      return redactor.clean(miss.loss.text)
    case 'status': {
      const told = miss.fault.text === null ? '' : `: ${redactor.clean(miss.fault.text)}`
      return `${who} answered ${miss.status}${miss.redirect ? ` (${redactor.clean(miss.redirect)})` : told}`
    }
    case 'offContract':
      return `${who} answered ${miss.status} ${redactor.clean(miss.text)}`
  }
}

// What an error can say of an attempt besides its message.
function detailsOf(miss: Miss): ErrorDetails {
  if (miss.type === 'loss') return {}
  const correlationId = miss.type === 'status' ? miss.fault.correlationId : miss.correlationId
  return { status: miss.status, correlationId }
}

/** The error for a request that ends here. */
export function failure(code: ErrorCode, label: string, why: string, miss: Miss, more: ErrorDetails = {}): FettleError {
  return new FettleError(code, `${label}: ${why}.`.replace(/([.!?…])\.$/, '$1'), { ...detailsOf(miss), ...more })
}
