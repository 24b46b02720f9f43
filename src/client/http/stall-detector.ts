/** Whether a transfer is fast enough: the idle and least-rate limits of contract §14.2. It moves no bytes itself. */

import type { Clock } from '../../model/requests.ts'
import type { Limits } from './limits.ts'

type RateLimits = Pick<Limits, 'rateWindowMs' | 'bytesPerSecond'>

const isSlow = (bytes: number, ms: number, limits: RateLimits): boolean => bytes < (ms / 1000) * limits.bytesPerSecond

/** Watches bytes that leave. */
export interface StallDetector {
  /** Aborted with a TimeoutError when a window passes with too little moved. */
  readonly signal: AbortSignal
  moved(bytes: number): void
  finished(): void
}

/**
 * A watch in real time over an upload: its body waits inside the socket, where nobody but a timer notices a standstill.
 */
export function watchSending(limits: RateLimits): StallDetector {
  const stop = new AbortController()
  let bytes = 0
  let over = false
  const arm = () => {
    // A timer of the signal's kind keeps no process alive.
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

/** Judges bytes that arrive: told how long each chunk was waited for, true once a whole window brought too little. */
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

/** Chunks of `body` with their waits timed; calls `onSlow`, which is to throw, when they come too slowly. */
export async function* timed(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  limits: RateLimits,
  onSlow: () => never,
): AsyncGenerator<Uint8Array> {
  const tooSlow = watchReceiving(limits)
  let asked = clock.monotonic()
  for await (const chunk of body) {
    if (tooSlow(chunk.length, clock.monotonic() - asked)) onSlow()
    yield chunk
    asked = clock.monotonic()
  }
}
