/**
 * THE declaration of the pipeline file: keys, forms, defaults, descriptions. Parsing, "did you mean", the library's types and
 * the JSON Schema for editors all read it. Rules between keys are in lint.ts.
 *
 * The `error` of each leaf is the form it expects, as the end of "expected …"; issues.ts makes the sentence.
 */
import { z } from 'zod'
import { DATASETS, type Dataset, MAPPINGS, type Mapping, type Product, THRESHOLDS } from '../../contract/index.ts'
import { canonicalEncoding } from '../../encodings.ts'
import { formatFacts, OUTPUT_FORMAT_NAMES } from '../../formats/index.ts'
import type { CheckName } from '../model/types.ts'
import { DURATION, formatDuration, parseDuration } from './durations.ts'
import { parseThreshold, THRESHOLD } from './thresholds.ts'

const text = (error: string, max = 1000) => z.string({ error }).min(1, { error }).max(max, { error })
const pattern = (error: string, form: RegExp) => z.string({ error }).regex(form, { error })
const flag = () => z.boolean({ error: 'true or false' })
const whole = (min: number, max: number) => {
  const error = `a whole number from ${min}${max > 1_000_000 ? '' : ` to ${max}`}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}
const listOf = <T extends z.ZodType>(item: T, error: string, min = 0, max = 1000) =>
  z.array(item, { error }).min(min, { error }).max(max, { error })
const map = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, { error: `a map with ${Object.keys(shape).join(', ')}` })

const duration = (minMs: number, maxMs: number) => {
  const error = `a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, such as 500ms, 30s, 5m, 2h or 1d`
  return pattern(error, DURATION)
    .refine(value => (parseDuration(value) ?? 0) >= minMs && (parseDuration(value) ?? 0) <= maxMs, { error })
    .transform(value => parseDuration(value)!)
}
const threshold = (error: string, shareOnly = false) =>
  pattern(error, THRESHOLD)
    .refine(value => parseThreshold(value) !== null && (!shareOnly || parseThreshold(value)!.unit === 'share'), { error })
    .transform(value => parseThreshold(value)!)

const HOUR = 3_600_000
const MAX_ROWS = 1_000_000_000
const header = text('a header of the input')
const path = text('a path')
const rows = () => whole(0, MAX_ROWS)
const index = () => whole(0, 1023).describe('Zero-based column, for a file without a header.')

/** The long form of `service`. */
export const serviceMap = map({
  url: text('an address such as https://host/v1').optional().describe('Base address, ending in a version. Absent: FETTLE_URL.'),
  username: text('a user name').optional().describe('User name. Absent: FETTLE_USERNAME.'),
  password: text('a password')
    .optional()
    .describe('One ${NAME} and nothing else. Absent: FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.'),
  rate: map({
    requests: whole(1, 100_000).describe('So many requests …'),
    per: duration(1, HOUR).describe('… in so long.'),
  })
    .optional()
    .describe('No more requests than this, over all jobs.'),
  fileHosts: listOf(
    pattern('a host such as files.example.com or *.example.com', /^(\*\.)?([\w-]+\.)*[\w-]+$/),
    'a list of hosts',
    0,
    50,
  )
    .prefault(['*.amazonaws.com'])
    .describe("Hosts a download link may name besides the service's own; *. stands for any subdomain."),
  insecure: flag().prefault(false).describe('Allow http:// to other machines. Every report warns of it.'),
})

const SHEET = 'the name of a sheet, or its number from 1'
const columnReference = z.union([header, map({ index: index() })], { error: 'a header of the input, or {index: 0}' })

/** The long form of `input`. */
export const inputMap = map({
  path: path.describe(
    'The input, relative to the working directory: delimited text, also packed by gzip, or an Excel file (.xlsx); - is standard input; or s3://bucket/key, or https://….',
  ),
  encoding: text('auto or an encoding such as utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis or gb18030')
    .refine(value => value === 'auto' || canonicalEncoding(value) !== null, {
      error: 'auto or an encoding such as utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis or gb18030',
    })
    .prefault('auto')
    .describe('auto: byte-order mark, else strict UTF-8; anything else must be named.'),
  delimiter: pattern('auto or one character', /^(auto|[^"\r\n\0])$/)
    .prefault('auto')
    .describe('auto: one delimiter is chosen by looking at the file, and shown.'),
  header: flag().prefault(true).describe('Whether the first row names the columns.'),
  quotes: z.enum(['strict', 'relaxed']).prefault('strict').describe('relaxed: a bare quote inside a cell is text.'),
  skip: map({
    head: whole(0, 1000).prefault(0).describe('Lines above the header, such as a title.'),
    tail: whole(0, 1000).prefault(0).describe('Lines below the last row, such as a sum; blank ones are not counted.'),
  })
    .optional()
    .describe('Lines around the table that are no part of it.'),
  sheet: z
    .union([text(SHEET), whole(1, 10_000)], { error: SHEET })
    .optional()
    .describe('Of an Excel file: the sheet, by name or by number from 1. Absent: the first with content.'),
  key: columnReference.optional().describe("The row's own id; reports name rows by it."),
  rows: map({
    min: rows().optional().describe('Fewer rows than this are an error: a truncated extract.'),
    max: rows().optional().describe('More rows than this are an error: a guard against a bill.'),
  })
    .optional()
    .describe('How many rows the input may have.'),
  empty: z.enum(['fail', 'skip']).prefault('fail').describe('What an input without rows means.'),
})

const mapping = z.union(
  [
    header,
    map({
      from: z
        .union([header, listOf(header, 'a list of headers', 1, 20)], { error: 'a header of the input, or a list of headers' })
        .optional()
        .describe('The header, or several of which the first that exists is taken.'),
      index: index().optional(),
      value: text('a text', 500).optional().describe('The same text in every row, in place of a column.'),
      pad: whole(1, 32).optional().describe('Pad all-digit cells with zeros on the left to so many digits.'),
      trim: flag().prefault(false).describe('Leave out space around a cell, and make space in it one blank.'),
      optional: flag().prefault(false).describe('Leave the mapping out when no such header exists.'),
    }),
  ],
  { error: 'a header of the input, or {from, index, value, pad, trim, optional}' },
)
const mappingShape = Object.fromEntries(
  MAPPINGS.map(name => [name, mapping.optional().describe(`The column that holds ${name}.`)]),
) as unknown as Record<Mapping, z.ZodOptional<typeof mapping>>

const PRODUCTS = ['basic', 'basicPlus', 'standard'] as const satisfies readonly Product[]
const enrich = z.union([
  z.enum(['none', ...PRODUCTS]),
  map({
    product: z.enum(PRODUCTS).describe('The product whose tags are allowed.'),
    tags: listOf(text('an enrichment tag', 100), 'a list of enrichment tags', 1)
      .optional()
      .describe("Absent: all of the product's."),
  }),
])

const COUNT_OR_SHARE = 'a comparison with a count or a share, such as "> 500" or "< 90%"'
const check = (form: z.ZodType<ReturnType<typeof parseThreshold> & {}, string>) =>
  map({
    warn: form.optional().describe('Warn when this holds.'),
    fail: form.optional().describe('Fail (exit 1) when this holds.'),
  })
const anyCheck = check(threshold(COUNT_OR_SHARE))
const checks = map({
  matched: anyCheck.optional().describe('Rows matched.'),
  unmatched: anyCheck.optional().describe('Rows not matched.'),
  review: anyCheck.optional().describe('Rows a person should look at.'),
  duplicates: anyCheck.optional().describe('Rows that repeat another.'),
  failed: anyCheck.optional().describe('Rows that could not be asked.'),
  drift: check(threshold('a comparison with a share, such as "> 15%"', true))
    .optional()
    .describe('Change of the match rate against the last good run of this pipeline.'),
} satisfies Record<CheckName, z.ZodType>)

const FORMATS_EXPLAINED = OUTPUT_FORMAT_NAMES.flatMap(name => {
  const { description } = formatFacts(name)
  return description === null ? [] : [`${name}: ${description}`]
})

/** The long form of `output`. */
export const outputMap = map({
  path: path.describe(
    'The enriched rows; written whole or not at all. A path in the working directory, s3://bucket/key, or an https:// address that takes a PUT.',
  ),
  format: z
    .enum(OUTPUT_FORMAT_NAMES)
    .prefault('csv')
    .describe(`${FORMATS_EXPLAINED.join('; ')}.`),
  columns: listOf(text('a column'), 'a list of columns', 1)
    .optional()
    .describe('"*" is the columns of the input; the rest are enrichment tags and match.outcome, match.score, match.why …'),
  unmatched: path.optional().describe('The rows that were not matched.'),
  review: path.optional().describe('The rows a person should look at, with the best candidate.'),
})

const PORTFOLIO = 'the name of a portfolio, 200 characters at most'
const portfolioName = pattern(PORTFOLIO, /^(?=.*\S)[^\u0000-\u001f\u007f-\u009f]{1,200}$/)

/** The long form of `portfolio`. */
export const portfolioMap = map({
  name: portfolioName.optional().describe('By its name; made when there is none.'),
  id: whole(1, Number.MAX_SAFE_INTEGER).optional().describe('By its number; it must be there.'),
  reference: columnReference.optional().describe("The column that becomes the company's reference in the portfolio."),
})

const COUNTRY = 'an ISO 3166 code of two letters, such as GB'
const datasetNames = Object.keys(DATASETS) as [Dataset, ...Dataset[]]
const screen = map({
  datasets: listOf(z.enum(datasetNames), 'a list of dataset codes', 1, datasetNames.length).describe('Where to look.'),
  threshold: z.literal(THRESHOLDS).prefault(85).describe('Hits that score less are not given.'),
  countries: listOf(pattern(COUNTRY, /^[A-Za-z]{2}$/), 'a list of country codes', 1, 250)
    .optional()
    .describe('Countries of the search. Absent: all.'),
  budget: whole(1, MAX_ROWS).optional().describe('Most searches of a run, one credit each; the rest is left and told.'),
})

const NAME = 'a name of a-z, 0-9 and -, a letter or digit first, 80 characters at most'
const TAG = 'a tag of letters, digits, ".", "_" and "-"'

/** The pipeline file. Unknown keys are errors at every level. */
export const pipelineSchema = map({
  $schema: text('the address of a JSON Schema').optional().describe('For editors; fettle does not read it.'),
  version: z.literal(1).prefault(1).describe('Version of this format.'),
  name: pattern(NAME, /^[a-z0-9][a-z0-9-]{0,79}$/).describe('Part of run ids and of the remote job names.'),
  description: text('a text of 2000 characters at most', 2000).optional().describe('For people.'),
  tags: listOf(pattern(TAG, /^[\w.-]{1,60}$/), 'a list of tags', 0, 50)
    .prefault([])
    .describe('Tags to select pipelines by.'),
  vars: z
    .record(z.string(), z.string({ error: 'text' }), { error: 'a map of names and texts' })
    .prefault({})
    .describe('Defaults of ${vars.name}; the caller may set other values.'),
  service: z
    .union([text('embedded, an address or a map'), serviceMap], { error: 'embedded, an address or a map' })
    .optional()
    .describe('embedded, or where the service is. Absent: FETTLE_URL if set, else embedded.'),
  input: z.union([path, inputMap], { error: 'a path, or a map with path' }).describe('The company list.'),
  mappings: map(mappingShape).describe("The service's mapping name: your header."),
  job: map({
    split: whole(1, MAX_ROWS).optional().describe('Most rows of one remote job.'),
    concurrency: whole(1, 32).prefault(4).describe('Remote jobs side by side.'),
    collapse: flag().prefault(false).describe('Rows alike on the mapped cells go up once; the answer stands in all of them.'),
  })
    .prefault({})
    .describe('How rows become remote jobs.'),
  enrich: enrich.optional().describe('none, a product, or {product, tags}. Absent: basic when there is an output, else none.'),
  budget: map({
    rows: whole(1, MAX_ROWS).optional().describe('Refuse to send more rows.'),
    credits: whole(1, MAX_ROWS).optional().describe('Refuse to enrich more rows.'),
  })
    .prefault({})
    .describe('Refuse before spending more.'),
  poll: map({
    every: duration(500, HOUR)
      .prefault('2s')
      .describe('First pause between two looks at a job; of the embedded service the longest.'),
    max: duration(500, HOUR).prefault('30s').describe('Longest pause.'),
    timeout: duration(500, 168 * HOUR)
      .prefault('2h')
      .describe('Give up waiting after this; the run can be resumed.'),
  })
    .prefault({})
    .describe('How a running job is watched.'),
  retry: map({ attempts: whole(1, 10).prefault(4).describe('Tries of one request.') })
    .prefault({})
    .describe('How requests are repeated.'),
  checks: checks.prefault({}).describe('Thresholds: warn keeps exit 0, fail gives exit 1.'),
  output: z
    .union([path, outputMap], { error: 'a path, or a map with path' })
    .optional()
    .describe('Absent: the run ends when matched.'),
  review: map({
    decisions: path.optional().describe('A CSV of decisions about rows, applied on every run; a review writes it.'),
  })
    .prefault({})
    .describe('Rows that a person should look at.'),
  portfolio: z
    .union([portfolioName, portfolioMap], { error: `${PORTFOLIO}, or a map with name or id` })
    .optional()
    .describe('Adds the companies found to this portfolio; one that is in it already stays.'),
  screen: screen.optional().describe('Makes an AML search for each company found, once a run; one credit a search.'),
  report: map({
    rows: z
      .enum(['none', 'review', 'all'])
      .prefault('review')
      .describe('Rows whose content may enter reports: none, those to review, or all that did not match.'),
    mask: listOf(text('a mapping name or a header'), 'a list of mapping names and headers')
      .prefault([])
      .describe('Columns shown as ***.'),
  })
    .prefault({})
    .describe('What row content may enter reports.'),
})

/** A pipeline as a person writes it, for `definePipeline`. */
export type PipelineInput = z.input<typeof pipelineSchema>
/** A pipeline with defaults filled in, short forms still as written. */
export type PipelineFields = z.output<typeof pipelineSchema>

/** The same object, typed: for pipelines written in TypeScript. */
export const definePipeline = (pipeline: PipelineInput): PipelineInput => pipeline
