/**
 * The access token, in memory only: one login at a time, shared by all requests that wait for it. It is renewed before it expires,
 * never requested again after a refusal, and rarely after a failure.
 */
import { orAborted } from '../../abort.ts'
import { FettleError } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'

export interface Tokens {
  /** The held token, or a new one; it is valid for at least `spareMs` more if the service allows. */
  token(spareMs: number, signal: AbortSignal | undefined): Promise<string>
  /** Returns a newer token than `used`, which the service refused. Concurrent calls share one login. */
  renew(used: string, signal: AbortSignal | undefined): Promise<string>
}

/** How a login is sent; its deadline is the latest of the requests that wait for it. */
export interface LoginOptions {
  readonly signal: AbortSignal
  readonly deadline: () => number
  readonly attempts: number
}

// A client that may log in for all.
interface Applicant {
  readonly deadline: () => number
  logIn(options: LoginOptions): Promise<string>
}

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

/** Attempts of a login, and of the next one after it failed. */
const ATTEMPTS = [4, 1]
export const LOGIN_REST_MS = 60_000

/** No login is sent for this time after one failed, and after the next: at most five requests in ten minutes (contract §4.2). */
const RESTS_MS = [LOGIN_REST_MS, 600_000]

const LONG_AGO_MS = 600_000

// A refused login is final for the process: identical bad logins are throttled and may block the account (contract §4.2).
const isRefusal = (error: unknown): boolean =>
  FettleError.is(error) && (error.kind === 'denied' || error.code === 'FETTLE_REJECTED')

// Missing credentials and a pause of the rate limiter do not predict the next login.
const isFailure = (error: unknown): boolean =>
  FettleError.is(error) && error.kind !== 'usage' && error.code !== 'FETTLE_THROTTLED'

export class AccountSession implements Session {
  readonly #clock: Clock
  #held: Held | null = null
  #flight: Flight | null = null
  #refusal: unknown = null
  #failures = 0
  #rest: { readonly until: number; readonly error: unknown } | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  tokensFor(applicant: Applicant): Tokens {
    return {
      token: async (spareMs, signal) => {
        if (this.#held !== null && this.#flight === null) {
          const age = this.#measureAge(this.#held)
          if (age < renewalAge(this.#held.lifetimeMs) && this.#held.lifetimeMs - age >= spareMs) return this.#held.token
        }
        return this.#join(applicant, signal)
      },
      renew: async (used, signal) => {
        if (this.#held !== null && this.#held.token !== used && this.#flight === null) return this.#held.token
        return this.#join(applicant, signal)
      },
    }
  }

  // Both clocks: the monotonic one may stand still while the machine sleeps, the wall clock may step back.
  #measureAge({ bornMonotonic, bornWall }: Held): number {
    return Math.max(this.#clock.monotonic() - bornMonotonic, this.#clock.now() - bornWall)
  }

  #noteFailure(error: unknown): void {
    if (isRefusal(error)) this.#refusal = error
    if (!isFailure(error)) return
    this.#rest = { until: this.#clock.monotonic() + (RESTS_MS[this.#failures] ?? 0), error }
    this.#failures = (this.#failures + 1) % RESTS_MS.length
  }

  #startLogin(leader: object, applicant: Applicant): Flight {
    if (this.#rest !== null && this.#clock.monotonic() >= this.#rest.until + LONG_AGO_MS) this.#failures = 0
    const stop = new AbortController()
    const waiting = new Map<object, Applicant>()
    const deadline = () => Math.max(...[...waiting.values()].map(client => client.deadline()))
    const attempts = ATTEMPTS[this.#failures] ?? 1
    const logIn = async (): Promise<string> => {
      try {
        const token = await applicant.logIn({ signal: stop.signal, deadline, attempts })
        const bornWall = this.#clock.now()
        this.#held = { token, lifetimeMs: readLifetime(token, bornWall), bornMonotonic: this.#clock.monotonic(), bornWall }
        this.#failures = 0
        return token
      } catch (error) {
        if (!stop.signal.aborted) this.#noteFailure(error)
        throw error
      } finally {
        if (this.#flight === mine) this.#flight = null
      }
    }
    waiting.set(leader, applicant)
    // Starts in a later microtask, after `flight` is set.
    const mine: Flight = { promise: Promise.resolve().then(logIn), leader, stop, waiting }
    // All requests may have stopped waiting when it fails.
    mine.promise.catch(() => undefined)
    return mine
  }

  // When the client that sends the login leaves, its connections close: the login is aborted, and another client sends one.
  #leave(me: object, mine: Flight): void {
    mine.waiting.delete(me)
    if (mine.leader !== me || this.#flight !== mine) return
    this.#flight = null
    mine.stop.abort()
  }

  async #join(applicant: Applicant, signal: AbortSignal | undefined): Promise<string> {
    const me = {}
    for (;;) {
      signal?.throwIfAborted()
      if (this.#refusal !== null) throw this.#refusal
      if (this.#rest !== null && this.#clock.monotonic() < this.#rest.until) throw this.#rest.error
      this.#flight ??= this.#startLogin(me, applicant)
      const mine = this.#flight
      mine.waiting.set(me, applicant)
      try {
        return await orAborted(mine.promise, signal)
      } catch (error) {
        if (signal?.aborted || !mine.stop.signal.aborted) throw error
      } finally {
        this.#leave(me, mine)
      }
    }
  }
}

// The latest age at which a token is renewed.
const RENEW_AT_MS = 55 * 60_000
/** A token is renewed this long before it expires, and an upload starts with at least this time left. */
export const SPARE_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

const readNumber = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)

/**
 * The lifetime of a new token in milliseconds: `exp` less `iat` or `nbf` of a JWT, so that a wrong clock of ours does not matter; an
 * hour when neither can be read.
 */
export function readLifetime(token: string, now: number): number {
  const parts = token.split('.')
  if (parts.length !== 3) return HOUR_MS
  try {
    const claims = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString()) as Record<string, unknown> | null
    const exp = readNumber(claims?.exp)
    if (exp === null) return HOUR_MS
    const issued = readNumber(claims?.iat) ?? readNumber(claims?.nbf) ?? now / 1000
    return exp > issued ? (exp - issued) * 1000 : HOUR_MS
  } catch {
    return HOUR_MS
  }
}

/** The age at which a token of this lifetime is renewed: 55 min, 5 min before its end, or half the life of a short one. */
export const renewalAge = (lifetimeMs: number): number => Math.min(RENEW_AT_MS, Math.max(lifetimeMs - SPARE_MS, lifetimeMs / 2))
