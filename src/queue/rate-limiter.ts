/**
 * Turns to send a request, given out for one account over all processes: a queue of BullMQ's whose rate limit is the account's, and
 * that holds nothing but turns. Who takes which is all the same. It knows no request.
 */
import { orAborted } from '../abort.ts'
import type { Connected } from './connect.ts'
import { queueTrouble, readable } from './errors.ts'

/** At most so many requests in any stretch of so many milliseconds. */
interface Rate {
  readonly requests: number
  readonly perMs: number
}

/** The turns of an account. */
export interface SharedRateLimiter {
  /** Resolves when a request may leave. */
  take(signal: AbortSignal): Promise<void>
  /** Holds everybody back for `ms`. */
  pause(ms: number): void
  close(): Promise<void>
}

/** Between a turn and the arrival of its request lies a network and a busy machine, and the service counts arrivals. */
const LATE_MS = 250

/** After so long it is asked again how long a pause still is. */
const LONGEST_MS = 60_000

/** One turn at a time instead of all of a stretch at once: a limit counted from any moment on holds as well. */
const spacing = ({ requests, perMs }: Rate): number => Math.ceil((perMs + LATE_MS) / requests)

/** Opens the turns of `account`. Several that name different rates follow the last. */
export async function openSharedRateLimiter(
  { engine, redis, address }: Connected,
  account: string,
  rate: Rate,
): Promise<SharedRateLimiter> {
  const name = `${address.name}-turns-${account}`
  const options = { connection: redis, prefix: 'fettle' }
  const queue = new engine.Queue(name, { ...options, defaultJobOptions: { removeOnComplete: true } })
  const taker = new engine.Worker(name, null, { ...options, autorun: false })
  queue.on('error', () => {})
  taker.on('error', () => {})
  const what = `the turns of ${name}`
  await readable(what, () => queue.setGlobalRateLimit(1, spacing(rate)))
  let line: Promise<unknown> = Promise.resolve()
  let number = 0

  const takeNow = async (signal: AbortSignal): Promise<void> => {
    // Whoever takes puts one there first: there are never fewer turns than takers.
    await queue.add('turn', null)
    for (;;) {
      signal.throwIfAborted()
      const token = `${process.pid}-${number++}`
      const turn = await taker.getNextJob(token, { block: false })
      if (turn !== undefined) {
        turn.moveToCompleted(null, token, false).catch(() => {})
        return
      }
      const ms = await queue.getRateLimitTtl()
      // A time that no timer can hold would end at once.
      await orAborted(taker.delay(Math.min(Math.max(1, ms), LONGEST_MS)), signal)
    }
  }

  return {
    take(signal) {
      const turn = line
        .then(() => orAborted(takeNow(signal), signal))
        .catch((error: unknown) => {
          throw signal.aborted ? error : queueTrouble(error, what)
        })
      line = turn.catch(() => {})
      return turn
    },
    pause(ms) {
      queue.rateLimit(Math.ceil(ms)).catch(() => {})
    },
    async close() {
      await Promise.allSettled([taker.close(true), queue.close()])
    },
  }
}
