/**
 * What all clients of a process share for one user of one service: the token, pauses that the service asked for, and the retry budget.
 * Deadlines, counts and connections belong to each client.
 */
import type { Clock } from '../../model/requests.ts'
import { AccountSession, type Session } from '../auth/session.ts'
import { createRateLimiter, type RateLimiter } from '../retry/rate-limiter.ts'
import { createRetryBudget, type RetryBudget } from '../retry/retry-budget.ts'

/** Pass it to all clients of one user at one address, and to no others: it holds their token. */
export interface Shared {
  readonly pace: RateLimiter
  readonly quota: RetryBudget
  readonly session: Session
  /** What the login showed: whether the service estimates a list from a sample, takes a wished precision, and names changes of screening lists. */
  readonly shown: { hasListFacts: boolean; takesPrecision: boolean; hasListChanges: boolean }
}

/** Creates an empty Shared; `quota` may be one for the whole process, also for several users. */
export const createShared = (clock: Clock, quota: RetryBudget = createRetryBudget()): Shared => ({
  pace: createRateLimiter(clock),
  quota,
  session: new AccountSession(clock),
  shown: { hasListFacts: false, takesPrecision: false, hasListChanges: false },
})
