/** Reads the rows of a query as CSV, in constant memory. Types become text by the rule of docs/data.md. */
import { FettleError } from '../../errors.ts'
import { attempt } from './attempt.ts'
import type { Asking, DatabasePlace, QueryRows } from './database.ts'

/** Runs `body` with the rows of the query. Throws FETTLE_INPUT_READ, and FETTLE_SETTINGS without the packages. */
export const withQuery = <T>(
  place: DatabasePlace & { readonly sql: string },
  how: Asking,
  body: (rows: QueryRows) => Promise<T>,
): Promise<T> =>
  attempt(
    place,
    how,
    database => database.readQuery(place, how, body),
    (why, { queryHint }) =>
      new FettleError('FETTLE_INPUT_READ', `cannot read the query at ${place.shown}: ${why}`, { hint: queryHint }),
  )
