/**
 * The only loop that retries a request. It applies the decisions of retry/policy.ts: charges each retry to the budget, waits, renews
 * the token once, and checks whether an effect happened before it is caused again.
 */
import { waiting } from '../../abort.ts'
import { type ErrorCode, type ErrorDetails, FettleError } from '../../errors.ts'
import type { Clock, Doubt, Effect } from '../../model/requests.ts'
import type { Tokens } from '../auth/session.ts'
import type { Redactor } from '../redact.ts'
import {
  backoffMs,
  type Decision,
  decide,
  LOGIN_PAUSE_MS,
  type Miss,
  type Outcome,
  outageWaitMs,
  type Policy,
  THROTTLES,
  throttleMs,
} from '../retry/policy.ts'
import type { RateLimiter } from '../retry/rate-limiter.ts'
import type { RetryBudget } from '../retry/retry-budget.ts'
import type { ConnectOptions } from '../types.ts'

export interface Call<T> {
  readonly policy: Policy
  /** What is attempted, on what: the start of every message about it. */
  readonly label: string
  readonly who?: string
  /** The answer is not used: a success that stays empty is taken as one. */
  readonly confirms?: boolean
  /** Sent with the token; not set for the login itself and for foreign links. */
  readonly authorised: boolean
  /** Time for which the token must still be valid. */
  readonly spareMs?: number
  readonly attempts?: number
  readonly signal?: AbortSignal
  readonly onThrottled?: () => void
  readonly look?: (doubt: Doubt) => Promise<T | undefined>
  /** Hints by status, kind of network error or of an answer off the contract, when the hint of the error code is too general. */
  readonly hints?: Readonly<Record<string, string>>
  attempt(token: string | null): Promise<Outcome<T>>
}

/** What the loop uses. Rate limiter and budget may be shared with other clients. */
export interface Tools {
  readonly clock: Clock
  readonly pace: RateLimiter
  readonly quota: RetryBudget
  readonly session: Tokens
  readonly redactor: Redactor
  readonly attempts: number
  readonly outage?: Outage
  readonly deadline: () => number
  /** Aborted: the loop stops waiting; a request in flight is still awaited. */
  readonly stop?: AbortSignal
  readonly onRetry: (text: string) => void
  readonly onRepeat: () => void
  readonly onPaused: (ms: number) => void
}

/** How long requests are repeated while the service is away. */
export class Outage {
  readonly #ms: number
  #hasReached: boolean

  constructor(options: ConnectOptions['outage']) {
    this.#ms = options?.ms ?? 0
    this.#hasReached = options?.atStart ?? false
  }

  noteReached(): void {
    this.#hasReached = true
  }

  /** Milliseconds left of an outage that has lasted this long. */
  left(lastedMs: number): number {
    return this.#hasReached ? Math.max(0, this.#ms - lastedMs) : 0
  }
}

// A refusal shows that the service works; a server error and a reply that is lost or cut do not.
const isReached = (outcome: Outcome<unknown> | null): boolean =>
  outcome !== null &&
  outcome.type !== 'loss' &&
  !(outcome.type === 'offContract' && outcome.how === 'cut') &&
  (outcome.type !== 'status' || (outcome.status < 500 && outcome.status !== 408 && outcome.status !== 429))

async function attemptWithinRate<T>(call: Call<T>, token: string | null, tools: Tools): Promise<Outcome<T>> {
  const { deadline, onPaused, stop } = tools
  const leave = await tools.pace.enter({ signal: call.signal, stop, deadline, onPaused })
  let outcome: Outcome<T> | null = null
  try {
    outcome = await call.attempt(token)
    return outcome
  } finally {
    const reached = isReached(outcome)
    if (reached) tools.outage?.noteReached()
    leave(reached)
  }
}

/** Checks whether the effect happened. When the check fails the outcome is unknown; a denied check is reported as such. */
async function findEffect<T>(call: Call<T>, doubt: Doubt, why: string, miss: Miss): Promise<T | undefined> {
  try {
    return await call.look?.(doubt)
  } catch (error) {
    if (call.signal?.aborted) throw error
    const reason = error instanceof Error ? error.message : 'for an unknown reason'
    const code: ErrorCode = FettleError.is(error) && error.kind === 'denied' ? error.code : 'FETTLE_UNANSWERED'
    throw createFailure(call, miss, {
      code,
      why: `${why}; whether it took effect is unknown: ${reason}`,
      cause: error,
      unanswered: true,
    })
  }
}

interface RetryCounts {
  failures: number
  /** When the service was first found away; null while it is there. */
  awaySince: number | null
  throttles: number
  readonly reasons: Map<string, number>
}

interface Step {
  readonly waitMs: number
  /** The pause that the service asked for, for the message; absent without one. */
  readonly pauseMs?: number
  /** Why the request is not retried, null when it is. */
  readonly end: string | null
}

