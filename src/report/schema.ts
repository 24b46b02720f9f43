/**
 * `fettle/report/v1`, the schema of `report.json`: every key is always present, null if unknown. The source of the JSON Schema in
 * schema/, of the type `Report`, and by its descriptions of the documentation.
 */
import { z } from 'zod'
import { at, bytes, company, count, key, known, ms, name, row, sections, sha256, share, text } from './sections/schema.ts'

const inputSchema = z
  .object({
    path: z.string().describe('path, address, table, folder or pattern'),
    files: z
      .array(z.object({ path: z.string().describe('the file'), sha256, bytes, rows: known.describe('rows of the file') }))
      .optional()
      .describe('of several files, in order'),
    sha256,
    bytes,
    rows: known.describe('data rows that could be read'),
    rejected: z
      .object({
        rows: known.describe('how many'),
        reasons: z.record(z.string(), known).describe('by reason: cells, quotes, encoding, nul'),
      })
      .optional()
      .describe('rows that could not be read; absent for none'),
    encoding: z.string().describe('its encoding'),
    bom: z.boolean().describe('byte order mark'),
    delimiter: z.string().describe('character between cells'),
    delimiterEvidence: z.string().describe('why this character'),
    header: z.array(z.string()).nullable().describe('headers; null without a header'),
    columns: known.describe('columns'),
    blankLines: known.describe('blank lines'),
    lineEnd: z.string().describe('lf, crlf …'),
  })
  .describe('the list')

const sealSchemas = {
  journal: z
    .object({
      events: known.describe('its events'),
      head: z.string().describe('checksum of its last line'),
    })
    .nullable()
    .default(null)
    .describe('the journal of the run'),
  files: z
    .array(z.object({ path: z.string().describe('name in the run directory'), bytes, sha256 }))
    .default([])
    .describe('files of the run directory; in its own report.json only'),
  checksum: z.string().nullable().default(null).describe('SHA-256 of this file with an empty text here; in a run directory only'),
}

const statusSchema = z.enum(['running', 'success', 'warn', 'fail', 'error', 'skipped', 'cancelled']).describe('docs/reports.md')

const planSchema = z
  .object({
    fingerprint: z.string().describe('digest of the settings and the input'),
    tags: z.array(z.string()).describe('tags of the pipeline'),
    key: z
      .object({ header: text.describe('header of the column'), index: known.describe('column from 0') })
      .nullable()
      .describe('the column of input.key'),
    limit: known.nullable().describe('rows at most; null: all'),
    sent: known.describe('rows sent'),
    collapse: z.boolean().describe('equal rows are sent once'),
    jobs: known.describe('remote jobs they were split into'),
    concurrency: known.describe('remote jobs side by side'),
    preparation: z.array(z.string()).describe('why the input was not sent byte for byte'),
    enrich: z
      .object({
        product: z.string().describe('the product of the service'),
        tags: z.array(z.string()).describe('requested columns'),
      })
      .nullable()
      .describe('null without enrichment'),
    budget: z
      .object({
        rows: z.number().nullable().describe('rows at most'),
        credits: z.number().nullable().describe('credits of this run at most'),
        month: z.number().optional().describe('credits of the month at most'),
        account: z.literal('refuse').optional().describe('a run that could exceed the account is refused'),
      })
      .describe('limits of the pipeline'),
    poll: z
      .object({
        everyMs: ms.describe('first pause between two polls'),
        maxMs: ms.describe('longest pause'),
        timeoutMs: ms.describe('longest wait for a job'),
      })
      .describe('polling'),
    retry: z.object({ attempts: known.describe('attempts at most') }).describe('how a request is retried'),
    output: z
      .object({
        path: z.string().describe('file of all rows'),
        format: z.string().describe('its format'),
        columns: z.array(z.string()).describe('its columns; *: all of the list'),
        unmatched: text.describe('file of the unmatched rows'),
        review: text.describe('file of the rows in review'),
      })
      .nullable()
      .describe('null without an output'),
    accept: z
      .object({
        banding: z.array(z.string()).nullable().describe('matched bands; null: all'),
        review: z.array(z.string()).describe('bands for review'),
        pattern: z.record(z.string(), z.string()).nullable().describe('mapping -> letters of a match'),
      })
      .nullable()
      .default(null)
      .describe('matches that stand; null: all'),
    decisions: text.describe('the decisions file'),
    report: z
      .object({
        rows: z.enum(['none', 'review', 'all']).describe('rows in reports'),
        mask: z.array(z.string()).describe('masked columns'),
      })
      .describe('what reports show'),
  })
  .describe('the settings of the run')

const jobSchema = z.object({
  part: known.describe('part of the list, from 0'),
  id: text.describe("the service's id"),
  name: z.string().describe('its name'),
  adopted: z.boolean().describe('found, not created'),
  status: text.describe("the service's last status"),
  history: z
    .array(z.object({ status: z.string().describe("the service's word"), at: at.describe('when it was first seen') }))
    .describe('every status'),
  polls: known.describe('polls'),
  jobSummary: z.record(z.string(), z.unknown()).nullable().describe("the service's counts"),
  correlationIds: z.array(z.string()).describe('ids of the requests, for support'),
  correlations: z
    .array(z.object({ operation: z.string().describe('the request'), correlationId: z.string().describe('its id') }))
    .describe('the same, by request'),
})

