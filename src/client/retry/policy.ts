/**
 * The retry policy: decides from the outcome of one attempt what to do next and how long to wait. Numbers and sets are from contract
 * §14.2; whether an operation may be repeated is a column of the table of operations.
 */
import type { Fault, Operation } from '../../contract/index.ts'
import type { ErrorCode } from '../../errors.ts'
import type { NetworkError } from './network-error.ts'
import { COST } from './retry-budget.ts'

export type Outcome<T> = { readonly type: 'answer'; readonly value: T } | Miss

/** An attempt without a usable reply. */
export type Miss =
  | { readonly type: 'loss'; readonly loss: NetworkError }
  | {
      readonly type: 'status'
      readonly status: number
      readonly retryAfterMs: number | null
      readonly fault: Fault
      readonly redirect?: string
    }
  /** A 2xx that is not the documented JSON: cut short, another type, or JSON of another shape. */
  | {
      readonly type: 'offContract'
      readonly how: 'cut' | 'empty' | 'notJson' | 'shape'
      readonly status: number
      readonly text: string
      readonly correlationId: string | null
    }

export interface Policy {
  readonly method: Operation['method']
  readonly repeat: Operation['repeat']
  readonly login: boolean
  /** Statuses that end this request with a special code. */
  readonly codes?: Readonly<Record<number, ErrorCode>>
}

/** `mayHaveRun`: the request may have taken effect, so check that before a retry. */
export type Decision = {
  readonly code: ErrorCode
  readonly mayHaveRun: boolean
} /** `renew`: the token was refused, so renew it and retry once. `ask`: refused, perhaps because it took effect before. */ & (
  | { readonly act: 'stop' | 'renew' | 'ask' }
  /** All requests pause for `ms`, or for our own default when null. */
  | { readonly act: 'wait'; readonly ms: number | null }
  /** Retry after a back-off, at most `most` times for this `reason`. */
  | {
      readonly act: 'repeat'
      readonly reason: string
      readonly most: number
      readonly cost: number
      /** The service is away, and may be back in some minutes. */
      readonly away: boolean
    }
)

/** Pauses for one request that the service keeps throttling: together longer than the service's one-minute window. */
export const THROTTLES = 6
/** The longest documented lock-out of a login (contract §4.2). */
export const LOGIN_PAUSE_MS = 5 * 60_000

const stop = (code: ErrorCode): Decision => ({ act: 'stop', code, mayHaveRun: false })
/** A service that restarts, or a network that breaks, shows one of these. */
const AWAY: readonly string[] = ['unreachable', 'connectTimeout', 'noProxy', 'reset', '502', '503', '504']

const repeat = (code: ErrorCode, mayHaveRun: boolean, reason: string, most = Number.POSITIVE_INFINITY): Decision => ({
  act: 'repeat',
  code,
  mayHaveRun,
  reason,
  most,
  cost: reason === 'timeout' || reason === 'connectTimeout' ? COST.timeout : COST.repeat,
  away: AWAY.includes(reason),
})

function decideLoss({ kind, sent }: NetworkError, login: boolean): Decision {
  switch (kind) {
    case 'tls':
      return stop('FETTLE_TLS')
    case 'proxy':
      return stop('FETTLE_FORBIDDEN')
    case 'tooLarge':
      return stop('FETTLE_CONTRACT')
    case 'noName':
      return repeat('FETTLE_NETWORK', sent, kind, 1)
    case 'timeout':
      return repeat('FETTLE_TIMEOUT', sent, kind, login ? 1 : undefined)
    default:
      return repeat('FETTLE_NETWORK', sent, kind)
  }
}

function decideStatus(status: number, retryAfterMs: number | null, policy: Policy): Decision {
  const own = policy.codes?.[status]
  if (own !== undefined) return stop(own)
  if (status === 401) return policy.login ? stop('FETTLE_LOGIN') : { act: 'renew', code: 'FETTLE_LOGIN', mayHaveRun: false }
  if (status === 429) return { act: 'wait', code: 'FETTLE_THROTTLED', mayHaveRun: false, ms: retryAfterMs }
  if (status === 503 && retryAfterMs !== null)
    return { act: 'wait', code: 'FETTLE_UNAVAILABLE', mayHaveRun: true, ms: retryAfterMs }
  if (status === 403 || status === 407 || status === 511) return stop('FETTLE_FORBIDDEN')
  if (status === 404) return stop('FETTLE_NOT_FOUND')
  if (status === 408) return repeat('FETTLE_TIMEOUT', true, 'timeout')
  if (policy.repeat === 'look' && (status === 400 || status === 409 || status === 422))
    return { act: 'ask', code: 'FETTLE_REJECTED', mayHaveRun: true }
  // A request that changes nothing can only conflict with a different request in flight.
  if (status === 409 && (policy.login || policy.method === 'GET'))
    return repeat('FETTLE_REJECTED', true, 'conflict', policy.login ? 1 : undefined)
  if (status >= 300 && status < 400) return stop('FETTLE_REDIRECT')
  if (status === 507) return stop('FETTLE_UNAVAILABLE')
  // An unknown 5xx is handled like 500 (RFC 9110 §15); 501 and 505 do not change on a retry.
  if (status >= 500 && status !== 501 && status !== 505) return repeat('FETTLE_UNAVAILABLE', true, `${status}`)
  return stop('FETTLE_REJECTED')
}

export function decide(policy: Policy, outcome: Miss): Decision {
  if (outcome.type === 'loss') return decideLoss(outcome.loss, policy.login)
  if (outcome.type === 'status') return decideStatus(outcome.status, outcome.retryAfterMs, policy)
  if (outcome.how === 'cut') return repeat('FETTLE_NETWORK', true, 'cut')
  // What was paid for is looked for, too, and not sent again.
  if (policy.repeat === 'look' || (policy.repeat === 'never' && policy.method !== 'GET'))
    return repeat('FETTLE_CONTRACT', true, 'offContract')
  return outcome.how === 'shape' ? stop('FETTLE_CONTRACT') : repeat('FETTLE_CONTRACT', true, 'offContract', 2)
}

/** Wait before attempt `failures` + 1: random between 0 and min(30 s, 0.5 s × 2ⁿ), full jitter. */
export const backoffMs = (failures: number, random: number): number => random * Math.min(30_000, 500 * 2 ** failures)

/** Wait before attempt `failures` + 1 during an outage: half of the longest back-off at least, so that it ends at two attempts a minute. */
export const outageWaitMs = (failures: number, random: number): number => backoffMs(failures, (1 + random) / 2)

/** Pause number `count` (from 1) when the service throttles without a Retry-After: 5 s doubling to 60 s, plus jitter. */
export const throttleMs = (count: number, random: number): number => Math.min(60_000, 5000 * 2 ** (count - 1)) * (1 + random / 5)
