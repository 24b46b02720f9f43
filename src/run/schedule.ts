/** Computes polling intervals from the plan's numbers. */

export interface PollPlan {
  readonly everyMs: number
  readonly maxMs: number
  readonly timeoutMs: number
}

/** Growth of the interval from one poll to the next (contract §14.1). */
const GROWTH = 1.5

/** Twenty failed polls in a row end the wait: at the longest interval that is ten minutes of outage. */
export const MAX_POLL_FAILURES = 20

/** After five answers in a row off the documented form, it is not the API that answers. */
export const MAX_CONTRACT_FAILURES = 5

/** A job may not be readable right after it was created: until then a 404 means "not yet" (contract §14.2). */
export const GRACE_MS = 30_000

export const growInterval = (previous: number, plan: PollPlan): number => Math.min(plan.maxMs, previous * GROWTH)

/** An interval with ± 20 % of jitter, so that many runs do not poll in step. `random` is in [0, 1). */
export const withJitter = (interval: number, random: number): number => Math.round(interval * (0.8 + 0.4 * random))
