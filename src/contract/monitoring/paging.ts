/** A page of the monitoring operations with its paging block: contract §2.3. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { orNull, wholeNumber } from '../written.ts'

/** The block beside every paged list: page numbers, null where no such page exists. */
export const paging = lazy(() =>
  z.looseObject({
    size: wholeNumber().nullish(),
    prev: orNull(wholeNumber()),
    next: orNull(wholeNumber()),
    last: wholeNumber().nullish(),
  }),
)

export const pageOf = <T extends z.ZodType>(data: T) =>
  z.looseObject({
    correlationId: z.string().optional(),
    totalCount: z.number().int().nonnegative(),
    paging: paging.nullish(),
    data,
  })

export type Paging = z.infer<typeof paging>
