/**
 * The token: one login at a time, shared by all who wait for it, renewed before it ages out, never asked for again after a
 * refusal and seldom after a failure. It is kept in memory only. How a login is carried out, it does not know.
 */

import { orAborted } from '../../abort.ts'
import { FettleError } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'
import { lifetimeOf, renewalAge } from './token.ts'

/** Hands out the token to one client. */
export interface Tokens {
  /** The held token, or a new one when it is due; at least `spareMs` of life are left in it if the service allows. */
  token(spareMs: number, signal: AbortSignal | undefined): Promise<string>
  /** Told that the service refused `used`: gives a newer one, by one login however many ask. */
  renew(used: string, signal: AbortSignal | undefined): Promise<string>
}

/** How a login is sent: its time is that of the most patient of those who wait for it. */
export interface LoginOptions {
  readonly signal: AbortSignal
  readonly deadline: () => number
  readonly attempts: number
}

// A client that may have to log in for all.
interface Applicant {
  readonly deadline: () => number
  /** Sends a login and gives its token. */
  logIn(options: LoginOptions): Promise<string>
}

/** The token of one user at one service. */
export interface Session {
  tokensFor(applicant: Applicant): Tokens
}

interface Held {
  readonly token: string
  readonly lifetimeMs: number
  readonly bornMonotonic: number
  readonly bornWall: number
}

interface Flight {
  readonly promise: Promise<string>
  readonly leader: object
  readonly stop: AbortController
  readonly waiting: Map<object, Applicant>
}

/** Attempts of a login, and what is left of them after it failed a minute ago. */
const ATTEMPTS = [4, 1]
/** Nobody logs in for so long after a login failed, and after it failed again: five requests in ten minutes (contract §4.2). */
const RESTS_MS = [60_000, 600_000]

/** A failure so long before says nothing any more. */
const LONG_AGO_MS = 600_000

// A refused login is final for the process: identical bad logins are throttled and may block the account (contract §4.2).
const isRefusal = (error: unknown): boolean =>
  FettleError.is(error) && (error.kind === 'denied' || error.code === 'FETTLE_REJECTED')

// Missing credentials and a pause that the pace knows about say nothing of the next login.
const isFailure = (error: unknown): boolean =>
  FettleError.is(error) && error.kind !== 'usage' && error.code !== 'FETTLE_THROTTLED'

/** A session without a token. */
export function createSession(clock: Clock): Session {
  let held: Held | null = null
  let flight: Flight | null = null
  let refusal: unknown = null
  let failures = 0
  let rest: { readonly until: number; readonly error: unknown } | null = null

  // Neither clock alone will do: the monotonic one may stand still while the machine sleeps, the wall clock may step back.
  const ageOf = (one: Held) => Math.max(clock.monotonic() - one.bornMonotonic, clock.now() - one.bornWall)

  const noteFailure = (error: unknown) => {
    if (isRefusal(error)) refusal = error
    if (!isFailure(error)) return
    rest = { until: clock.monotonic() + (RESTS_MS[failures] ?? 0), error }
    failures = (failures + 1) % RESTS_MS.length
  }

  const takeOff = (leader: object, applicant: Applicant): Flight => {
    if (rest !== null && clock.monotonic() >= rest.until + LONG_AGO_MS) failures = 0
    const stop = new AbortController()
    const waiting = new Map<object, Applicant>()
    const deadline = () => Math.max(...[...waiting.values()].map(one => one.deadline()))
    const attempts = ATTEMPTS[failures] ?? 1
    const logIn = async (): Promise<string> => {
      try {
        const token = await applicant.logIn({ signal: stop.signal, deadline, attempts })
        const bornWall = clock.now()
        held = { token, lifetimeMs: lifetimeOf(token, bornWall), bornMonotonic: clock.monotonic(), bornWall }
        failures = 0
        return token
      } catch (error) {
        if (!stop.signal.aborted) noteFailure(error)
        throw error
      } finally {
        if (flight === one) flight = null
      }
    }
    waiting.set(leader, applicant)
    // Begun in a turn of its own, when the flight is known.
    const one: Flight = { promise: Promise.resolve().then(logIn), leader, stop, waiting }
    // Everybody may have stopped waiting by the time it fails.
    one.promise.catch(() => undefined)
    return one
  }

  // Who leads a login takes it along on leaving: its connections are about to close. Somebody else leads then.
  const leave = (me: object, one: Flight) => {
    one.waiting.delete(me)
    if (one.leader !== me || flight !== one) return
    flight = null
    one.stop.abort()
  }

  const join = async (applicant: Applicant, signal: AbortSignal | undefined): Promise<string> => {
    const me = {}
    for (;;) {
      signal?.throwIfAborted()
      if (refusal !== null) throw refusal
      if (rest !== null && clock.monotonic() < rest.until) throw rest.error
      flight ??= takeOff(me, applicant)
      const mine = flight
      mine.waiting.set(me, applicant)
      try {
        return await orAborted(mine.promise, signal)
      } catch (error) {
        if (signal?.aborted || !mine.stop.signal.aborted) throw error
      } finally {
        leave(me, mine)
      }
    }
  }

  return {
    tokensFor: applicant => ({
      async token(spareMs, signal) {
        if (held !== null && flight === null) {
          const age = ageOf(held)
          if (age < renewalAge(held.lifetimeMs) && held.lifetimeMs - age >= spareMs) return held.token
        }
        return join(applicant, signal)
      },
      async renew(used, signal) {
        if (held !== null && held.token !== used && flight === null) return held.token
        return join(applicant, signal)
      },
    }),
  }
}
