/**
 * Counts rejected logins by address and user name, and rejects further ones beyond the limits (contract §4.2, faults H4 and S27). A client
 * affects only its own address. Stores a bounded number of keyed digests, never a password. Also optional request limits, for all operations
 * together and for single operations (contract §14.2).
 */
import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { OPERATIONS, type OperationName } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { Limits } from '../limits.ts'
import { tooMany } from '../refusal.ts'
import type { Login } from './users.ts'

/** `until`: when the window ends and the count is forgotten. */
type Counter = { count: number; readonly until: number }

/** Sets a key as the newest; beyond `keys` keys the oldest is forgotten. */
function keep<T>(kept: Map<string, T>, key: string, value: T, keys: number): void {
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > keys) kept.delete(kept.keys().next().value as string)
}

/** Counts per key in a window that starts with the first count of the key; beyond `keys` keys the oldest is forgotten. */
function makeWindow(ms: number, now: () => number, keys: number) {
  const counters = new Map<string, Counter>()
  const current = (key: string): Counter | undefined => {
    const counter = counters.get(key)
    return counter !== undefined && counter.until > now() ? counter : undefined
  }
  return {
    count(key: string): number {
      const counter = current(key)
      if (counter === undefined) return 0
      // A checked key becomes the newest, so that a flood of names cannot push a blocked one out.
      keep(counters, key, counter, keys)
      return counter.count
    },
    left: (key: string): number => (current(key)?.until ?? 0) - now(),
    add(key: string): void {
      const counter = current(key) ?? { count: 0, until: now() + ms }
      counter.count += 1
      keep(counters, key, counter, keys)
    },
  }
}

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

/** The key of a client: an IPv4 address, or the first 64 bits of an IPv6 address, since a client usually owns such a prefix. */
export function findClient(address: string): string {
  const four = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  if (four !== undefined || !isIPv6(address)) return four ?? address
  const [before = '', after] = (address.split('%')[0] ?? '').split('::')
  const groups = (text: string): string[] => text.split(':').filter(group => group !== '')
  const [first, last] = [groups(before), groups(after ?? '')]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  const groupTexts = after === undefined ? first : [...first, ...zeros, ...last]
  return groupTexts
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}

// Few bits: enough to recognise a login, too few to guess the password from.
const TAG_LENGTH = 3

export function makeThrottle(limits: Limits, now: () => number) {
  const { sameLogins, badLogins, clientLogins, sameLoginsMs, loginKeys } = limits
  const [same, bad, ofClient] = [1, 2, 3].map(() => makeWindow(sameLoginsMs, now, loginKeys)) as [Window, Window, Window]
  const known = new Map<string, string>()
  const secret = randomBytes(32)
  const digest = (...parts: string[]): string => createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64')

  const makeKeys = ({ username, password }: Login, address: string) => {
    const client = findClient(address)
    const tag = digest(username, password).slice(0, TAG_LENGTH)
    return { client, one: digest(client, username, password), many: digest(client, username), tag }
  }
  const check = ({ client, one, many }: ReturnType<typeof makeKeys>): void => {
    if (same.count(one) >= sameLogins) throw tooMany('Too many identical logins that failed.', same.left(one))
    // A client rejected under many names keeps one try per name, so that users who share its address are not locked out.
    const most = ofClient.count(client) >= clientLogins ? 1 : badLogins
    if (bad.count(many) >= most) throw tooMany('Too many logins that failed.', bad.left(many))
  }

  return {
    /** Throws a 429 with Retry-After beyond a limit; such a login is not counted. */
    admit: (login: Login, address: string): void => check(makeKeys(login, address)),
    /** The lane of the gate: the client, or the user name once it has logged in from there, so that other names cannot delay it. */
    chooseLane(login: Login, address: string): string {
      const { client, many, tag } = makeKeys(login, address)
      return known.get(many) === tag ? many : client
    },
    accepted(login: Login, address: string): void {
      const { many, tag } = makeKeys(login, address)
      keep(known, many, tag, loginKeys)
    },
    /** Counts a rejected login. Throws the 429 when parallel ones have reached a limit meanwhile. */
    rejected(login: Login, address: string): void {
      const keys = makeKeys(login, address)
      check(keys)
      same.add(keys.one)
      bad.add(keys.many)
      ofClient.add(keys.client)
    },
  }
}

export type Throttle = ReturnType<typeof makeThrottle>

type Window = ReturnType<typeof makeWindow>
