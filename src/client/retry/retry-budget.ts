/**
 * The retry budget of a process, so that an outage causes at most twenty retries per process instead of four per request. Pauses that
 * the service asks for are free.
 */

/** The cost of a retry in tokens, and the refund of a success. */
export const COST = { repeat: 5, timeout: 10, refund: 1 } as const

export interface RetryBudget {
  /** Takes `cost` tokens; takes none and returns false when there are too few. */
  take(cost: number): boolean
  /** Adds a token after a success, up to the full budget. */
  refund(): void
}

/** A retry budget with all its tokens. `size` is the most that it can hold. */
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
