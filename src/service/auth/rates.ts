/** Optional request limits, for all operations together and for single operations (contract §14.2). */
import { OPERATIONS, type OperationName } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { tooMany } from '../refusal.ts'
import { makeWindow } from './throttle.ts'

/** The maximum of requests of a user in a window. */
type Rate = { readonly requests: number; readonly perMs: number }

/**
 * Limits by operation; `all` counts every operation except login, which has its own throttle. Several limits apply together, for
 * example one for bursts and one for sustained load.
 */
export type RateOptions = Readonly<Partial<Record<OperationName | 'all', Rate | readonly Rate[]>>>

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

/** Parses limits such as `20/1s`, `all=600/1m`, `readJob=2/1s`. Throws FETTLE_USAGE naming the invalid one. */
export function readRates(texts: readonly string[]): RateOptions {
  const rates: Partial<Record<OperationName | 'all', Rate[]>> = {}
  for (const text of texts) {
    const [, name = 'all', requests, count, unit] = /^(?:(\w+)=)?([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? []
    const isKnown = name === 'all' || Object.hasOwn(OPERATIONS, name)
    if (requests === undefined || !isKnown) {
      const why = isKnown ? '' : `: there is no operation ${name}`
      const hint = 'Write a limit as 20/1s, 600/1m or createJob=2/1s.'
      throw new FettleError('FETTLE_USAGE', `the rate limit ${text} is not valid${why}`, { hint })
    }
    const rate = { requests: Number(requests), perMs: Number(count) * UNITS[unit as keyof typeof UNITS] }
    const key = name as OperationName | 'all'
    rates[key] = [...(rates[key] ?? []), rate]
  }
  return rates
}

/** Creates the limits; beyond `users` users the oldest is forgotten. */
export function makeRates(options: RateOptions, now: () => number, users: number) {
  const limits = Object.entries(options).flatMap(([name, rates]) =>
    [rates].flat().map(rate => ({ name, rate, window: makeWindow(rate.perMs, now, users) })),
  )
  return {
    /** Counts a request; throws a 429 with Retry-After beyond the limit. `other` is any operation of a group that is not served. */
    admit(operation: OperationName | 'other', user: string): void {
      for (const { name, rate, window } of limits) {
        if (name !== 'all' && name !== operation) continue
        if (window.count(user) >= rate.requests) throw tooMany('Too many requests.', window.left(user))
        window.add(user)
      }
    },
  }
}

export type Rates = ReturnType<typeof makeRates>