function chargeRetry(decision: Decision, call: Call<unknown>, counts: RetryCounts, tools: Tools): Step {
  if (decision.act === 'wait') {
    counts.throttles += 1
    const own = call.policy.login ? LOGIN_PAUSE_MS : throttleMs(counts.throttles, tools.clock.random())
    const over = counts.throttles > THROTTLES
    call.onThrottled?.()
    // The rate limiter waits, since the pause delays every other request too.
    const pauseMs = decision.ms ?? own
    if (!over) tools.pace.pause(pauseMs)
    return { waitMs: 0, pauseMs, end: over ? `still throttled after ${THROTTLES} pauses` : null }
  }
  if (decision.act !== 'repeat') return { waitMs: 0, end: '' }
  counts.failures += 1
  const seen = (counts.reasons.get(decision.reason) ?? 0) + 1
  counts.reasons.set(decision.reason, seen)
  const now = tools.clock.monotonic()
  counts.awaySince = decision.away ? (counts.awaySince ?? now) : null
  const attempts = call.attempts ?? tools.attempts
  const isOver = counts.failures >= attempts || seen > decision.most
  // Logins have their own rests.
  const mayOutlast = decision.away && attempts > 1 && !call.policy.login
  const outageMs = mayOutlast ? (tools.outage?.left(now - (counts.awaySince ?? now)) ?? 0) : 0
  const waitMs = (isOver ? outageWaitMs : backoffMs)(counts.failures, tools.clock.random())
  if (isOver && waitMs > outageMs)
    return { waitMs, end: `given up after ${counts.failures} attempt${counts.failures === 1 ? '' : 's'}` }
  if (waitMs > tools.deadline()) return { waitMs: 0, end: 'no time is left for another attempt' }
  if (!isOver && !tools.quota.take(decision.cost) && outageMs === 0)
    return { waitMs, end: 'not retried: the retry budget of this process is used up' }
  return { waitMs, end: null }
}

const hintKey = (miss: Miss): string | number =>
  miss.type === 'loss' ? miss.loss.kind : miss.type === 'offContract' ? miss.how : miss.status

/**
 * Sends a request until it is answered, finally refused, or may not be retried. After a lost reply the effect is checked just before
 * the next attempt, as late as possible, since a slow service may still be working on it.
 */
export async function sendWithRetries<T>(call: Call<T>, tools: Tools): Promise<Effect<T>> {
  const counts: RetryCounts = { failures: 0, awaySince: null, throttles: 0, reasons: new Map() }
  const { session, clock } = tools
  const ends = [call.signal, tools.stop]
  let renewed = false
  for (;;) {
    const token = call.authorised ? await waiting(ends, either => session.token(call.spareMs ?? 0, either)) : null
    const outcome = await attemptWithinRate(call, token, tools)
    if (outcome.type === 'answer') {
      tools.quota.refund()
      return { value: outcome.value, adopted: false }
    }
    const decision = decide(call.policy, outcome)
    const why = describe(outcome, tools.redactor, call.who)
    const hint = call.hints?.[hintKey(outcome)]
    const refuse = (code: ErrorCode, text: string, more: ErrorDetails = {}) =>
      createFailure(call, outcome, { code, why: text, hint, ...more })

    if (decision.act === 'stop') throw refuse(decision.code, why)
    if (decision.act === 'renew') {
      if (renewed || token === null) throw refuse('FETTLE_LOGIN', `${why}, also with a new token`)
      renewed = true
      await waiting(ends, either => session.renew(token, either))
      tools.onRepeat()
      continue
    }

    // A service that restarts meanwhile takes no token of before.
    renewed = false
    const step = chargeRetry(decision, call, counts, tools)
    if (step.end === null && step.waitMs > 0) await waiting(ends, either => clock.sleep(step.waitMs, either))
    if (decision.mayHaveRun && call.policy.repeat !== 'free') {
      // A refusal is an answer: no earlier attempt can have taken effect.
      if (call.look === undefined)
        throw decision.act === 'ask' ? refuse(decision.code, why) : refuse('FETTLE_UNANSWERED', why, { unanswered: true })
      const isUnavailable = outcome.type === 'status' && outcome.status === 503
      const doubt = decision.act === 'ask' ? 'refused' : isUnavailable ? 'unavailable' : 'lost'
      const found = await findEffect(call, doubt, why, outcome)
      if (found !== undefined) return { value: found, adopted: true }
    }
    if (step.end !== null && call.confirms && outcome.type === 'offContract' && outcome.how === 'empty')
      return { value: null as T, adopted: true }
    if (step.end !== null) throw refuse(decision.code, step.end === '' ? why : `${why}; ${step.end}`)
    tools.stop?.throwIfAborted()
    tools.onRepeat()
    const when = step.pauseMs === undefined ? '' : ` in ${Math.ceil(step.pauseMs / 1000)} s`
    tools.onRetry(`${call.label}: ${why}; sending it again${when}`)
  }
}

function describe(miss: Miss, redactor: Redactor, who = 'the service'): string {
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

function readDetails(miss: Miss): ErrorDetails {
  if (miss.type === 'loss') return {}
  const correlationId = miss.type === 'status' ? miss.fault.correlationId : miss.correlationId
  return { status: miss.status, correlationId }
}

function createFailure(
  { label }: Pick<Call<unknown>, 'label'>,
  miss: Miss,
  { code, why, ...details }: ErrorDetails & { readonly code: ErrorCode; readonly why: string },
): FettleError {
  return new FettleError(code, `${label}: ${why}.`.replace(/([.!?…])\.$/, '$1'), { ...readDetails(miss), ...details })
}
