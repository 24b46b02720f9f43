/**
 * Counts rejected logins by address and user name, and rejects further ones beyond the limits (contract §4.2, faults H4 and
 * S27). A client affects only its own address. Stores a bounded number of keyed digests, never a password.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Limits } from '../limits.ts'
import { tooMany } from '../refusal.ts'
import type { Login } from './users.ts'

interface Counter {
  count: number
  /** When the window ends and the count is forgotten. */
  readonly until: number
}

/** Sets a key as the newest; beyond `keys` keys the oldest is forgotten. */
function keep<T>(kept: Map<string, T>, key: string, value: T, keys: number): void {
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > keys) kept.delete(kept.keys().next().value as string)
}

/** Counts per key in a window that starts with the first count of the key; beyond `keys` keys the oldest is forgotten. */
export function makeWindow(ms: number, now: () => number, keys: number) {
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

/** The key of a client: an IPv4 address, or the first 64 bits of an IPv6 address, since a client usually owns such a prefix. */
export function clientOf(address: string): string {
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

  const keysOf = ({ username, password }: Login, address: string) => {
    const client = clientOf(address)
    const tag = digest(username, password).slice(0, TAG_LENGTH)
    return { client, one: digest(client, username, password), many: digest(client, username), tag }
  }
  const check = ({ client, one, many }: ReturnType<typeof keysOf>): void => {
    if (same.count(one) >= sameLogins) throw tooMany('Too many identical logins that failed.', same.left(one))
    // A client rejected under many names keeps one try per name, so that users who share its address are not locked out.
    const most = ofClient.count(client) >= clientLogins ? 1 : badLogins
    if (bad.count(many) >= most) throw tooMany('Too many logins that failed.', bad.left(many))
  }

  return {
    /** Throws a 429 with Retry-After beyond a limit; such a login is not counted. */
    admit: (login: Login, address: string): void => check(keysOf(login, address)),
    /** The lane of the gate: the client, or the user name once it has logged in from there, so that other names cannot delay it. */
    laneOf(login: Login, address: string): string {
      const { client, many, tag } = keysOf(login, address)
      return known.get(many) === tag ? many : client
    },
    accepted(login: Login, address: string): void {
      const { many, tag } = keysOf(login, address)
      keep(known, many, tag, loginKeys)
    },
    /** Counts a rejected login. Throws the 429 when parallel ones have reached a limit meanwhile. */
    rejected(login: Login, address: string): void {
      const keys = keysOf(login, address)
      check(keys)
      same.add(keys.one)
      bad.add(keys.many)
      ofClient.add(keys.client)
    },
  }
}

export type Throttle = ReturnType<typeof makeThrottle>

type Window = ReturnType<typeof makeWindow>
