/**
 * `fettle/report/v1`, the schema of `report.json`: every key is always present, null if unknown. The source of the JSON Schema in
 * schema/, of the type `Report`, and by its descriptions of the documentation.
 */
import { z } from 'zod'
import { at, bytes, count, known, ms, sha256, share, text } from './schema-values.ts'
import { changesSchema } from './sections/changes-schema.ts'
import { companyActionSchemas } from './sections/company-actions-schema.ts'
import { inputSchema } from './sections/input-schema.ts'
import { listFacts, matchesSchema, registersSchema } from './sections/matches-schema.ts'
import { jobSchema, planSchema, stageSchema, statusSchema } from './sections/plan-schema.ts'
import { reuseSchema } from './sections/reuse-schema.ts'
import { columnSchema, duplicateSchema, issueSchema, sampleSchema } from './sections/rows-schema.ts'
import { sealSchemas } from './sections/seal-schema.ts'

const totals = z
  .object({
    rows: known.describe('rows that are accounted for: those of the input, or the limit'),
    matched: count.describe('first matches: rows whose company no earlier row has; null: unknown'),
    manualMatched: count.describe('rows whose company a person accepted; null: unknown'),
    review: count.describe('rows that a person has to decide about; null: unknown'),
    unmatched: count.describe('rows without a company; null: unknown'),
    duplicates: count.describe('rows whose company an earlier row has; null: unknown'),
    failed: count.describe('rows about which the service could not be asked'),
    skipped: count.describe('empty rows, which are not sent'),
    matchRate: share.describe(
      '(matched + manualMatched + duplicates) / (rows - skipped), 0 to 1; null when a count is unknown: a duplicate found its company through an earlier row',
    ),
  })
  .describe('rows = matched + manualMatched + review + unmatched + duplicates + failed + skipped')

const error = z
  .object({
    code: z.string().describe('the code, as in docs/errors.md'),
    kind: z.string().describe('its family, which gives the exit code'),
    message: z.string().describe('what failed'),
    hint: z.string().describe('what to do'),
    correlationId: text.describe("the service's id of the request that failed"),
  })
  .nullable()
  .describe('what ended the run; null without an error')

const result = z.object({
  name: z.string().describe('the pipeline'),
  description: text.describe('its description'),
  file: z.string().describe('the pipeline file'),
  status: statusSchema,
  message: z.string().describe('the outcome of the run, one or two sentences'),
  elapsedMs: ms,
  service: z.string().describe('embedded, or the address'),
  registers: registersSchema,
  ...listFacts,
  plan: planSchema,
  input: inputSchema,
  mappings: z
    .array(
      z.object({
        mapping: z.string().describe("the service's name"),
        header: text.describe('header of the column; null without one'),
        index: known.describe('column from 0'),
        pad: known.nullable().describe('digits that numbers are padded to'),
        value: text.describe('the same text in every row, null for a column'),
        trim: z.boolean().describe('spaces around the text are removed'),
      }),
    )
    .describe('what goes up'),
  profile: z.array(columnSchema).describe('profile of the mapped columns and the key over the whole input'),
  stages: z.array(stageSchema).describe('the stages, in order'),
  jobs: z.array(jobSchema).describe('the remote jobs'),
  checks: z
    .array(
      z.object({
        assertion: z.string().describe('the key of checks or budget'),
        success: z
          .boolean()
          .nullable()
          .describe('it was met; null: not measured yet, since there is no earlier good run to compare with'),
        severity: z.enum(['warn', 'fail']).describe('what it does when it is not met'),
        expected: z.string().describe('the threshold, in words'),
        actual: z.string().describe('what was found, in words'),
      }),
    )
    .describe('the checks of the pipeline'),
  issues: z.array(issueSchema).describe('warnings and notes of the plan and the run'),
  outputs: z
    .array(
      z.object({
        kind: z.string().describe('output, unmatched, review …'),
        path: z.string().describe('the file, object or table'),
        rows: known.describe('rows in it'),
        bytes,
        sha256,
      }),
    )
    .describe('what was written'),
  scores: z
    .array(known)
    .describe('rows per bucket of the match score, equal buckets from 0 to 1; empty when there are no scores'),
  lowestScores: z
    .object({
      matched: z.number().nullable().describe('0 to 1; null if nothing was matched'),
      review: z.number().nullable().describe('0 to 1; null if nothing is in review'),
    })
    .nullable()
    .default(null)
    .describe('the lowest score that the service matched, and the lowest that it left to a person'),
  decisions: z
    .object({
      accepted: known.describe('a person accepted a company'),
      rejected: known.describe('a person rejected what the service found'),
      agreed: known.describe('the service found the same by itself'),
      overruled: known.describe('the service found another company'),
      expired: known.describe('lines whose time is over'),
      unused: known.describe('rows decided about that are not in the input'),
      undone: known.describe('applied in the last good run and not now, although the row is in the input'),
    })
    .nullable()
    .describe("rows by what people's decisions did to them; null where there were none to apply"),
  matches: matchesSchema,
  changes: changesSchema,
  reuse: reuseSchema,
  ...companyActionSchemas,
  credits: count
    .default(null)
    .describe(
      'credits the service may charge: one for each row with a company, one for each AML search and each question for candidates; 0 for the embedded service',
    ),
  reasons: z.record(z.string(), known).default({}).describe('unmatched rows by reason'),
  duplicates: z
    .array(duplicateSchema)
    .default([])
    .describe('rows whose company an earlier row has, the first of them; only with report.rows: all'),
  review: z.array(sampleSchema).describe('rows in review, the first of them; as report.rows and report.mask allow'),
  unmatched: z.array(sampleSchema).describe('unmatched rows, the first of them; only with report.rows: all'),
  http: z
    .object({
      requests: known.describe('requests to the service, retries included'),
      retries: known.describe('of these, the retries'),
      throttledMs: ms.describe('milliseconds waited because the service asked for it'),
    })
    .describe('the requests of the run'),
  error,
})

