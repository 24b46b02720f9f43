/** The queries of AML lists: contract §2.3, §6.1. Everything arrives as text. */
import { z } from 'zod'

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))

const paging = { page: whole(1, 1_000_000).default(1), pageSize: whole(1, 100).default(10) }

/** Query of a list of searches. */
export const searchesQuery = z.looseObject({
  ...paging,
  isScheduled: z
    .enum(['true', 'false'])
    .transform(text => text === 'true')
    .optional(),
})

/** Query of a list of hits; the decision is read in any case (contract §14.3). */
export const hitsQuery = z.looseObject({ ...paging, hitDecisions: z.string().max(200).optional() })
