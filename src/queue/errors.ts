/** What Redis answers in place of what was asked for, as an error of ours: keys of another type, and texts that cannot be read. */
import { FettleError } from '../errors.ts'

/** Redis has no memory or no disk, or is still starting: another try may cure it. */
const PASSING = /^(?:OOM|LOADING|BUSY|READONLY|MISCONF|TRYAGAIN|CLUSTERDOWN|MASTERDOWN) /
/** What no try cures: a key of another type, or a text that is no number, also where a script of the queue meets it. */
const LASTING = /WRONGTYPE|user_script|is not an integer|is not a valid|syntax error/i

const isLasting = (error: unknown): boolean => {
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true
  const { message } = error as Error
  return !PASSING.test(message) && LASTING.test(message)
}

/** The error of a request about `what`; ours stay what they are. */
export function queueTrouble(error: unknown, what: string): FettleError {
  if (FettleError.is(error)) return error
  const { message } = error as Error
  if (!isLasting(error))
    return new FettleError('FETTLE_QUEUE', `Redis did not answer about ${what}: ${shownText(message)}`, { cause: error })
  return new FettleError('FETTLE_QUEUE_SETTINGS', `what Redis holds as ${what} cannot be read: ${shownText(message)}`, {
    hint: 'Check Redis: another program may have written to it. Use a queue name that only fettle uses.',
    cause: error,
  })
}

/** Waits for what Redis says about `what`. Throws FETTLE_QUEUE_SETTINGS for what cannot be read, FETTLE_QUEUE for what may pass. */
export async function readable<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw queueTrouble(error, what)
  }
}

const MOST_SHOWN = 2_000

/** A text out of Redis as it may be shown: of bounded length, and empty for what is no text. */
export const shownText = (value: unknown): string =>
  typeof value !== 'string' ? '' : value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value