export const reportSchema = z.object({
  schema: z.literal('fettle/report/v1').describe('the format of this file'),
  metadata: z
    .object({
      tool: z
        .object({ name: z.string().describe('fettle'), version: z.string().describe('its version') })
        .describe('the program that wrote the report'),
      runId: z.string().describe('id of the run, the name of its directory'),
      startedAt: at.describe('start of the run, UTC'),
      generatedAt: at.describe('when this report was written, UTC'),
      traceId: z.string().describe('trace id of the run (docs/lineage.md)'),
      ci: text.describe('the CI system it ran on'),
      resumedFrom: text.describe('the run this one went on from: its own id once it was resumed'),
      resumedAt: z.array(at).describe('when it was resumed, UTC'),
      directory: text.describe('the run directory, relative to the working directory'),
    })
    .describe('the run and the report'),
  args: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
    .describe('command and flags of the call'),
  status: statusSchema,
  exitCode: z.int().nullable().describe('the exit code; null while running'),
  elapsedMs: ms,
  totals,
  ledger: z
    .object({
      adds: z.boolean().nullable().describe('whether outcomes add up to rows; null when a count is unknown'),
      sum: known.describe('sum of the outcomes'),
      difference: z.int().nullable().describe('rows without an outcome; below 0 when rows were counted twice'),
      unknown: z.array(z.string()).describe('outcomes whose count is unknown'),
    })
    .describe('whether every row is accounted for'),
  previous: z
    .object({ runId: z.string().describe('its id'), startedAt: at.describe('its start, UTC'), totals })
    .nullable()
    .describe('the last good run of the pipeline, when there is one to compare with'),
  delta: z
    .object({
      rows: z.number().nullable().describe('rows'),
      matchRate: z.number().nullable().describe('difference of the shares: 0.01 is one percentage point'),
      review: z.number().nullable().describe('rows'),
      unmatched: z.number().nullable().describe('rows'),
      duplicates: z.number().nullable().describe('rows'),
    })
    .nullable()
    .describe('this run less the previous one'),
  resume: text.describe('the command that resumes the run; null if it is finished'),
  results: z.array(result).describe('one pipeline each; a run has one'),
  warnings: z.array(z.string()).describe('about the run as a whole'),
  ...sealSchemas,
})

/** The content of `report.json`, `fettle/report/v1`: the result of one run. */
export type Report = z.infer<typeof reportSchema>
export type Result = Report['results'][number]
export type Sample = z.infer<typeof sampleSchema>

/** A newer minor version may add keys. */
export function jsonSchemaOf(schema: z.ZodType, title: string, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return { $schema, title, description, ...rest }
}

export const reportJsonSchema = (): object =>
  jsonSchemaOf(reportSchema, 'fettle report', 'The outcome of every row of a run (fettle/report/v1).')
