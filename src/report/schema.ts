/**
 * `fettle/report/v1`, the schema of `report.json`: every key is always present, null if unknown. The source of the JSON Schema in
 * schema/, of the type `Report`, and by its descriptions of the documentation.
 */
import { z } from 'zod'
import { changesSchema } from './sections/changes-schema.ts'
import { companyActionSchemas } from './sections/company-actions-schema.ts'
import { inputSchema } from './sections/input-schema.ts'
import { acceptSchema, listFacts, matchesSchema, registersSchema } from './sections/matches-schema.ts'
import { reuseSchema } from './sections/reuse-schema.ts'
import { sealSchemas } from './sections/seal-schema.ts'

const known = z.int().nonnegative()
const count = known.nullable().describe('null: unknown')
const at = z.iso.datetime({ precision: 3 }).describe('UTC, with milliseconds')
const ms = z.number().nonnegative().describe('milliseconds')
const share = z.number().nonnegative().nullable().describe('0 to 1; null when a count it needs is unknown')
const sha256 = z.string().describe('lower-case hex')
const status = z.enum(['running', 'success', 'warn', 'fail', 'error', 'skipped', 'cancelled'])
const text = z.string().nullable()

const totals = z
  .object({
    rows: known.describe('rows that are accounted for: those of the input, or the limit'),
    matched: count.describe('first matches: rows whose company no earlier row has'),
    manualMatched: count,
    review: count,
    unmatched: count,
    duplicates: count,
    failed: count.describe('rows about which the service could not be asked'),
    skipped: count.describe('empty rows, which are not sent'),
    matchRate: share.describe(
      '(matched + manualMatched + duplicates) / (rows - skipped): a duplicate found its company through an earlier row',
    ),
  })
  .describe('rows = matched + manualMatched + review + unmatched + duplicates + failed + skipped')

const error = z
  .object({ code: z.string(), kind: z.string(), message: z.string(), hint: z.string(), correlationId: text })
  .nullable()

const issue = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warn', 'info']),
  column: text,
  count: known,
  rows: z.array(known).describe('data rows from 1, the first few'),
  message: z.string(),
  hint: text,
  at: z.object({ file: z.string(), line: known.nullable(), column: known.nullable() }).nullable(),
})

const sample = z.object({
  row: known.describe('data row from 1'),
  line: known.nullable().describe('line of the file it begins on'),
  file: z.string().optional().describe('of an input of several files: that of the row'),
  key: text.describe("the row's own id, when the pipeline names one"),
  score: z.number().nullable(),
  why: z.string(),
  reason: text
    .default(null)
    .describe('why the row is in review or unmatched; null where the service gives no reason, and in runs of older versions'),
  cells: z.record(z.string(), z.string()).describe('mapping -> text; masked columns are ***'),
  candidate: z.object({ id: z.string(), name: z.string() }).nullable().describe('the best company found'),
  fingerprint: text.describe('identifies the row in decisions; null in runs of older versions'),
  candidates: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        score: z.number().nullable(),
        why: z.string(),
        parts: z.record(z.string(), z.number()).describe('what each kind of evidence adds to the score, in log-odds'),
        fields: z.record(z.string(), z.string()).describe('mapping -> text of the company; masked ones are ***'),
      }),
    )
    .describe('companies to choose from, best first; one at most where the service names no others'),
  decision: z
    .object({
      decision: z.enum(['accept', 'reject']),
      company: z.string(),
      companyName: z.string(),
      by: z.string(),
      at: z.string(),
      expires: z.string(),
    })
    .nullable()
    .describe('what a person decided about the row'),
})

const plan = z.object({
  fingerprint: z.string(),
  tags: z.array(z.string()),
  key: z.object({ header: text, index: known }).nullable(),
  limit: known.nullable(),
  sent: known.describe('rows that went up: all, or each different one once'),
  collapse: z.boolean(),
  jobs: known.describe('remote jobs they were split into'),
  concurrency: known.describe('remote jobs side by side'),
  preparation: z.array(z.string()).describe('why the input could not go up byte for byte; empty when it could'),
  enrich: z.object({ product: z.string(), tags: z.array(z.string()) }).nullable(),
  budget: z.object({
    rows: z.number().nullable(),
    credits: z.number().nullable(),
    month: z.number().optional(),
    account: z.literal('refuse').optional(),
  }),
  poll: z.object({ everyMs: ms, maxMs: ms, timeoutMs: ms }),
  retry: z.object({ attempts: known }),
  output: z
    .object({ path: z.string(), format: z.string(), columns: z.array(z.string()), unmatched: text, review: text })
    .nullable(),
  accept: acceptSchema,
  decisions: text.describe('the file of what people decided about rows'),
  report: z.object({ rows: z.enum(['none', 'review', 'all']), mask: z.array(z.string()) }),
})

const job = z.object({
  part: known,
  id: text,
  name: z.string(),
  adopted: z.boolean().describe('found rather than created: an earlier attempt had made it'),
  status: text.describe("the service's last word, verbatim"),
  history: z.array(z.object({ status: z.string(), at })),
  polls: known,
  jobSummary: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("the service's counts, verbatim; rows in review are unmatched there"),
  correlationIds: z.array(z.string()),
  correlations: z.array(z.object({ operation: z.string(), correlationId: z.string() })),
})

