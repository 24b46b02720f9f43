/**
 * `fettle/report/v1`, the schema of `report.json`: every key is always present, null if unknown. The source of the JSON Schema in
 * schema/, of the type `Report`, and by its descriptions of the documentation.
 */
import { z } from 'zod'
import { at, bytes, company, count, key, known, ms, name, row, sections, sha256, share, text } from './sections/schema.ts'

const inputSchema = z
  .object({
    path: z.string().describe('path, address or table; several files: the folder or pattern'),
    files: z
      .array(z.object({ path: z.string().describe('the file'), sha256, bytes, rows: known.describe('rows of the file') }))
      .optional()
      .describe('of an input of several files, in order'),
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
    encoding: z.string().describe('the encoding it was read in'),
    bom: z.boolean().describe('it begins with a byte order mark'),
    delimiter: z.string().describe('character between cells'),
    delimiterEvidence: z.string().describe('why this character, in words'),
    header: z.array(z.string()).nullable().describe('the headers; null for a file without a header'),
    columns: known.describe('columns'),
    blankLines: known.describe('blank lines, which are not rows'),
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
    .describe('the journal that this was made from'),
  files: z
    .array(z.object({ path: z.string().describe('name in the run directory'), bytes, sha256 }))
    .default([])
    .describe('files of the run directory; only in its own report.json'),
  checksum: z
    .string()
    .nullable()
    .default(null)
    .describe('SHA-256 of this file with an empty text here; only in the report.json of a run directory'),
}

const statusSchema = z
  .enum(['running', 'success', 'warn', 'fail', 'error', 'skipped', 'cancelled'])
  .describe('the status, as in docs/reports.md')

const planSchema = z
  .object({
    fingerprint: z.string().describe('digest of the settings and the input'),
    tags: z.array(z.string()).describe('tags of the pipeline'),
    key: z
      .object({ header: text.describe('header of the column'), index: known.describe('column from 0') })
      .nullable()
      .describe('the column of input.key'),
    limit: known.nullable().describe('rows at most; null: all'),
    sent: known.describe('rows that were sent'),
    collapse: z.boolean().describe('equal rows are sent once'),
    jobs: known.describe('remote jobs they were split into'),
    concurrency: known.describe('remote jobs side by side'),
    preparation: z.array(z.string()).describe('why the input could not be sent byte for byte'),
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
        account: z.literal('refuse').optional().describe('refuse a run that could exceed the account'),
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
        columns: z.array(z.string()).describe('its columns; * means all columns of the list'),
        unmatched: text.describe('file of the unmatched rows'),
        review: text.describe('file of the rows in review'),
      })
      .nullable()
      .describe('null without an output'),
    accept: z
      .object({
        banding: z.array(z.string()).nullable().describe('bands that are matched; null: all'),
        review: z.array(z.string()).describe('bands that are left for review'),
        pattern: z.record(z.string(), z.string()).nullable().describe('mapping -> letters that a match may have'),
      })
      .nullable()
      .default(null)
      .describe('which matches of the service stand; null: all'),
    decisions: text.describe('the decisions file'),
    report: z
      .object({
        rows: z.enum(['none', 'review', 'all']).describe('rows that reports list'),
        mask: z.array(z.string()).describe('columns that reports show as ***'),
      })
      .describe('what reports show'),
  })
  .describe('the settings of the run')

const jobSchema = z.object({
  part: known.describe('part of the list, from 0'),
  id: text.describe("the service's id"),
  name: z.string().describe("the job's name at the service"),
  adopted: z.boolean().describe('found rather than created'),
  status: text.describe("the service's last status"),
  history: z
    .array(z.object({ status: z.string().describe("the service's word"), at: at.describe('when it was first seen, UTC') }))
    .describe('every status'),
  polls: known.describe('number of polls'),
  jobSummary: z.record(z.string(), z.unknown()).nullable().describe("the service's counts; rows in review are unmatched there"),
  correlationIds: z.array(z.string()).describe("ids of the requests, for the service's support"),
  correlations: z
    .array(
      z.object({ operation: z.string().describe('the request'), correlationId: z.string().describe("the service's id of it") }),
    )
    .describe('the same, with the request of each'),
})

const stageSchema = z.object({
  name: z.string().describe('create, upload, map …'),
  status: z.enum([...statusSchema.options, 'pending']).describe('the status; pending before it starts'),
  startedAt: at.nullable().describe('UTC; null before it starts'),
  elapsedMs: ms,
  attempts: known.describe('how often it was started'),
  note: text.describe('what happened in it, in words'),
})

const score = z.number().nullable().describe('score of the best company, 0 to 1')
const why = z.string().describe('what agrees and what differs')

