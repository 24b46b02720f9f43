/** Turns errors of Redis into ours: outages that pass, and data that cannot be read. */
import { FettleError } from '../errors.ts'

/** Redis has no memory or no disk, or is still starting: a retry may succeed. */
const TRANSIENT = /^(?:OOM|LOADING|BUSY|READONLY|MISCONF|TRYAGAIN|CLUSTERDOWN|MASTERDOWN) /
/** A key of another type, or a text that is not a number, also inside a script of the queue: a retry fails again. */
const PERMANENT = /WRONGTYPE|user_script|is not an integer|is not a valid|syntax error/i

const isPermanent = (error: unknown): boolean => {
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true
  const { message } = error as Error
  return !TRANSIENT.test(message) && PERMANENT.test(message)
}

export function queueError(error: unknown, what: string): FettleError {
  if (FettleError.is(error)) return error
  const { message } = error as Error
  if (!isPermanent(error))
    return new FettleError('FETTLE_QUEUE', `Redis did not answer about ${what}: ${shownText(message)}`, { cause: error })
  return new FettleError('FETTLE_QUEUE_SETTINGS', `what Redis holds as ${what} cannot be read: ${shownText(message)}`, {
    hint: 'Check Redis: another program may have written to it. Use a queue name that only fettle uses.',
    cause: error,
  })
}

/** Reads `what` from Redis. Throws FETTLE_QUEUE_SETTINGS for data that cannot be read, FETTLE_QUEUE for transient errors. */
export async function readable<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw queueError(error, what)
  }
}

const MOST_SHOWN = 2_000

/** A text from Redis, cut to a bounded length; empty for any other value. */
export const shownText = (value: unknown): string =>
  typeof value !== 'string' ? '' : value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value
