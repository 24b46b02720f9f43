/** Asks a database again when the connection broke. */
import { FettleError } from '../../errors.ts'
import { realClock } from '../clock.ts'
import type { Asking, Database, DatabasePlace } from './database.ts'
import { databaseOfUrl } from './databases.ts'

/** A server that restarts is back within seconds. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

/** Repeats `step` while it may succeed, up to `attempts` times, after pauses that grow. Throws what `failure` makes of any other reason. */
export async function attempt<T>(
  { url }: DatabasePlace,
  { attempts, signal, clock = realClock }: Asking,
  step: (database: Database) => Promise<T>,
  failure: (why: string, database: Database) => FettleError,
): Promise<T> {
  const database = databaseOfUrl(url)
  for (let tries = 1; ; tries++) {
    try {
      return await step(database)
    } catch (error) {
      signal?.throwIfAborted()
      if (FettleError.is(error)) throw error
      if (!database.isPassing(error) || tries >= attempts) throw failure(database.reasonOf(error), database)
    }
    await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS), signal)
  }
}
