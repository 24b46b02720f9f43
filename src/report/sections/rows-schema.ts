/** The schema of rows, issues and columns in reports. */
import { z } from 'zod'
import { company, key, known, name, row, share, text } from '../schema-values.ts'

const score = z.number().nullable().describe('score of the best company, 0 to 1')
const why = z.string().describe('what agrees and what differs')

export const sampleSchema = z.object({
  row,
  line: known.nullable().describe('line of the file it begins on'),
  file: z.string().optional().describe('of an input of several files: that of the row'),
  key,
  score,
  why,
  reason: text.default(null).describe('why the row is in review or unmatched; null where the service gives no reason'),
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
    .describe('companies to choose from, best first; one at most where the service names no others'),
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

export const duplicateSchema = z.object({
  row,
  key,
  name,
  company,
  first: known.nullable().describe('the first row of that company; null if unknown'),
})

export const issueSchema = z.object({
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

export const columnSchema = z.object({
  mapping: text.describe('null for the key, when its column is mapped to nothing'),
  header: text.describe('null in a file without a header'),
  index: known.describe('column from 0'),
  key: z.boolean().describe('input.key names this column'),
  filled: known.describe('rows with a value'),
  fillRate: share.describe('filled / rows, 0 to 1; null when a count is unknown'),
  distinct: known.describe('different values'),
  distinctShare: share.describe('distinct / filled, 0 to 1; null when nothing is filled'),
  estimated: z.boolean().describe('distinct is an estimate, right within 5 % as a rule: there are too many to keep'),
  examples: z
    .array(z.string())
    .describe('the first different values, cut to 60 characters; *** where masked, none with report.rows: none'),
})
