/** A page of the monitoring operations, with what is told beside it: contract §2.3. It holds no record. */
import { z } from 'zod'

/** The block beside every paged list: numbers of pages, null where there is none. */
export const paging = z.looseObject({
  size: z.number().nullish(),
  prev: z.number().nullish(),
  next: z.number().nullish(),
  last: z.number().nullish(),
})

/** A page of records with what is told beside them. */
export const pageOf = <T extends z.ZodType>(data: T) =>
  z.looseObject({
    correlationId: z.string().optional(),
    totalCount: z.number().int().nonnegative(),
    paging: paging.nullish(),
    data,
  })

/** The paging block of a page. */
export type Paging = z.infer<typeof paging>
