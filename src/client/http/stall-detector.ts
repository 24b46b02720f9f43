/** Detects transfers below the lowest rate of contract §14.2. */

import type { Clock } from '../../model/requests.ts'
import type { Limits } from './transport.ts'

type RateLimits = Pick<Limits, 'rateWindowMs' | 'bytesPerSecond'>

const isSlow = (bytes: number, ms: number, limits: RateLimits): boolean => bytes < (ms / 1000) * limits.bytesPerSecond

/**
 * Watches an upload with a timer: its body waits inside the socket, where a standstill causes no event. `signal` is aborted with a
 * TimeoutError after a window with too few bytes.
 */
export function watchSending(limits: RateLimits): { readonly signal: AbortSignal; moved(count: number): void; finished(): void } {
  const stop = new AbortController()
  let bytes = 0
  let over = false
  const arm = () => {
    // A timeout signal does not keep the process alive.
    AbortSignal.timeout(limits.rateWindowMs).addEventListener('abort', () => {
      if (over) return
      if (isSlow(bytes, limits.rateWindowMs, limits)) return stop.abort(new DOMException('too slow', 'TimeoutError'))
      bytes = 0
      arm()
    })
  }
  arm()
  return {
    signal: stop.signal,
    moved(count) {
      bytes += count
    },
    finished() {
      over = true
    },
  }
}

export function watchReceiving(limits: RateLimits): (bytes: number, waitedMs: number) => boolean {
  let bytes = 0
  let waitedMs = 0
  return (count, ms) => {
    bytes += count
    waitedMs += ms
    if (waitedMs < limits.rateWindowMs) return false
    const slow = isSlow(bytes, waitedMs, limits)
    bytes = 0
    waitedMs = 0
    return slow
  }
}

export async function* timed(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  limits: RateLimits,
  onSlow: () => never,
): AsyncGenerator<Uint8Array> {
  const tooSlow = watchReceiving(limits)
  let waitingSince = clock.monotonic()
  for await (const chunk of body) {
    if (tooSlow(chunk.length, clock.monotonic() - waitingSince)) onSlow()
    yield chunk
    waitingSince = clock.monotonic()
  }
}