const sampleSchema = z.object({
  row,
  line: known.nullable().describe('line of the file it begins on'),
  file: z.string().optional().describe('the file of the row, for an input of several files'),
  key,
  score,
  why,
  reason: text.default(null).describe('why the row is in review or unmatched'),
  cells: z.record(z.string(), z.string()).describe('mapping -> text; masked columns are ***'),
  candidate: company.nullable().describe('the best company found'),
  fingerprint: z.string().describe('identifies the row in decisions'),
  candidates: z
    .array(
      z.object({
        ...company.shape,
        score: score.describe('its score, 0 to 1'),
        why,
        parts: z.record(z.string(), z.number()).describe('what each kind of evidence adds to the score, in log-odds'),
        fields: z.record(z.string(), z.string()).describe('mapping -> text of the company; masked ones are ***'),
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
      expires: z.string().describe('last day on which it applies; empty for no limit'),
    })
    .nullable()
    .describe('what a person decided about the row'),
})

const duplicateSchema = z.object({
  row,
  key,
  name,
  company,
  first: known.nullable().describe('the first row of that company; null if unknown'),
})

const issueSchema = z.object({
  code: z.string().describe('the code, as in docs/errors.md'),
  severity: z.enum(['error', 'warn', 'info']).describe('how serious it is'),
  column: text.describe('header of the column it is about'),
  count: known.describe('how often it occurs'),
  rows: z.array(known).describe('data rows from 1, the first few'),
  message: z.string().describe('what is wrong'),
  hint: text.describe('what to do'),
  at: z
    .object({
      file: z.string().describe('the file'),
      line: known.nullable().describe('line from 1'),
      column: known.nullable().describe('character of the line from 1'),
    })
    .nullable()
    .describe('the place it is about'),
})

const columnSchema = z.object({
  mapping: text.describe('null for the key, when its column is mapped to nothing'),
  header: text.describe('null in a file without a header'),
  index: known.describe('column from 0'),
  key: z.boolean().describe('input.key names this column'),
  filled: known.describe('rows with a value'),
  fillRate: share.describe('filled / rows, 0 to 1'),
  distinct: known.describe('different values'),
  distinctShare: share.describe('distinct / filled, 0 to 1'),
  estimated: z.boolean().describe('distinct is an estimate'),
  examples: z.array(z.string()).describe('the first different values; *** where masked'),
})

const totals = z
  .object({
    rows: known.describe('rows of the run'),
    matched: count.describe('first matches: rows whose company no earlier row has'),
    manualMatched: count.describe('rows whose company a person accepted'),
    review: count.describe('rows that a person has to decide about'),
    unmatched: count.describe('rows without a company'),
    duplicates: count.describe('rows whose company an earlier row has'),
    failed: count.describe('rows that could not be read, or about which the service could not be asked'),
    skipped: count.describe('empty rows, which are not sent'),
    matchRate: share.describe('(matched + manualMatched + duplicates) / (rows - skipped), 0 to 1'),
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
    .describe('registers that the rows were matched against'),
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
    .describe('estimated share of the list in the register, from 0 to 1; null for a different service'),
  companyNumbers: z
    .enum(['reliable', 'unreliable'])
    .nullable()
    .default(null)
    .describe('whether the company numbers of the list count; null for a different service'),
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
    .describe('what is sent'),
  profile: z.array(columnSchema).describe('profile of the mapped columns and the key over the whole input'),
  stages: z.array(stageSchema).describe('the stages, in order'),
  jobs: z.array(jobSchema).describe('the remote jobs'),
  checks: z
    .array(
      z.object({
        assertion: z.string().describe('the key of checks or budget'),
        success: z.boolean().nullable().describe('it was met; null: not measured yet'),
        severity: z.enum(['warn', 'fail']).describe('what it does'),
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
  scores: z.array(known).describe('rows per bucket of the match score, from 0 to 1'),
  lowestScores: z
    .object({
      matched: z.number().nullable().describe('0 to 1; null if nothing was matched'),
      review: z.number().nullable().describe('0 to 1; null if nothing is in review'),
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
      learned: known.default(0).describe('matched, because a row of nearly the same name was accepted'),
      expired: known.describe('lines whose time is over'),
      unused: known.describe('rows decided about that are not in the input'),
      undone: known.describe('applied in the last good run and not now'),
    })
    .nullable()
    .describe('rows by the effect of decisions'),
  ...sections,
  credits: count.default(null).describe('credits the service may charge'),
  reasons: z.record(z.string(), known).default({}).describe('unmatched rows by reason'),
  duplicates: z.array(duplicateSchema).default([]).describe('first duplicates; only with report.rows: all'),
  review: z.array(sampleSchema).describe('first rows in review, as report.rows and report.mask allow'),
  unmatched: z.array(sampleSchema).describe('first unmatched rows; only with report.rows: all'),
  http: z
    .object({
      requests: known.describe('requests to the service, retries included'),
      retries: known.describe('of these, the retries'),
      throttledMs: ms.describe('time waited because the service requested it'),
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
      traceId: z.string().describe('trace id of the run (docs/dags.md)'),
      ci: text.describe('the CI system it ran on'),
      resumedFrom: text.describe('its own id once it was resumed'),
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
      adds: z.boolean().nullable().describe('whether outcomes add up to rows'),
      sum: known.describe('sum of the outcomes'),
      difference: z.int().nullable().describe('rows without an outcome'),
      unknown: z.array(z.string()).describe('outcomes whose count is unknown'),
    })
    .describe('whether every row is accounted for'),
  previous: z
    .object({ runId: z.string().describe('its id'), startedAt: at.describe('its start, UTC'), totals })
    .nullable()
    .describe('the last good run of the pipeline'),
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
export function toJsonSchema(schema: z.ZodType, title: string, description: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  return { $schema, title, description, ...rest }
}

export const reportJsonSchema = (): object =>
  toJsonSchema(reportSchema, 'fettle report', 'The outcome of every row of a run (fettle/report/v1).')
