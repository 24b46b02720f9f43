/** Reads the rows of a query as CSV, in constant memory. Types become text by the rule of docs/data.md. */
import { FettleError } from '../../errors.ts'
import type { Asking, DatabasePlace, QueryRows } from './database.ts'
import { databaseOfUrl } from './databases.ts'

/** Runs `body` with the rows of the query. Throws FETTLE_INPUT_READ, and FETTLE_SETTINGS without the packages. */
export async function withQuery<T>(
  place: DatabasePlace & { readonly sql: string },
  how: Asking,
  body: (rows: QueryRows) => Promise<T>,
): Promise<T> {
  const database = databaseOfUrl(place.url)
  for (let tries = 1; ; tries++) {
    try {
      return await database.readQuery(place, how, body)
    } catch (error) {
      how.signal?.throwIfAborted()
      if (FettleError.is(error)) throw error
      if (database.isPassing(error) && tries < how.attempts) continue
      throw new FettleError('FETTLE_INPUT_READ', `cannot read the query at ${place.shown}: ${database.reasonOf(error)}`, {
        hint: database.queryHint,
      })
    }
  }
}
