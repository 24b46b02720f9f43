/**
 * What all clients of one process share when they talk to the same service as the same user: the token, the pauses the service
 * asked for, and the purse that repeats are paid from. Deadlines, counts and connections stay each client's own.
 */

import type { Clock } from '../clock.ts'
import { createPace, type Pace } from '../retry/rate-limiter.ts'
import { createQuota, type Quota } from '../retry/retry-budget.ts'
import { createSession, type Session } from '../auth/session.ts'

/** Give it to every client of one user at one address, and to no other: it holds their token. */
export interface Shared {
  readonly pace: Pace
  readonly quota: Quota
  readonly session: Session
}

/** Something to share, with nothing held yet; `quota` is one for the whole process, also for several users. */
export const createShared = (clock: Clock, quota: Quota = createQuota()): Shared => ({
  pace: createPace(clock),
  quota,
  session: createSession(clock),
})
