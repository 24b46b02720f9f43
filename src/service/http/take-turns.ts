/** Work of many requests, one piece a turn of the event loop: other requests are answered in between, however many wait. */
import { setImmediate } from 'node:timers/promises'

/** Resolves when it is the caller's turn; what the caller then does at once has the turn to itself. */
export type Turn = () => Promise<void>

/** Makes a queue of turns. */
export function makeTurns(): Turn {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}
