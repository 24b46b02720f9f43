/**
 * The one loop that sends a request again. It carries out the decisions of retry.ts: paying for each repeat, waiting, renewing
 * the token once, and asking whether an effect has happened before it is ever caused again. No other layer repeats a request.
 */

import { waiting } from '../../abort.ts'
import { type ErrorCode, type ErrorDetails, FettleError } from '../../errors.ts'
import type { Clock, Effect } from '../../model/requests.ts'
import type { Tokens } from '../auth/session.ts'
import { describe, failure } from '../http/failure.ts'
import type { Redactor } from '../redact.ts'
import {
  backoffMs,
  type Decision,
  decide,
  LOGIN_PAUSE_MS,
  type Miss,
  type Outcome,
  type Policy,
  THROTTLES,
  throttleMs,
} from '../retry/policy.ts'
import type { RateLimiter } from '../retry/rate-limiter.ts'
import type { RetryBudget } from '../retry/retry-budget.ts'

/** A request that the loop can send any number of times. */
export interface Call<T> {
  readonly policy: Policy
  /** What is attempted, on what: the beginning of every message about it. */
  readonly label: string
  /** Who answers, when it is not the service. */
  readonly who?: string
  /** Carries the token; the login itself and foreign links do not. */
  readonly authorised: boolean
  /** Life that must be left in the token. */
  readonly spareMs?: number
  readonly attempts?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Told that the service asked for a pause. */
  readonly onThrottled?: (() => void) | undefined
  /** Whether the effect has happened; see EffectOptions. */
  readonly look?: () => Promise<T | undefined>
  /** Cure by status or kind of loss, where the table's is too general. */
  readonly hints?: Readonly<Record<string, string>>
  /** One attempt, everything built anew. */
  attempt(token: string | null): Promise<Outcome<T>>
}

/** What the loop works with. Pace and quota may serve other clients too. */
export interface Tools {
  readonly clock: Clock
  readonly pace: RateLimiter
  readonly quota: RetryBudget
  readonly session: Tokens
  readonly redactor: Redactor
  readonly attempts: number
  readonly deadline: () => number
  /** Aborted: nothing is waited for any more, while what is in flight is heard out. */
  readonly stop?: AbortSignal | undefined
  readonly onRetry: (text: string) => void
  readonly onRepeat: () => void
  /** Told how long a pause held a request back. */
  readonly onPaused: (ms: number) => void
}

// A refusal shows that the service is up and answers us; a server error and a lost reply show nothing.
const isReached = (outcome: Outcome<unknown> | null): boolean =>
  outcome !== null &&
  outcome.type !== 'loss' &&
  (outcome.type !== 'status' || (outcome.status < 500 && outcome.status !== 408 && outcome.status !== 429))

async function attemptInTurn<T>(call: Call<T>, token: string | null, tools: Tools): Promise<Outcome<T>> {
  const { deadline, onPaused, stop } = tools
  const leave = await tools.pace.enter({ signal: call.signal, stop, deadline, onPaused })
  let outcome: Outcome<T> | null = null
  try {
    outcome = await call.attempt(token)
    return outcome
  } finally {
    leave(isReached(outcome))
  }
}

/** Whether it has happened. A look that fails leaves the outcome unknown; only a denial is the truer story. */
async function ask<T>(call: Call<T>, look: () => Promise<T | undefined>, why: string, miss: Miss): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (call.signal?.aborted) throw error
    const reason = error instanceof Error ? error.message : 'for an unknown reason'
    const code: ErrorCode = FettleError.is(error) && error.kind === 'denied' ? error.code : 'FETTLE_UNANSWERED'
    throw failure(code, call.label, `${why}; asking whether it took effect failed: ${reason}`, miss, {
      cause: error,
      unanswered: true,
    })
  }
}

/** Counts of one request, by which it ends. */
interface Tally {
  failures: number
  throttles: number
  readonly reasons: Map<string, number>
}

