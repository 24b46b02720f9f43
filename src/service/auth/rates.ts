/** Request limits of one's own choice: for all operations together, and for single ones. Off unless asked for (contract §14.2). */
import { OPERATIONS, type OperationName } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { tooMany } from '../refusal.ts'
import { makeWindow } from './throttle.ts'

/** At most this many requests of a user inside a window. */
interface Rate {
  readonly requests: number
  readonly perMs: number
}

/**
 * Limits by operation; `all` counts every operation but login, which has a throttle of its own. Several hold together: a burst, and what
 * may be sustained.
 */
export type RateOptions = Readonly<Partial<Record<OperationName | 'all', Rate | readonly Rate[]>>>

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

/** Limits as people write them: `20/1s`, `all=600/1m`, `readJob=2/1s`. Throws FETTLE_USAGE naming the one that cannot be read. */
export function readRates(texts: readonly string[]): RateOptions {
  const rates: Partial<Record<OperationName | 'all', Rate[]>> = {}
  for (const text of texts) {
    const [, name = 'all', requests, count, unit] = /^(?:(\w+)=)?([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? []
    const isKnown = name === 'all' || Object.hasOwn(OPERATIONS, name)
    if (requests === undefined || !isKnown) {
      throw new FettleError(
        'FETTLE_USAGE',
        `the rate limit ${text} is not valid${isKnown ? '' : `: there is no operation ${name}`}`,
        {
          hint: 'A limit is written as 20/1s, 600/1m or createJob=2/1s.',
        },
      )
    }
    const rate = { requests: Number(requests), perMs: Number(count) * UNITS[unit as keyof typeof UNITS] }
    const key = name as OperationName | 'all'
    rates[key] = [...(rates[key] ?? []), rate]
  }
  return rates
}

/** Asked before every operation. */
export interface Rates {
  /** Counts a request of this user, `other` for an operation without a limit of its own; throws a 429 with `Retry-After` when it is one too many. */
  admit(operation: OperationName | 'other', user: string): void
}

/** The limits of one service; of more than `users` users the oldest is forgotten. */
export function makeRates(options: RateOptions, now: () => number, users: number): Rates {
  const limits = Object.entries(options).flatMap(([name, rates]) =>
    [rates].flat().map(rate => ({ name, rate, window: makeWindow(rate.perMs, now, users) })),
  )
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
