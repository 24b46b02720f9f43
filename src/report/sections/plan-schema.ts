/** The schema of the plan, its remote jobs and its stages in reports. */
import { z } from 'zod'
import { at, known, ms, text } from '../schema-values.ts'
import { acceptSchema } from './matches-schema.ts'

export const statusSchema = z
  .enum(['running', 'success', 'warn', 'fail', 'error', 'skipped', 'cancelled'])
  .describe('the status, as in docs/reports.md')

export const planSchema = z
  .object({
    fingerprint: z.string().describe('digest of the settings and the input; a run with another one is another run'),
    tags: z.array(z.string()).describe('tags of the pipeline'),
    key: z
      .object({ header: text.describe('header of the column'), index: known.describe('column from 0') })
      .nullable()
      .describe('the column of input.key'),
    limit: known.nullable().describe('rows at most; null: all'),
    sent: known.describe('rows that went up: all, or each different one once'),
    collapse: z.boolean().describe('rows that are equal on the mapped cells go up once'),
    jobs: known.describe('remote jobs they were split into'),
    concurrency: known.describe('remote jobs side by side'),
    preparation: z.array(z.string()).describe('why the input could not go up byte for byte; empty when it could'),
    enrich: z
      .object({
        product: z.string().describe('the product of the service'),
        tags: z.array(z.string()).describe('the columns of the service that were asked for'),
      })
      .nullable()
      .describe('null without enrichment'),
    budget: z
      .object({
        rows: z.number().nullable().describe('rows at most'),
        credits: z.number().nullable().describe('credits of this run at most'),
        month: z.number().optional().describe('credits of the month at most'),
        account: z.literal('refuse').optional().describe('refuse a run that could need more than the account has left'),
      })
      .describe('limits of the pipeline'),
    poll: z
      .object({
        everyMs: ms.describe('milliseconds between the first two questions for the status'),
        maxMs: ms.describe('milliseconds between two questions at most'),
        timeoutMs: ms.describe('milliseconds to wait for a job at most'),
      })
      .describe('how the service is asked for the status of a job'),
    retry: z.object({ attempts: known.describe('attempts at most') }).describe('how a request is retried'),
    output: z
      .object({
        path: z.string().describe('file of all rows'),
        format: z.string().describe('its format'),
        columns: z.array(z.string()).describe('its columns; * are those of the list'),
        unmatched: text.describe('file of the unmatched rows'),
        review: text.describe('file of the rows in review'),
      })
      .nullable()
      .describe('null without an output'),
    accept: acceptSchema,
    decisions: text.describe('the file of what people decided about rows'),
    report: z
      .object({
        rows: z.enum(['none', 'review', 'all']).describe('rows that reports list'),
        mask: z.array(z.string()).describe('columns that reports show as ***'),
      })
      .describe('what reports show'),
  })
  .describe('the settings of the run')

export const jobSchema = z.object({
  part: known.describe('part of the list, from 0'),
  id: text.describe("the service's id"),
  name: z.string().describe("the job's name at the service"),
  adopted: z.boolean().describe('found rather than created: an earlier attempt had made it'),
  status: text.describe("the service's last word, verbatim"),
  history: z
    .array(z.object({ status: z.string().describe("the service's word"), at: at.describe('when it was first seen, UTC') }))
    .describe('every status that was seen'),
  polls: known.describe('how often the status was asked for'),
  jobSummary: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("the service's counts, verbatim; rows in review are unmatched there"),
  correlationIds: z.array(z.string()).describe("the service's ids of the requests, for its support"),
  correlations: z
    .array(
      z.object({ operation: z.string().describe('the request'), correlationId: z.string().describe("the service's id of it") }),
    )
    .describe('the same, with the request of each'),
})

export const stageSchema = z.object({
  name: z.string().describe('create, upload, map …'),
  status: z.enum([...statusSchema.options, 'pending']).describe('the status; pending before it starts'),
  startedAt: at.nullable().describe('UTC; null before it starts'),
  elapsedMs: ms,
  attempts: known.describe('how often it was started: above 1 after a resume'),
  note: text.describe('what happened in it, in words'),
})
