/**
 * What all clients of one process share when they talk to the same service as the same user: the token, the pauses the service
 * asked for, and the purse that repeats are paid from. Deadlines, counts and connections stay each client's own.
 */

import type { Clock } from '../../model/requests.ts'
import { createSession, type Session } from '../auth/session.ts'
import { createRateLimiter, type RateLimiter } from '../retry/rate-limiter.ts'
import { createRetryBudget, type RetryBudget } from '../retry/retry-budget.ts'

/** Give it to every client of one user at one address, and to no other: it holds their token. */
export interface Shared {
  readonly pace: RateLimiter
  readonly quota: RetryBudget
  readonly session: Session
}

/** Something to share, with nothing held yet; `quota` is one for the whole process, also for several users. */
export const createShared = (clock: Clock, quota: RetryBudget = createRetryBudget()): Shared => ({
  pace: createRateLimiter(clock),
  quota,
  session: createSession(clock),
})
