/**
 * The rate limit of one account over all processes: a BullMQ queue that holds one slot for each waiting request and releases them at
 * the account's rate. rate-limiter-flexible counts in whole seconds and fixed windows, so it cannot space requests by milliseconds.
 */
import { orAborted } from '../abort.ts'
import type { Connected } from './connect.ts'
import { queueError, readable } from './errors.ts'

interface Rate {
  readonly requests: number
  readonly perMs: number
}

/** The service counts arrivals, which a network and a busy machine delay. */
const LATE_MS = 250

/** The rest of a pause is read again after this time. */
const LONGEST_MS = 60_000

/** One slot at a time, and not all slots of a period at once: the limit holds for a period that starts at any moment. */
const spacing = ({ requests, perMs }: Rate): number => Math.ceil((perMs + LATE_MS) / requests)

/** Opens the rate limiter of `account`. When processes set different rates, the last one applies. */
export async function openSharedRateLimiter({ engine, redis, address }: Connected, account: string, rate: Rate) {
  const name = `${address.name}-turns-${account}`
  const options = { connection: redis, prefix: 'fettle' }
  const slots = new engine.Queue(name, { ...options, defaultJobOptions: { removeOnComplete: true } })
  const taker = new engine.Worker(name, null, { ...options, autorun: false })
  slots.on('error', () => {})
  taker.on('error', () => {})
  const what = `the rate limit ${name}`
  await readable(what, () => slots.setGlobalRateLimit(1, spacing(rate)))
  let previous: Promise<unknown> = Promise.resolve()
  let number = 0

  const takeNow = async (signal: AbortSignal): Promise<void> => {
    // Each taker adds a slot first, so there are never fewer slots than takers, also after a process died.
    await slots.add('turn', null)
    for (;;) {
      signal.throwIfAborted()
      const token = `${process.pid}-${number++}`
      const slot = await taker.getNextJob(token, { block: false })
      if (slot !== undefined) {
        slot.moveToCompleted(null, token, false).catch(() => {})
        return
      }
      const ms = await slots.getRateLimitTtl()
      // A longer delay than a timer can hold would fire at once.
      await orAborted(taker.delay(Math.min(Math.max(1, ms), LONGEST_MS)), signal)
    }
  }

  return {
    /** Resolves when a request may be sent. */
    take(signal: AbortSignal): Promise<void> {
      const taken = previous
        .then(() => orAborted(takeNow(signal), signal))
        .catch((error: unknown) => {
          throw signal.aborted ? error : queueError(error, what)
        })
      previous = taken.catch(() => {})
      return taken
    },
    /** Delays the requests of all processes by `ms`. */
    pause(ms: number): void {
      slots.rateLimit(Math.ceil(ms)).catch(() => {})
    },
    async close(): Promise<void> {
      await Promise.allSettled([taker.close(true), slots.close()])
    },
  }
}
