/** Builds the error of a failed request: what was attempted, on what, and why, without headers, bodies and queries. */
import { type ErrorCode, type ErrorDetails, FettleError } from '../../errors.ts'
import type { Redactor } from '../redact.ts'
import type { Miss } from '../retry/policy.ts'

export function describe(miss: Miss, redactor: Redactor, who = 'the service'): string {
  switch (miss.type) {
    case 'loss':
      return redactor.clean(miss.loss.text)
    case 'status': {
      const text = miss.fault.text === null ? '' : `: ${redactor.clean(miss.fault.text)}`
      return `${who} answered ${miss.status}${miss.redirect ? ` (${redactor.clean(miss.redirect)})` : text}`
    }
    case 'offContract':
      return `${who} answered ${miss.status} ${redactor.clean(miss.text)}`
  }
}

function detailsOf(miss: Miss): ErrorDetails {
  if (miss.type === 'loss') return {}
  const correlationId = miss.type === 'status' ? miss.fault.correlationId : miss.correlationId
  return { status: miss.status, correlationId }
}

export function failure(code: ErrorCode, label: string, why: string, miss: Miss, more: ErrorDetails = {}): FettleError {
  return new FettleError(code, `${label}: ${why}.`.replace(/([.!?…])\.$/, '$1'), { ...detailsOf(miss), ...more })
}
