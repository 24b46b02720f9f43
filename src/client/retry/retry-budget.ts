/**
 * A purse of tokens that repeats are paid from, so that an outage is answered with at most twenty repeats per process instead
 * of four per request. Pauses that the service asks for cost nothing. It knows no request.
 */

/** What a repeat costs, and what a success returns. */
export const COST = { repeat: 5, timeout: 10, refund: 1 } as const

/** The purse. */
export interface RetryBudget {
  /** Takes `cost` tokens; false, and nothing taken, when there are too few. */
  take(cost: number): boolean
  /** Puts one back after a success, up to the full purse. */
  refund(): void
}

/** A full purse. */
export function createRetryBudget(size = 100): RetryBudget {
  let tokens = size
  return {
    take(cost) {
      if (tokens < cost) return false
      tokens -= cost
      return true
    },
    refund() {
      tokens = Math.min(size, tokens + COST.refund)
    },
  }
}
