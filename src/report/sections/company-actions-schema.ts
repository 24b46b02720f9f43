/** The schema of portfolio and AML searches in reports: no import beyond zod, since the page of a report reads its types. */
import { z } from 'zod'
import { eventsSchema } from './events-schema.ts'

const known = z.int().nonnegative()
const text = z.string().nullable()
const refusals = z.array(z.object({ id: z.string(), why: z.string() })).describe('the first of them')

export const portfolioSchema = z
  .object({
    id: known.nullable(),
    name: text,
    created: z.boolean().describe('created by this run'),
    companies: known.nullable().describe('companies found, each once; null before the outputs are written'),
    added: known,
    present: known.describe('already in it'),
    refused: known,
    refusals,
    removed: known.default(0).describe('companies that were gone from the list'),
    kept: known.default(0).describe('companies that are gone from the list and were not removed'),
    rules: z.record(z.string(), known).default({}).describe('active rules by country, of those that the pipeline sets'),
  })
  .nullable()
  .describe('companies added to a portfolio; null if the pipeline has no such key')

export const screeningSchema = z
  .object({
    datasets: z.array(z.string()),
    threshold: known,
    countries: z.array(z.string()),
    budget: known.nullable(),
    companies: known.nullable().describe('companies found, each once; null before the outputs are written'),
    searches: known.describe('one credit each'),
    reused: known.default(0).describe('companies that an earlier run searched for: nothing is paid'),
    withHits: known.describe('companies with hits'),
    hits: known,
    risks: z
      .array(z.object({ dataset: z.string(), meaning: z.string(), companies: known, hits: known }))
      .describe('by dataset, most companies first; a hit in several counts in each'),
    refused: known,
    refusals,
    found: z
      .array(
        z.object({ id: z.string(), name: z.string(), searchId: z.string(), hits: known, risks: z.record(z.string(), known) }),
      )
      .describe('the companies with the most hits'),
  })
  .nullable()
  .describe('AML searches for the companies found; null if the pipeline has no such key')

export const acceptedSchema = z
  .object({
    by: z.enum(['job', 'report']),
    companies: known.nullable().describe('accepted companies of which tags were missing; null before the outputs are written'),
    fetched: known,
    paid: known.describe('companies that may cost one credit each'),
    lost: known.describe('companies whose report was lost: paid perhaps, and not asked for again in this run'),
    refused: known.describe('companies that the service did not give'),
    left: known.describe('companies that were not asked for yet'),
    job: z.string().nullable().describe('the remote job, with by: job'),
  })
  .nullable()
  .default(null)
  .describe('companies that people accepted and the service did not match; null if the pipeline does not fetch them')

export const candidatesSchema = z
  .object({
    limit: known,
    budget: known.nullable(),
    questions: known.nullable().describe('different questions; null before the outputs are written'),
    asked: known.describe('questions that may cost one credit each'),
    reused: known.default(0).describe('questions that an earlier run asked: nothing is paid'),
    found: known.describe('questions for which the service proposes companies'),
    lost: known.describe('questions whose answer was lost: paid perhaps, and not asked again in this run'),
    refused: known,
    left: known.nullable().describe('rows beyond the limit'),
    incomplete: known.nullable().describe('rows without a name or a known country'),
  })
  .nullable()
  .default(null)
  .describe('questions to the service about rows in review and unmatched ones; null if the pipeline has no such key')

export const companyActionSchemas = {
  events: eventsSchema,
  candidates: candidatesSchema,
  accepted: acceptedSchema,
  portfolio: portfolioSchema,
  screening: screeningSchema,
}