const stageSchema = z.object({
  name: z.string().describe('create, upload, map …'),
  status: z.enum([...statusSchema.options, 'pending']).describe('pending before it starts'),
  startedAt: at.nullable().describe('null before it starts'),
  elapsedMs: ms,
  attempts: known.describe('starts'),
  note: text.describe('what happened'),
})

const score = z.number().nullable().describe('score of the best company, 0 to 1')
const why = z.string().describe('what agrees and what differs')

const sampleSchema = z.object({
  row,
  line: known.nullable().describe('its line in the file'),
  file: z.string().optional().describe('its file, if there are several'),
  key,
  score,
  why,
  reason: text.default(null).describe('why it is in review or unmatched'),
  cells: z.record(z.string(), z.string()).describe('mapping -> text; masked: ***'),
  candidate: company.nullable().describe('the best company found'),
  fingerprint: z.string().describe('identifies the row in decisions'),
  candidates: z
    .array(
      z.object({
        ...company.shape,
        score: score.describe('its score, 0 to 1'),
        why,
        parts: z.record(z.string(), z.number()).describe('evidence by kind, in log-odds'),
        fields: z.record(z.string(), z.string()).describe('mapping -> text of the company; masked: ***'),
      }),
    )
    .describe('companies to choose from, best first'),
  decision: z
    .object({
      decision: z.enum(['accept', 'reject']).describe('what was decided'),
      company: z.string().describe('connectId of the company'),
      companyName: z.string().describe('its name'),
      by: z.string().describe('the person'),
      at: z.string().describe('when'),
      expires: z.string().describe('last valid day; empty: no limit'),
    })
    .nullable()
    .describe('decision of a person'),
})

const duplicateSchema = z.object({
  row,
  key,
  name,
  company,
  first: known.nullable().describe('first row of the company'),
})

const issueSchema = z.object({
  code: z.string().describe('docs/errors.md'),
  severity: z.enum(['error', 'warn', 'info']).describe('how serious it is'),
  column: text.describe('header of the column'),
  count: known.describe('how often'),
  rows: z.array(known).describe('first data rows, from 1'),
  message: z.string().describe('what is wrong'),
  hint: text.describe('what to do'),
  at: z
    .object({
      file: z.string().describe('the file'),
      line: known.nullable().describe('line from 1'),
      column: known.nullable().describe('character from 1'),
    })
    .nullable()
    .describe('the place'),
})

const columnSchema = z.object({
  mapping: text.describe('null for a key that is not mapped'),
  header: text.describe('null without a header'),
  index: known.describe('column from 0'),
  key: z.boolean().describe('whether it is input.key'),
  filled: known.describe('rows with a value'),
  fillRate: share.describe('filled / rows, 0 to 1'),
  distinct: known.describe('different values'),
  distinctShare: share.describe('distinct / filled, 0 to 1'),
  estimated: z.boolean().describe('whether distinct is an estimate'),
  examples: z.array(z.string()).describe('first different values; masked: ***'),
})

const totals = z
  .object({
    rows: known.describe('rows of the run'),
    matched: count.describe('first matches: rows whose company no earlier row has'),
    manualMatched: count.describe('rows whose company a person accepted'),
    review: count.describe('rows to decide about'),
    unmatched: count.describe('rows without a company'),
    duplicates: count.describe('rows whose company an earlier row has'),
    failed: count.describe('rows that could not be read, or that the service could not process'),
    skipped: count.describe('empty rows, headings and totals: not sent'),
    matchRate: share.describe('(matched + manualMatched + duplicates) / (rows - skipped), 0 to 1'),
  })
  .describe('rows by outcome, which add up to rows')

const error = z
  .object({
    code: z.string().describe('docs/errors.md'),
    kind: z.string().describe('its family'),
    message: z.string().describe('what failed'),
    hint: z.string().describe('what to do'),
    correlationId: text.describe('id of the failed request at the service'),
  })
  .nullable()
  .describe('what ended the run')

