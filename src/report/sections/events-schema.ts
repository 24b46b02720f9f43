/** The schema of events in reports: no import beyond zod, since the page of a report reads its types. */
import { z } from 'zod'

const known = z.int().nonnegative()

export const eventsSchema = z
  .object({
    portfolio: z.object({ id: known, name: z.string() }).nullable().describe('null before it exists'),
    since: z.string().nullable().describe('when events were read last; null for the first time'),
    events: known,
    again: known.default(0).describe('of these, how many were in the file before, whose command did not end with exit code 0'),
    companies: known.describe('companies with an event'),
    kinds: z.record(z.string(), known).describe('companies by what happened to them'),
    file: z.string().nullable().describe('null before it is written'),
    sha256: z.string().nullable(),
    marked: known.describe('marked as processed'),
    listed: z
      .array(
        z.object({
          at: z.string(),
          company: z.object({ id: z.string(), name: z.string() }),
          key: z.string().describe('reference in the portfolio, or key of the row'),
          rule: z.string(),
          old: z.string(),
          new: z.string(),
        }),
      )
      .describe('the first of them'),
  })
  .nullable()
  .default(null)
  .describe('what happened to companies of the portfolio since the last run; null if the pipeline has no such key')
