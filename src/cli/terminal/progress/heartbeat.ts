/** A sign of life for a log that nobody watches: the longest silence there is 30 seconds (docs/command-line.md). */

const SILENCE_MS = 30_000
const LOOK_MS = 1_000

/** Listens for silence. */
export interface Heartbeat {
  /** Something was said. */
  beat(): void
  stop(): void
}

/** Calls `onSilence` after each 30 seconds in which nothing was said. */
export function heartbeat(onSilence: () => void): Heartbeat {
  let lastAt = performance.now()
  const beat = (): void => {
    lastAt = performance.now()
  }
  const clock = setInterval(() => {
    if (performance.now() - lastAt < SILENCE_MS) return
    beat()
    onSilence()
  }, LOOK_MS)
  clock.unref()
  return { beat, stop: () => clearInterval(clock) }
}