const result = z.object({
  name: z.string().describe('the pipeline'),
  description: text.describe('its description'),
  file: z.string().describe('the pipeline file'),
  status: statusSchema,
  message: z.string().describe('the outcome in words'),
  elapsedMs: ms,
  service: z.string().describe('embedded, or the address'),
  registers: z
    .array(
      z.object({
        name: z.string().describe('name of the register'),
        snapshotDate: text.describe('day of the snapshot; null for the sample'),
        sha256: text.describe('digest of the snapshot; null for the sample'),
      }),
    )
    .nullable()
    .default(null)
    .describe('registers of the run'),
  partial: z
    .object({
      rows: z.number().describe('rows of the run'),
      of: z.number().describe('rows of the list'),
      target: text.describe('the target of the project file'),
    })
    .nullable()
    .default(null)
    .describe('of a run with a limit'),
  inRegister: z
    .object({ from: z.number().describe('at least'), to: z.number().describe('at most') })
    .nullable()
    .default(null)
    .describe('estimated share of the list in the register, 0 to 1; null for a remote service'),
  companyNumbers: z
    .enum(['reliable', 'unreliable'])
    .nullable()
    .default(null)
    .describe('whether numbers of the list count; null for a remote service'),
  plan: planSchema,
  input: inputSchema,
  mappings: z
    .array(
      z.object({
        mapping: z.string().describe("the service's name"),
        header: text.describe('header of the column'),
        index: known.describe('column from 0'),
        pad: known.nullable().describe('padded to this many digits'),
        value: text.describe('constant; null for a column'),
        trim: z.boolean().describe('spaces are trimmed'),
      }),
    )
    .describe('what is sent'),
  profile: z.array(columnSchema).describe('mapped columns and key, over the whole input'),
  stages: z.array(stageSchema).describe('the stages, in order'),
  jobs: z.array(jobSchema).describe('the remote jobs'),
  checks: z
    .array(
      z.object({
        assertion: z.string().describe('key of checks or budget'),
        success: z.boolean().nullable().describe('whether it was met; null: not measured yet'),
        severity: z.enum(['warn', 'fail']).describe('its effect'),
        expected: z.string().describe('the threshold'),
        actual: z.string().describe('what was found'),
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
  scores: z.array(known).describe('rows per bucket of the match score, from 0 to 1'),
  lowestScores: z
    .object({
      matched: z.number().nullable().describe('0 to 1'),
      review: z.number().nullable().describe('0 to 1'),
    })
    .nullable()
    .default(null)
    .describe('lowest scores'),
  decisions: z
    .object({
      accepted: known.describe('a person accepted a company'),
      rejected: known.describe('a person rejected what the service found'),
      agreed: known.describe('the service found the same by itself'),
      overruled: known.describe('the service found a different company'),
      learned: known.default(0).describe('matched like an accepted row of nearly the same name'),
      expired: known.describe('expired lines'),
      unused: known.describe('decided rows that are not in the input'),
      undone: known.describe('applied in the last good run and not now'),
    })
    .nullable()
    .describe('rows by effect of decisions'),
  ...sections,
  credits: count.default(null).describe('credits that may be charged'),
  reasons: z.record(z.string(), known).default({}).describe('unmatched rows by reason'),
  duplicates: z.array(duplicateSchema).default([]).describe('first duplicates; with report.rows: all'),
  review: z.array(sampleSchema).describe('first rows in review'),
  unmatched: z.array(sampleSchema).describe('first unmatched rows; with report.rows: all'),
  http: z
    .object({
      requests: known.describe('requests, retries included'),
      retries: known.describe('retries'),
      throttledMs: ms.describe('pauses that the service requested'),
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
        .describe('the program'),
      runId: z.string().describe('id of the run'),
      startedAt: at.describe('start of the run'),
      generatedAt: at.describe('when this report was written'),
      traceId: z.string().describe('docs/dags.md'),
      ci: text.describe('the CI system it ran on'),
      resumedFrom: text.describe('its own id if it was resumed'),
      resumedAt: z.array(at).describe('when it was resumed'),
      directory: text.describe('directory of the run'),
    })
    .describe('about the run'),
  args: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
    .describe('command and flags of the call'),
  status: statusSchema,
  exitCode: z.int().nullable().describe('null while running'),
  elapsedMs: ms,
  totals,
  ledger: z
    .object({
      adds: z.boolean().nullable().describe('outcomes add up to rows'),
      sum: known.describe('sum of the outcomes'),
      difference: z.int().nullable().describe('rows without an outcome'),
      unknown: z.array(z.string()).describe('outcomes whose count is unknown'),
    })
    .describe('whether every row is accounted for'),
  previous: z
    .object({ runId: z.string().describe('its id'), startedAt: at.describe('its start'), totals })
    .nullable()
    .describe('the last good run of the pipeline'),
  delta: z
    .object({
      rows: z.number().nullable().describe('rows'),
      matchRate: z.number().nullable().describe('0.01 is one percentage point'),
      review: z.number().nullable().describe('rows'),
      unmatched: z.number().nullable().describe('rows'),
      duplicates: z.number().nullable().describe('rows'),
    })
    .nullable()
    .describe('this run minus the previous one'),
  resume: text.describe('command that resumes the run'),
  results: z.array(result).describe('one pipeline each; a run has one'),
  warnings: z.array(z.string()).describe('about the run as a whole'),
  ...sealSchemas,
})

/** The content of `report.json`, `fettle/report/v1`: the result of one run. */
export type Report = z.infer<typeof reportSchema>
export type Result = Report['results'][number]
export type Sample = z.infer<typeof sampleSchema>

/** A newer minor version may add keys. */
export function toJsonSchema(schema: z.ZodType, title: string, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return { $schema, title, description, ...rest }
}

export const reportJsonSchema = (): object =>
  toJsonSchema(reportSchema, 'fettle report', 'The outcome of every row of a run (fettle/report/v1).')