interface Step {
  readonly waitMs: number
  /** How long the pace holds it back, for people; absent when it does not. */
  readonly pauseMs?: number
  /** Why the request is not sent again, null when it may be. */
  readonly end: string | null
}

/** Books what a decision to try again costs, and says how long to wait or why it is over. */
function book(decision: Decision, call: Call<unknown>, tally: Tally, tools: Tools): Step {
  if (decision.act === 'wait') {
    tally.throttles += 1
    const own = call.policy.login ? LOGIN_PAUSE_MS : throttleMs(tally.throttles, tools.clock.random())
    const over = tally.throttles > THROTTLES
    call.onThrottled?.()
    // The wait itself is in the pace, where it holds back every other request too.
    const pauseMs = decision.ms ?? own
    if (!over) tools.pace.pause(pauseMs)
    return { waitMs: 0, pauseMs, end: over ? `still throttled after ${THROTTLES} pauses` : null }
  }
  if (decision.act !== 'repeat') return { waitMs: 0, end: '' }
  tally.failures += 1
  const seen = (tally.reasons.get(decision.reason) ?? 0) + 1
  tally.reasons.set(decision.reason, seen)
  const waitMs = backoffMs(tally.failures, tools.clock.random())
  const plural = tally.failures === 1 ? '' : 's'
  if (tally.failures >= (call.attempts ?? tools.attempts) || seen > decision.most)
    return { waitMs, end: `given up after ${tally.failures} attempt${plural}` }
  if (waitMs > tools.deadline()) return { waitMs: 0, end: 'no time is left for another attempt' }
  if (!tools.quota.take(decision.cost)) return { waitMs, end: 'not repeated, since too much has failed in this process' }
  return { waitMs, end: null }
}

/**
 * Sends a request until it is answered, refused for good, or its budget is spent. An effect whose answer was lost is looked for
 * right before it would be sent again, as late as possible, since a slow service may still be at it.
 */
export async function sendWithRetries<T>(call: Call<T>, tools: Tools): Promise<Effect<T>> {
  const tally: Tally = { failures: 0, throttles: 0, reasons: new Map() }
  const { session, clock } = tools
  const ends = [call.signal, tools.stop]
  let renewed = false
  for (;;) {
    const token = call.authorised ? await waiting(ends, either => session.token(call.spareMs ?? 0, either)) : null
    const outcome = await attemptInTurn(call, token, tools)
    if (outcome.type === 'answer') {
      tools.quota.refund()
      return { value: outcome.value, adopted: false }
    }
    const decision = decide(call.policy, outcome)
    const why = describe(outcome, tools.redactor, call.who)
    const hint = call.hints?.[outcome.type === 'loss' ? outcome.loss.kind : outcome.status]
    const refuse = (code: ErrorCode, text: string, more: ErrorDetails = {}) =>
      failure(code, call.label, text, outcome, hint === undefined ? more : { hint, ...more })

    if (decision.act === 'stop') throw refuse(decision.code, why)
    if (decision.act === 'renew') {
      if (renewed || token === null) throw refuse('FETTLE_LOGIN', `${why}, also with a new token`)
      renewed = true
      await waiting(ends, either => session.renew(token, either))
      tools.onRepeat()
      continue
    }

    const step = book(decision, call, tally, tools)
    if (step.end === null && step.waitMs > 0) await waiting(ends, either => clock.sleep(step.waitMs, either))
    if (decision.mayHaveRun && call.policy.repeat !== 'free') {
      if (call.look === undefined) throw refuse('FETTLE_UNANSWERED', why, { unanswered: true })
      const found = await ask(call, call.look, why, outcome)
      if (found !== undefined) return { value: found, adopted: true }
    }
    if (step.end !== null) throw refuse(decision.code, step.end === '' ? why : `${why}; ${step.end}`)
    tools.stop?.throwIfAborted()
    tools.onRepeat()
    const when = step.pauseMs === undefined ? '' : ` in ${Math.ceil(step.pauseMs / 1000)} s`
    tools.onRetry(`${call.label}: ${why}; sending it again${when}`)
  }
}
