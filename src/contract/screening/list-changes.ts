/** Whether an import of lists may concern AML searches made before it, on the wire. */
import { z } from 'zod'
import { DOCUMENTED, type Operation } from '../operation.ts'
import { lazy } from '../schemas.ts'

/** Searches of one request. */
export const MOST_SEARCHES = 500

const listsKey = z.string().min(1).max(10_000)

/**
 * Names the searches that may find something else than with the lists of an earlier `listsKey`. Only fettle's own service has it, and shows
 * that by a header of the login: the interface does not know it.
 */
export const LIST_CHANGES = {
  method: 'POST',
  path: '/listChanges',
  query: null,
  request: lazy(() =>
    z.strictObject({
      listsKey,
      searches: z
        .array(
          z.strictObject({
            type: z.enum(['business', 'individual']),
            name: z.string().min(1).max(200),
            threshold: z.number().int().min(1).max(100),
            hasHits: z.boolean(),
          }),
        )
        .max(MOST_SEARCHES),
    }),
  ),
  reply: lazy(() =>
    z.looseObject({
      listsKey,
      /** Places in the list of the request; null where it is not known what changed since. */
      changed: z.array(z.number().int().nonnegative()).nullable(),
    }),
  ),
  repeat: 'free',
  errors: DOCUMENTED,
  summary: 'Learn which AML searches an import of lists may concern',
} as const satisfies Operation

/** The header of a login at a service that has it. */
export const LIST_CHANGES_HEADER = 'x-list-changes'
