/** Request limits of one's own choice: for all operations together, and for single ones. Off unless asked for (contract §14.2). */
import type { OperationName } from '../../contract/index.ts'
import { tooMany } from '../refusal.ts'
import { makeWindow } from './throttle.ts'

/** At most this many requests of a user inside a window. */
interface Rate {
  readonly requests: number
  readonly perMs: number
}

/** A limit by operation; `all` counts every operation but login, which has a throttle of its own. */
export type RateOptions = Readonly<Partial<Record<OperationName | 'all', Rate>>>

/** Asked before every operation. */
export interface Rates {
  /** Counts a request of this user, `other` for an operation without a limit of its own; throws a 429 with `Retry-After` when it is one too many. */
  admit(operation: OperationName | 'other', user: string): void
}

/** The limits of one service with this many users. */
export function makeRates(options: RateOptions, now: () => number, users: number): Rates {
  const limits = Object.entries(options).map(([name, rate]) => ({ name, rate, window: makeWindow(rate.perMs, now, users) }))
  return {
    admit(operation, user) {
      for (const { name, rate, window } of limits) {
        if (name !== 'all' && name !== operation) continue
        if (window.count(user) >= rate.requests) throw tooMany('Too many requests.', window.left(user))
        window.add(user)
      }
    },
  }
}
