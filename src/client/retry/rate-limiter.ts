/**
 * Delays requests to a service: none during a pause that the service asked for, one at a time after it until one succeeds, and never
 * more than `service.rate` allows.
 */

import { orAborted, waiting } from '../../abort.ts'
import { FettleError } from '../../errors.ts'
import type { Clock } from '../../model/requests.ts'

export interface Rate {
  readonly requests: number
  readonly perMs: number
}

// A request that waits for its turn.
interface Caller {
  readonly signal: AbortSignal | undefined
  /** Aborted: a request that would have to wait fails; one that need not wait enters. */
  readonly stop?: AbortSignal
  /** Milliseconds left for the caller. */
  readonly deadline: () => number
  readonly onPaused: (ms: number) => void
}

/** Every request enters it before it is sent. */
export interface RateLimiter {
  /**
   * Resolves when the request may be sent, with a function to call after the attempt: true when it succeeded. Throws
   * FETTLE_THROTTLED at once when the pause exceeds the caller's deadline.
   */
  enter(caller: Caller): Promise<(succeeded: boolean) => void>
  /** Delays every request by `ms`. Throws FETTLE_THROTTLED, without a delay, for more than a day. */
  pause(ms: number): void
  /** Adds a limit: the strictest limit applies to all requests. */
  limit(rate: Rate | null): void
}

// A timer is limited to 24 days, and a pause of more than a day is a mistake of the service.
const LONGEST_MS = 24 * 60 * 60_000

const isStricter = (rate: Rate, other: Rate): boolean => rate.requests * other.perMs < other.requests * rate.perMs

export function createRateLimiter(clock: Clock): RateLimiter {
  const slots: number[] = []
  let rate: Rate | null = null
  let until = Number.NEGATIVE_INFINITY
  let wary = false
  let probe: Promise<void> | null = null

  // The slot is taken before the wait for it, so that waiting requests spread out.
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
    limit(wanted) {
      if (wanted !== null && (rate === null || isStricter(wanted, rate))) rate = wanted
    },
  }
}
