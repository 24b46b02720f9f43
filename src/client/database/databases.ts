/** The databases by the scheme of their addresses, and the rows of a query as CSV. A question is asked again when the connection broke. */

import { FettleError } from '../../errors.ts'
import { realClock } from '../clock.ts'
import type { Asking, Database, DatabasePlace, QueryPlace, QueryRows } from './database.ts'
import { DUCKDB } from './duckdb.ts'
import { POSTGRES } from './postgres.ts'

const DATABASES: Readonly<Record<string, Database>> = { postgresql: POSTGRES, postgres: POSTGRES, duckdb: DUCKDB }

export const databaseOfUrl = (url: string): Database => DATABASES[url.split(':', 1)[0]!.toLowerCase()]!

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
      if (!database.isPassing(error) || tries >= attempts) throw failure(database.describeError(error), database)
    }
    await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS), signal)
  }
}

/** Runs `body` with the rows of the query. Throws FETTLE_INPUT_READ, and FETTLE_SETTINGS without the packages. */
export const withQuery = <T>(place: QueryPlace, how: Asking, body: (rows: QueryRows) => Promise<T>): Promise<T> =>
  attempt(
    place,
    how,
    database => database.readQuery(place, how, body),
    (why, { queryHint }) =>
      new FettleError('FETTLE_INPUT_READ', `cannot read the query at ${place.shown}: ${why}`, { hint: queryHint }),
  )
