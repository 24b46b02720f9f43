/** Pages of the monitoring operations, which begin at 0, and the dates and words of their queries: contract §2.3, §7.1. It holds no record. */
import { z } from 'zod'

/** A whole number; left blank it is one that was not given (contract §2.3). */
const number = (least: number, most: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{0,9}$/, 'must be a whole number')
    .transform(text => (text === '' ? otherwise : Number(text)))
    .pipe(z.number().min(least).max(most))
    .default(otherwise)

/** `page` from 0 and `pageSize`; the default and maximum are documented on one operation and hold for all here. */
export const pages = { page: number(0, 1_000_000, 0), pageSize: number(1, 1000, 50) }

/** A switch of a query, off unless it says `true`. */
export const off = z
  .enum(['true', 'false', ''])
  .transform(text => text === 'true')
  .default(false)

/** A text of a query. */
export const words = z.string().max(200).optional()

const day = z
  .string()
  .regex(
    /^(?:|\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)$/,
    'must be an ISO 8601 date or date-time',
  )
  .transform(text => (text === '' ? undefined : text))
  .optional()

/** First and last moment of what is wanted; a last day without a time counts whole. */
export const dates = { startDate: day, endDate: day }

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
