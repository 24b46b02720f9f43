/** When a run has to stop: on a signal, or when its time is up; and the grace an effect in flight is given. It stops nothing. */
import { FettleError } from '../errors.ts'
import type { Clock } from '../model/requests.ts'

export interface Deadline {
  /** Aborted by a signal or at the time limit. */
  readonly signal: AbortSignal
  /** Aborted ten seconds later. */
  readonly grace: AbortSignal
  /** Milliseconds before the time limit. */
  readonly left: () => number
  readonly clear: () => void
}

/** A request with an effect that is in flight gets this long after a stop. */
const GRACE_MS = 10_000

/** Listens to `outer`, and to the clock when there is a time limit in milliseconds. */
export function createDeadline(outer: AbortSignal, timeoutMs: number | null, clock: Clock): Deadline {
  const stop = new AbortController()
  const grace = new AbortController()
  const over = new AbortController()
  const after = (ms: number, act: () => void): void => void clock.sleep(ms, over.signal).then(act, () => {})
  const abort = (reason: unknown): void => {
    stop.abort(reason)
    after(GRACE_MS, () => grace.abort(reason))
  }
  const onSignal = (): void => abort(outer.reason)
  if (outer.aborted) onSignal()
  else outer.addEventListener('abort', onSignal, { once: true })
  const endsAt = timeoutMs === null ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs
  if (timeoutMs !== null) {
    const error = new FettleError('FETTLE_DEADLINE', `the time limit of ${timeoutMs / 1000} s passed; the remote job continues`)
    after(timeoutMs, () => abort(error))
  }
  return {
    signal: stop.signal,
    grace: grace.signal,
    left: () => Math.max(0, endsAt - clock.monotonic()),
    clear: () => {
      outer.removeEventListener('abort', onSignal)
      over.abort()
    },
  }
}