const column = z.object({
  mapping: text.describe('null for the key, when its column is mapped to nothing'),
  header: text,
  index: known.describe('column from 0'),
  key: z.boolean().describe('input.key names this column'),
  filled: known.describe('rows with a value'),
  fillRate: share,
  distinct: known.describe('different values'),
  distinctShare: share.describe('distinct / filled; null when nothing is filled'),
  estimated: z.boolean().describe('distinct is an estimate, right within 5 % as a rule: there are too many to keep'),
  examples: z
    .array(z.string())
    .describe('the first different values, cut to 60 characters; *** where masked, none with report.rows: none'),
})

const result = z.object({
  name: z.string(),
  description: text,
  file: z.string().describe('the pipeline file'),
  status,
  message: z.string().describe('the outcome of the run, one or two sentences'),
  elapsedMs: ms,
  service: z.string().describe('embedded, or the address'),
  registers: registersSchema,
  ...listFacts,
  plan,
  input: inputSchema,
  mappings: z.array(
    z.object({
      mapping: z.string(),
      header: text,
      index: known.describe('column from 0'),
      pad: known.nullable().describe('digits that numbers are padded to'),
      value: text.describe('the same text in every row, null for a column'),
      trim: z.boolean(),
    }),
  ),
  profile: z
    .array(column)
    .describe('profile of the mapped columns and the key over the whole input; empty in runs of older versions'),
  stages: z.array(
    z.object({
      name: z.string(),
      status: z.enum([...status.options, 'pending']),
      startedAt: at.nullable(),
      elapsedMs: ms,
      attempts: known.describe('how often it was started: above 1 after a resume'),
      note: text,
    }),
  ),
  jobs: z.array(job),
  checks: z.array(
    z.object({
      assertion: z.string(),
      success: z.boolean(),
      severity: z.enum(['warn', 'fail']),
      expected: z.string(),
      actual: z.string(),
    }),
  ),
  issues: z.array(issue),
  outputs: z.array(z.object({ kind: z.string(), path: z.string(), rows: known, bytes: known, sha256 })),
  scores: z
    .array(known)
    .describe('rows per bucket of the match score, equal buckets from 0 to 1; empty when there are no scores'),
  lowestScores: z
    .object({ matched: z.number().nullable(), review: z.number().nullable() })
    .nullable()
    .default(null)
    .describe('the lowest score that the service matched, and the lowest that it left to a person'),
  decisions: z
    .object({
      accepted: known,
      rejected: known,
      agreed: known.describe('the service found the same by itself'),
      overruled: known.describe('the service found another company'),
      expired: known.describe('lines whose time is over'),
      unused: known.describe('rows decided about that are not in the input'),
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
    .array(
      z.object({
        row: known.describe('data row from 1'),
        key: text,
        name: z.string(),
        company: z.object({ id: z.string(), name: z.string() }),
        first: known.nullable().describe('the first row of that company; null if unknown'),
      }),
    )
    .default([])
    .describe('rows whose company an earlier row has, the first of them; only with report.rows: all'),
  review: z.array(sample).describe('rows in review, the first of them; as report.rows and report.mask allow'),
  unmatched: z.array(sample).describe('unmatched rows, the first of them; only with report.rows: all'),
  http: z.object({ requests: known, retries: known, throttledMs: ms }),
  error,
})

export const reportSchema = z.object({
  schema: z.literal('fettle/report/v1'),
  metadata: z.object({
    tool: z.object({ name: z.string(), version: z.string() }),
    runId: z.string(),
    startedAt: at,
    generatedAt: at,
    traceId: z.string(),
    ci: text,
    resumedFrom: text.describe('the run this one went on from: its own id once it was resumed'),
    resumedAt: z.array(at),
    directory: text.describe('the run directory, relative to the working directory'),
  }),
  args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
  status,
  exitCode: z.int().nullable().describe('null while running'),
  elapsedMs: ms,
  totals,
  ledger: z.object({
    adds: z.boolean().nullable().describe('whether outcomes add up to rows; null when a count is unknown'),
    sum: known,
    difference: z.int().nullable().describe('rows without an outcome; below 0 when rows were counted twice'),
    unknown: z.array(z.string()),
  }),
  previous: z
    .object({ runId: z.string(), startedAt: at, totals })
    .nullable()
    .describe('the last good run of the pipeline, when there is one to compare with'),
  delta: z
    .object({
      rows: z.number().nullable(),
      matchRate: z.number().nullable(),
      review: z.number().nullable(),
      unmatched: z.number().nullable(),
      duplicates: z.number().nullable(),
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
export type Sample = z.infer<typeof sample>

/** A newer minor version may add keys. */
export function jsonSchemaOf(schema: z.ZodType, title: string, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return { $schema, title, description, ...rest }
}

export const reportJsonSchema = (): object =>
  jsonSchemaOf(reportSchema, 'fettle report', 'The outcome of every row of a run (fettle/report/v1).')
