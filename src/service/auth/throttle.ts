/**
 * Counts refused logins by address and user name, and says when the next one is too many: contract §4.2, faults H4 and S27. What one
 * client does weighs on its own address alone. It keeps keyed digests, never a password, and a bounded number of them.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Limits } from '../limits.ts'
import { tooMany } from '../refusal.ts'
import type { Login } from './users.ts'

interface Tally {
  count: number
  /** When the window ends and the count is forgotten. */
  readonly until: number
}

/** Sets a key anew, as the youngest; of more than `keys` keys the oldest is forgotten. */
function keep<T>(kept: Map<string, T>, key: string, value: T, keys: number): void {
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > keys) kept.delete(kept.keys().next().value as string)
}

/** Counts per key inside a window that begins with the key's first count; of more than `keys` keys the oldest is forgotten. */
export function makeWindow(ms: number, now: () => number, keys: number) {
  const tallies = new Map<string, Tally>()
  const current = (key: string): Tally | undefined => {
    const tally = tallies.get(key)
    return tally !== undefined && tally.until > now() ? tally : undefined
  }
  return {
    count(key: string): number {
      const tally = current(key)
      if (tally === undefined) return 0
      // The key that is asked for becomes the youngest: a flood of names neither fills the memory nor frees one that is shut out.
      keep(tallies, key, tally, keys)
      return tally.count
    },
    left: (key: string): number => (current(key)?.until ?? 0) - now(),
    add(key: string): void {
      const tally = current(key) ?? { count: 0, until: now() + ms }
      tally.count += 1
      keep(tallies, key, tally, keys)
    },
  }
}

/** What counts as one client: an IPv4 address, or the first four groups of an IPv6 address, since a client has all that begin so. */
export function clientOf(address: string): string {
  const four = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  if (four !== undefined || !isIPv6(address)) return four ?? address
  const [before = '', after] = (address.split('%')[0] ?? '').split('::')
  const groups = (text: string): string[] => text.split(':').filter(group => group !== '')
  const [first, last] = [groups(before), groups(after ?? '')]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  const whole = after === undefined ? first : [...first, ...zeros, ...last]
  return whole
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** Asked before every login, and informed of its end. A login that is not admitted counts for nothing. */
export interface Throttle {
  /** Throws a 429 with `Retry-After` when this login is one too many. */
  admit(login: Login, address: string): void
  /** The lane it waits in: its client's; one of its own when it was right from there before, whatever else comes from there. */
  laneOf(login: Login, address: string): string
  right(login: Login, address: string): void
  /** Throws the 429 when others like it were refused while this one was looked at. */
  refused(login: Login, address: string): void
}

// Few bits: enough for a lane, too little to find a password with.
const TAG_LENGTH = 3

/** The login throttle of one service. */
export function makeThrottle(limits: Limits, now: () => number): Throttle {
  const { sameLogins, badLogins, clientLogins, sameLoginsMs, loginKeys } = limits
  const [same, bad, ofClient] = [1, 2, 3].map(() => makeWindow(sameLoginsMs, now, loginKeys)) as [Window, Window, Window]
  /** Of logins that were right: a tag of the password. */
  const known = new Map<string, string>()
  const secret = randomBytes(32)
  const digest = (...parts: string[]): string => createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64')

  const keysOf = ({ username, password }: Login, address: string) => {
    const client = clientOf(address)
    const tag = digest(username, password).slice(0, TAG_LENGTH)
    return { client, one: digest(client, username, password), many: digest(client, username), tag }
  }
  const check = ({ client, one, many }: ReturnType<typeof keysOf>): void => {
    if (same.count(one) >= sameLogins) throw tooMany('Too many identical logins that failed.', same.left(one))
    // A client that was refused under many names has one try left for each: those who share its address are not shut out with it.
    const most = ofClient.count(client) >= clientLogins ? 1 : badLogins
    if (bad.count(many) >= most) throw tooMany('Too many logins that failed.', bad.left(many))
  }

  return {
    admit: (login, address) => check(keysOf(login, address)),
    laneOf(login, address) {
      const { client, many, tag } = keysOf(login, address)
      return known.get(many) === tag ? many : client
    },
    right(login, address) {
      const { many, tag } = keysOf(login, address)
      keep(known, many, tag, loginKeys)
    },
    refused(login, address) {
      const keys = keysOf(login, address)
      check(keys)
      same.add(keys.one)
      bad.add(keys.many)
      ofClient.add(keys.client)
    },
  }
}

type Window = ReturnType<typeof makeWindow>
