/** The schema of portfolio and AML searches in reports: no import beyond zod, since the page of a report reads its types. */
import { z } from 'zod'
import { company, known, text } from '../schema-values.ts'

export const eventsSchema = z
  .object({
    portfolio: z
      .object({ id: known.describe("the service's id"), name: z.string().describe('its name') })
      .nullable()
      .describe('the portfolio'),
    since: z.string().nullable().describe('when events were read last'),
    events: known.describe('events'),
    companies: known.describe('companies with an event'),
    kinds: z.record(z.string(), known).describe('companies by what happened to them'),
    file: z.string().nullable().describe('the file of the events'),
    ownFile: z.string().nullable().describe('the same under the name of the run'),
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
  .describe('what happened to companies of the portfolio since the last run')

const refusals = z
  .array(z.object({ id: company.shape.id, why: z.string().describe('the answer of the service') }))
  .describe('the first of them')

export const portfolioSchema = z
  .object({
    id: known.nullable().describe("the service's id"),
    name: text.describe('its name'),
    created: z.boolean().describe('created by this run'),
    companies: known.nullable().describe('companies found, each once'),
    added: known.describe('companies that this run added'),
    present: known.describe('already in it'),
    refused: known.describe('companies that the service did not take'),
    refusals,
    removed: known.default(0).describe('companies that were gone from the list'),
    kept: known.default(0).describe('gone companies that were not removed'),
    rules: z.record(z.string(), known).default({}).describe('active rules by country, of those that the pipeline sets'),
  })
  .nullable()
  .describe('companies added to a portfolio')

export const screeningSchema = z
  .object({
    datasets: z.array(z.string()).describe('lists that are searched'),
    threshold: known.describe('lowest score of a hit, 0 to 100'),
    countries: z.array(z.string()).describe('countries that are searched; empty for all'),
    budget: known.nullable().describe('credits at most'),
    companies: known.nullable().describe('companies found, each once'),
    searches: known.describe('one credit each'),
    reused: known.default(0).describe('searches of an earlier run: nothing is paid'),
    withHits: known.describe('companies with hits'),
    hits: known.describe('hits of all searches'),
    risks: z
      .array(
        z.object({
          dataset: z.string().describe('the list'),
          meaning: z.string().describe('what it holds'),
          companies: known.describe('companies with a hit in it'),
          hits: known.describe('hits in it'),
        }),
      )
      .describe('by dataset, most companies first; a hit in several counts in each'),
    refused: known.describe('companies that the service did not search'),
    refusals,
    found: z
      .array(
        z.object({
          ...company.shape,
          searchId: z.string().describe("the service's id of the search"),
          hits: known.describe('its hits'),
          risks: z.record(z.string(), known).describe('hits by dataset'),
        }),
      )
      .describe('the companies with the most hits'),
  })
  .nullable()
  .describe('AML searches for the companies found')

export const acceptedSchema = z
  .object({
    by: z.enum(['job', 'report']).describe('by a remote job, or one report for each'),
    companies: known.nullable().describe('accepted companies with missing tags'),
    fetched: known.describe('companies that were fetched'),
    paid: known.describe('companies that may cost one credit each'),
    lost: known.describe('companies whose report was lost'),
    refused: known.describe('companies that the service did not give'),
    left: known.describe('companies not requested yet'),
    job: z.string().nullable().describe('the remote job, with by: job'),
  })
  .nullable()
  .default(null)
  .describe('accepted companies that the service did not match')

export const candidatesSchema = z
  .object({
    limit: known.describe('rows at most'),
    budget: known.nullable().describe('credits at most'),
    questions: known.nullable().describe('different requests'),
    asked: known.describe('requests that may cost one credit each'),
    reused: known.default(0).describe('requests of an earlier run: nothing is paid'),
    found: known.describe('requests for which the service proposes companies'),
    lost: known.describe('requests whose answer was lost'),
    refused: known.describe('requests that the service refused'),
    left: known.nullable().describe('rows beyond the limit'),
    incomplete: known.nullable().describe('rows without a name or a known country'),
  })
  .nullable()
  .default(null)
  .describe('requests for candidates')

export const companyActionSchemas = {
  events: eventsSchema,
  candidates: candidatesSchema,
  accepted: acceptedSchema,
  portfolio: portfolioSchema,
  screening: screeningSchema,
}
