/**
 * When a request may leave: not during a pause that the service asked for, one at a time afterwards until one succeeds, and
 * never more often than `service.rate` allows. One pace serves all requests of a client. It knows no request.
 */
import { FettleError } from '../errors.ts'
import { settled } from './abort.ts'
import type { Clock } from './types.ts'

/** The gate in front of every request. */
export interface Pace {
  /** Waits for its turn; call what it gives when the attempt is over, true when the service was not throttling. */
  enter(signal: AbortSignal | undefined): Promise<(calm: boolean) => void>
  /** Holds every request back for `ms`; when that passes the deadline, `enter` throws FETTLE_THROTTLED at once. */
  pause(ms: number): void
  /** Milliseconds of pause since the last call. */
  takePausedMs(): number
}

/** What a pace is made of. */
export interface PaceOptions {
  readonly clock: Clock
  readonly rate: { readonly requests: number; readonly perMs: number } | null
  readonly deadline: () => number
}

// Nobody means a pause of more than a day, and timers cannot hold one of more than 24 days.
const LONGEST_MS = 24 * 60 * 60_000

/** A pace at which nothing is held back yet. */
export function createPace({ clock, rate, deadline }: PaceOptions): Pace {
  const slots: number[] = []
  let until = Number.NEGATIVE_INFINITY
  let wary = false
  let probe: Promise<void> | null = null
  let pausedMs = 0

  // The slot is taken before the wait for it, so that many waiters spread out instead of all leaving at its start.
  const takeSlot = (): number => {
    const now = clock.monotonic()
    if (rate === null) return now
    const earliest = slots.length < rate.requests ? now : (slots.shift() ?? now) + rate.perMs
    const slot = Math.max(now, earliest)
    slots.push(slot)
    return slot
  }

  const refuseIfTooLong = () => {
    const wait = until - clock.monotonic()
    if (wait <= 0 || wait <= Math.min(LONGEST_MS, deadline())) return
    const end = new Date(clock.now() + wait).toISOString()
    throw new FettleError('FETTLE_THROTTLED', `The service asks for a pause until ${end}, which is longer than the time left.`)
  }

  const claim = () => {
    let done = () => {}
    probe = new Promise<void>(resolve => {
      done = resolve
    })
    return (calm: boolean) => {
      if (calm) wary = false
      probe = null
      done()
    }
  }

  return {
    async enter(signal) {
      const slot = takeSlot()
      let reached = Number.NEGATIVE_INFINITY
      for (;;) {
        signal?.throwIfAborted()
        refuseIfTooLong()
        const target = Math.max(slot, until)
        const wait = target - clock.monotonic()
        if (wait > 0 && target > reached) {
          await clock.sleep(wait, signal)
          reached = target
        } else if (!wary) {
          return calm => {
            if (calm && until <= clock.monotonic()) wary = false
          }
        } else if (probe === null) {
          return claim()
        } else {
          await settled(probe, signal)
        }
      }
    },
    pause(ms) {
      const now = clock.monotonic()
      pausedMs += Math.max(0, now + ms - Math.max(now, until))
      until = Math.max(until, now + ms)
      wary = true
    },
    takePausedMs() {
      const taken = Math.round(pausedMs)
      pausedMs = 0
      return taken
    },
  }
}
