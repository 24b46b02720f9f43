/**
 * When a request may leave: not during a pause that the service asked for, one at a time afterwards until one succeeds, and
 * never more often than `service.rate` allows. One pace serves all requests to a service, whosever they are. It knows no request.
 */

import { orAborted, waiting } from '../../abort.ts'
import { FettleError } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'

/** At most so many requests in any stretch of so many milliseconds. */
export interface Rate {
  readonly requests: number
  readonly perMs: number
}

// Who asks for a turn.
interface Caller {
  readonly signal: AbortSignal | undefined
  /** Aborted: whoever would have to wait gives up; who need not may enter. */
  readonly stop?: AbortSignal | undefined
  /** Milliseconds this caller has left. */
  readonly deadline: () => number
  /** Told how long a pause held it back. */
  readonly onPaused: (ms: number) => void
}

/** The gate in front of every request. */
export interface RateLimiter {
  /**
   * Waits for its turn; call what it gives when the attempt is over, true when it succeeded. Throws FETTLE_THROTTLED at once
   * when the pause passes the caller's deadline.
   */
  enter(caller: Caller): Promise<(succeeded: boolean) => void>
  /** Holds every request back for `ms`. Throws FETTLE_THROTTLED, and holds nobody, for more than anybody means: a day. */
  pause(ms: number): void
  /** Adds a limit: the strictest that was ever added holds for all. */
  limit(rate: Rate | null): void
}

// Timers cannot hold a pause of more than 24 days, and nobody means one of more than a day.
const LONGEST_MS = 24 * 60 * 60_000

const isStricter = (one: Rate, other: Rate): boolean => one.requests * other.perMs < other.requests * one.perMs

/** A pace at which nothing is held back yet. */
export function createRateLimiter(clock: Clock): RateLimiter {
  const slots: number[] = []
  let rate: Rate | null = null
  let until = Number.NEGATIVE_INFINITY
  let wary = false
  let probe: Promise<void> | null = null

  // The slot is taken before the wait for it, so that many waiters spread out instead of all leaving at its start.
  const takeSlot = (): number => {
    const now = clock.monotonic()
    if (rate === null) return now
    let slot = now
    while (slots.length >= rate.requests) slot = Math.max(now, (slots.shift() ?? now) + rate.perMs)
    slots.push(slot)
    return slot
  }

  const tooLong = (ms: number) => {
    const end = new Date(clock.now() + ms).toISOString()
    return new FettleError('FETTLE_THROTTLED', `The service asks for a pause until ${end}, which is longer than the time left.`)
  }

  const claim = () => {
    let done = () => {}
    probe = new Promise<void>(resolve => {
      done = resolve
    })
    return (succeeded: boolean) => {
      if (succeeded) wary = false
      probe = null
      done()
    }
  }

  return {
    async enter({ signal, stop, deadline, onPaused }) {
      const slot = takeSlot()
      let reached = Number.NEGATIVE_INFINITY
      for (;;) {
        signal?.throwIfAborted()
        const now = clock.monotonic()
        if (until - now > Math.max(0, deadline())) throw tooLong(until - now)
        const target = Math.max(slot, until)
        if (target > now && target > reached) {
          await waiting([signal, stop], either => clock.sleep(Math.ceil(target - now), either))
          onPaused(Math.max(0, target - Math.max(now, slot)))
          reached = target
        } else if (!wary) {
          return succeeded => {
            if (succeeded && until <= clock.monotonic()) wary = false
          }
        } else if (probe === null) {
          return claim()
        } else {
          const turn = probe
          await waiting([signal, stop], either => orAborted(turn, either))
        }
      }
    },
    pause(ms) {
      if (ms > LONGEST_MS) throw tooLong(ms)
      until = Math.max(until, clock.monotonic() + ms)
      wary = true
    },
    limit(one) {
      if (one !== null && (rate === null || isStricter(one, rate))) rate = one
    },
  }
}
