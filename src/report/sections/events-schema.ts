/** The schema of events in reports: no import beyond zod, since the page of a report reads its types. */
import { z } from 'zod'
import { company, known } from '../schema-values.ts'

export const eventsSchema = z
  .object({
    portfolio: z
      .object({ id: known.describe("the service's id"), name: z.string().describe('its name') })
      .nullable()
      .describe('the portfolio; null before it exists'),
    since: z.string().nullable().describe('when events were read last; null for the first time'),
    events: known.describe('events'),
    companies: known.describe('companies with an event'),
    kinds: z.record(z.string(), known).describe('companies by what happened to them'),
    file: z.string().nullable().describe('the file of the events; null before it is written'),
    ownFile: z.string().nullable().describe('the same under the name of the run, which no later run replaces'),
    sha256: z.string().nullable().describe('its SHA-256, lower-case hex'),
    marked: known.describe('events that were marked as processed'),
    listed: z
      .array(
        z.object({
          at: z.string().describe('when it happened'),
          company,
          key: z.string().describe('reference in the portfolio, or key of the row'),
          rule: z.string().describe('the rule that it belongs to'),
          old: z.string().describe('the value before'),
          new: z.string().describe('the value now'),
        }),
      )
      .describe('the first of them'),
  })
  .nullable()
  .default(null)
  .describe('what happened to companies of the portfolio since the last run; null if the pipeline has no such key')
