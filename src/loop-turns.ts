/** Spreads work of several runs over turns of the event loop: steps that would all continue in one turn would hold it together. */
import { setImmediate } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/** Resolves after `wait`, in a turn in which no other caller continues. Callers are served in their order. */
export function inOwnTurn(wait: () => Promise<unknown> = () => setImmediate()): Promise<unknown> {
  const mine = last.then(wait)
  last = mine.catch(() => {})
  return mine
}

/** For a long loop, called once per step: every 128th call waits for a turn. */
export function turnEvery(steps = 128): () => Promise<void> {
  let done = 0
  return async () => {
    done++
    if (done % steps === 0) await inOwnTurn()
  }
}
