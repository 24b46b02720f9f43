/** A lock that shows that its holder is alive until it is released. */
import type { Lock } from '../files/process-lock.ts'

export interface HeldLock {
  release(): void
}

const BEAT_MS = 60_000

export function holdLock(lock: Lock): HeldLock {
  const heart = setInterval(() => lock.beat(), BEAT_MS)
  heart.unref()
  return {
    release: () => {
      clearInterval(heart)
      lock.release()
    },
  }
}
