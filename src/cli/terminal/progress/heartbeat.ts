/** Limits the silence in a log to 30 seconds (docs/command-line.md), so that CI does not consider the process hung. */

const SILENCE_MS = 30_000
const CHECK_MS = 1_000

export interface Heartbeat {
  beat(): void
  stop(): void
}

/** Calls `onSilence` after each 30 seconds without a beat. */
export function heartbeat(onSilence: () => void): Heartbeat {
  let lastAt = performance.now()
  const beat = (): void => {
    lastAt = performance.now()
  }
  const clock = setInterval(() => {
    if (performance.now() - lastAt < SILENCE_MS) return
    beat()
    onSilence()
  }, CHECK_MS)
  clock.unref()
  return { beat, stop: () => clearInterval(clock) }
}
