/**
 * Counts logins and says when the next one is too many: contract §4.2, faults H4 and S27. It keeps digests, never a password,
 * and a bounded number of them.
 */
import { createHash } from 'node:crypto'
import type { Limits } from '../limits.ts'
import { tooMany } from '../refusal.ts'
import type { Login } from './users.ts'

interface Tally {
  count: number
  /** When the window ends and the count is forgotten. */
  readonly until: number
}

/** Counts per key inside a window that begins with the key's first count; of more than `keys` keys the oldest is forgotten. */
export function makeWindow(ms: number, now: () => number, keys: number) {
  const tallies = new Map<string, Tally>()
  const current = (key: string): Tally | undefined => {
    const tally = tallies.get(key)
    return tally !== undefined && tally.until > now() ? tally : undefined
  }
  /** Set anew, so that the key nobody asks for comes first: a flood of names neither fills the memory nor frees one that is shut out. */
  const keep = (key: string, tally: Tally): void => {
    tallies.delete(key)
    tallies.set(key, tally)
    if (tallies.size > keys) tallies.delete(tallies.keys().next().value as string)
  }
  return {
    count(key: string): number {
      const tally = current(key)
      if (tally === undefined) return 0
      keep(key, tally)
      return tally.count
    },
    left: (key: string): number => (current(key)?.until ?? 0) - now(),
    add(key: string): void {
      const tally = current(key) ?? { count: 0, until: now() + ms }
      tally.count += 1
      keep(key, tally)
    },
  }
}

/** Asked before every login, told of every refused one. */
export interface Throttle {
  /** Throws a 429 with `Retry-After` when this login is one too many. */
  admit(login: Login, address: string): void
  /** Records a login that was refused; throws the 429 when others like it were refused while this one was looked at. */
  refused(login: Login, address: string): void
}

/** The login throttle of one service. */
export function makeThrottle(limits: Limits, now: () => number): Throttle {
  const same = makeWindow(limits.sameLoginsMs, now, limits.loginKeys)
  const bad = makeWindow(limits.sameLoginsMs, now, limits.loginKeys)
  const all = makeWindow(limits.loginsMs, now, limits.loginKeys)
  const shut = makeWindow(limits.loginsMs, now, limits.loginKeys)
  const digest = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  const keys = ({ username, password }: Login, address: string): [string, string] => [
    digest(address, username, password),
    digest(address, username),
  ]
  const check = (one: string, many: string): void => {
    if (same.count(one) >= limits.sameLogins) throw tooMany('Too many identical logins that failed.', same.left(one))
    if (bad.count(many) >= limits.badLogins) throw tooMany('Too many logins that failed.', bad.left(many))
  }

  return {
    admit(login, address) {
      all.add('')
      // Beyond the limit the endpoint is shut for a full window from that moment; refused logins count too.
      if (all.count('') === limits.logins + 1) shut.add('')
      if (shut.count('') > 0) throw tooMany('Too many logins.', shut.left(''))
      check(...keys(login, address))
    },
    refused(login, address) {
      const [one, many] = keys(login, address)
      check(one, many)
      same.add(one)
      bad.add(many)
    },
  }
}
