/**
 * The token: one login at a time, shared by all who wait for it, renewed before it ages out, never asked for again after a
 * refusal. It is kept in memory only. How a login is carried out, it does not know.
 */
import { FettleError } from '../errors.ts'
import { settled } from './abort.ts'
import { lifetimeOf, renewalAge } from './token.ts'
import type { Clock } from './types.ts'

/** Hands out the token. */
export interface Session {
  /** The held token, or a new one when it is due; at least `spareMs` of life are left in it if the service allows. */
  token(spareMs: number, signal: AbortSignal | undefined): Promise<string>
  /** Told that the service refused `used`: gives a newer one, by one login however many ask. */
  renew(used: string, signal: AbortSignal | undefined): Promise<string>
}

interface Held {
  readonly token: string
  readonly lifetimeMs: number
  readonly bornMonotonic: number
  readonly bornWall: number
}

interface Flight {
  readonly promise: Promise<string>
  readonly stop: AbortController
  waiting: number
}

// A refused login is final for the client: identical bad logins are throttled and may block the account (contract §4.2).
const isRefusal = (error: unknown): boolean =>
  FettleError.is(error) && (error.kind === 'denied' || error.code === 'FETTLE_REJECTED')

/** A session without a token; `login` sends one login and gives its token. */
export function createSession(login: (signal: AbortSignal) => Promise<string>, clock: Clock): Session {
  let held: Held | null = null
  let flight: Flight | null = null
  let refusal: unknown = null

  // Neither clock alone will do: the monotonic one may stand still while the machine sleeps, the wall clock may step back.
  const ageOf = (one: Held) => Math.max(clock.monotonic() - one.bornMonotonic, clock.now() - one.bornWall)

  const logIn = async (signal: AbortSignal): Promise<string> => {
    try {
      const token = await login(signal)
      const bornWall = clock.now()
      held = { token, lifetimeMs: lifetimeOf(token, bornWall), bornMonotonic: clock.monotonic(), bornWall }
      return token
    } catch (error) {
      if (isRefusal(error)) refusal = error
      throw error
    }
  }

  const land = (one: Flight) => {
    if (flight === one) flight = null
  }

  const takeOff = (): Flight => {
    const stop = new AbortController()
    const one: Flight = { promise: logIn(stop.signal), stop, waiting: 0 }
    // Both ways, since everybody may have stopped waiting by the time it fails.
    one.promise.then(
      () => land(one),
      () => land(one),
    )
    return one
  }

  const join = async (signal: AbortSignal | undefined): Promise<string> => {
    if (refusal !== null) throw refusal
    signal?.throwIfAborted()
    flight ??= takeOff()
    const mine = flight
    mine.waiting += 1
    try {
      return await settled(mine.promise, signal)
    } finally {
      mine.waiting -= 1
      if (mine.waiting === 0) {
        land(mine)
        mine.stop.abort()
      }
    }
  }

  return {
    async token(spareMs, signal) {
      if (held !== null && flight === null) {
        const age = ageOf(held)
        if (age < renewalAge(held.lifetimeMs) && held.lifetimeMs - age >= spareMs) return held.token
      }
      return join(signal)
    },
    async renew(used, signal) {
      if (held !== null && held.token !== used && flight === null) return held.token
      return join(signal)
    },
  }
}
