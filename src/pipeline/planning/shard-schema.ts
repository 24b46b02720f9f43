/** Validates the plan of a shard that comes from outside: types and bounds of every key, its parts, and the forms of names and paths. */
import { z } from 'zod'
import { COMPANY_NUMBERS, MAPPINGS, type Product } from '../../contract/index.ts'
import { canonicalEncoding } from '../../encodings.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { OUTPUT_FORMAT_NAMES } from '../../formats/index.ts'
import type { CheckName, Plan, Shard } from '../model/types.ts'
import { targetName } from '../project/schema.ts'
import { shownPath } from '../schema/addresses.ts'
import { recordedInput, requestedInput, whyNotReadable, whyNotWritable } from '../schema/paths.ts'
import { pipelineSchema } from '../schema/schema.ts'
import { checkServiceUrl } from '../schema/service-url.ts'
import { fingerprintOf } from './fingerprint.ts'
import { MOST_SHARDS } from './shards.ts'

/** A shape with exactly the keys of a type: a new key of the type does not compile until it is added. */
type Shape<T> = { readonly [K in keyof T]-?: z.ZodType }

const MOST_COLUMNS = 100_000
const WEEK_MS = 7 * 24 * 3_600_000

const count = z.int().min(0)
const text = (max = 10_000) => z.string().max(max)
const part = z.strictObject({ from: count, rows: count })
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const index = z.int().min(0).max(MOST_COLUMNS)
const header = z.string().max(1_048_576)
const column = z.strictObject({ header: header.nullable(), index })
const milliseconds = z.int().min(1).max(WEEK_MS)

/** A path as plans record it: without a query, and never standard input. */
const readable = text(4096).refine(
  path => whyNotReadable(path) === null && shownPath(path) === path && requestedInput(path).kind !== 'stdin',
)
/** Only the steps of absolute paths are checked here; the place is checked when the file is written. */
const writable = text(4096).refine(path => whyNotWritable(path.replace(/^\//, ''), { roots: [] }) === null)

const issue = z.strictObject({
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  severity: z.enum(['error', 'warn', 'info']),
  message: text(),
  hint: text().nullable(),
  at: z.strictObject({ file: text(4096), line: count.nullable(), column: count.nullable() }).nullable(),
  column: header.nullable(),
  count,
  rows: z.array(count).max(1000),
})

const packed = z
  .union([
    z.strictObject({ as: z.literal('gzip'), bytes: count }),
    z.strictObject({ as: z.literal('parquet'), types: z.array(text(40)).max(MOST_COLUMNS), bytes: count }),
    z.strictObject({
      as: z.literal('xlsx'),
      sheet: text(1000),
      numbers: z.array(index).max(MOST_COLUMNS).optional(),
      bytes: count,
    }),
    z.strictObject({
      as: z.literal('jsonl'),
      gzip: z.literal(true).optional(),
      columns: z.array(header).max(MOST_COLUMNS),
      numbers: z.array(index).max(MOST_COLUMNS).optional(),
      booleans: z.array(index).max(MOST_COLUMNS).optional(),
      bytes: count,
    }),
  ])
  .optional()
const skipped = z.strictObject({ head: count, tail: count, from: count, to: count }).optional()
const encoding = text(40).refine(name => canonicalEncoding(name) !== null)

const input = {
  path: readable,
  bytes: count,
  files: z
    .array(
      z.strictObject({
        path: readable,
        bytes: count,
        sha256: digest,
        rows: count,
        headBytes: count,
        encoding,
        packed,
        skipped,
        linesBefore: count.optional(),
      }),
    )
    .min(1)
    .max(1000)
    .optional(),
  query: z.strictObject({ sql: text(100_000), types: z.array(text(40)).max(MOST_COLUMNS) }).optional(),
  packed,
  skipped,
  linesBefore: count.optional(),
  kept: z.union([z.literal(true), text(4096)]).optional(),
  mtimeMs: z.number(),
  sha256: digest,
  encoding,
  bom: z.boolean(),
  delimiter: z.string().regex(/^[^"\r\n\0]$/),
  delimiterEvidence: text(),
  quotes: z.enum(['strict', 'relaxed']),
  header: z.array(header).max(MOST_COLUMNS).nullable(),
  columns: z.int().min(0).max(MOST_COLUMNS),
  rows: count,
  emptyRows: count.optional(),
  blankLines: count,
  lineEnd: z.enum(['lf', 'crlf', 'cr', 'mixed']),
} satisfies Shape<Plan['input']>

const service = {
  kind: z.literal('remote'),
  url: text(2000),
  rate: z.strictObject({ requests: z.int().min(1).max(100_000), perMs: milliseconds }).nullable(),
  fileHosts: z
    .array(
      z
        .string()
        .max(300)
        .regex(/^(\*\.)?([\w-]+\.)*[\w-]+$/),
    )
    .max(50),
  insecure: z.boolean(),
} satisfies Shape<Extract<Plan['service'], { kind: 'remote' }>>

const shard = {
  number: z.int().min(1).max(MOST_SHARDS),
  of: z.int().min(1).max(MOST_SHARDS),
  from: count,
  asked: count,
  span: z.strictObject({ head: count, from: count, to: count.nullable() }),
} satisfies Shape<Shard>

const mapping = {
  mapping: z.enum(MAPPINGS),
  header: header.nullable(),
  index,
  pad: z.int().min(1).max(32).nullable(),
  value: text(500).optional(),
  trim: z.literal(true).optional(),
} satisfies Shape<Plan['mappings'][number]>

const profile = {
  mapping: z.enum(MAPPINGS).nullable(),
  header: header.nullable(),
  index,
  isKey: z.boolean(),
  filled: count,
  distinct: count,
  isEstimate: z.boolean(),
  examples: z.array(text()).max(100),
} satisfies Shape<NonNullable<Plan['profile']>[number]>

const threshold = z.strictObject({
  text: text(100),
  operator: z.enum(['<', '<=', '>', '>=']),
  value: z.number().min(0),
  unit: z.enum(['rows', 'share']),
})

const output = {
  path: writable,
  format: z.enum(OUTPUT_FORMAT_NAMES),
  columns: z.array(header).max(1000),
  rename: z.record(header, header).optional(),
  names: z.literal('snake').optional(),
  table: z.strictObject({ mode: z.enum(['replace', 'append', 'upsert']), key: z.array(text(200)).max(20) }).optional(),
  unmatched: writable.nullable(),
  review: writable.nullable(),
  onFail: z.literal('replace').optional(),
  // What comes from outside may not widen where files are written.
  isAnywhere: z.never().optional(),
  roots: z.never().optional(),
} satisfies Shape<NonNullable<Plan['output']>>

const bands = z.array(text(40)).max(50)
const accept = {
  banding: bands.nullable(),
  review: bands,
  pattern: z.record(text(60), z.string().regex(/^[A-Z]{1,26}$/)).nullable(),
} satisfies Shape<NonNullable<Plan['accept']>>

const age = z
  .int()
  .min(1)
  .max(3650 * 24 * 3_600_000)
const reuse = {
  matched: age,
  unmatched: age,
  review: age,
  screen: age.optional(),
  candidates: age.optional(),
} satisfies Shape<NonNullable<Plan['reuse']>>

const SINCE = ['drift', 'changed', 'lost', 'moved'] as const
const CHECKS = ['matched', 'unmatched', 'review', 'duplicates', 'failed', ...SINCE] as const satisfies readonly CheckName[]
const PRODUCTS = ['basic', 'basicPlus', 'standard'] as const satisfies readonly Product[]

const shape = {
  version: z.literal(1),
  name: pipelineSchema.shape.name,
  description: text().nullable(),
  tags: z.array(z.string().regex(/^[\w.-]{1,60}$/)).max(50),
  file: text(4096).regex(/^[^\u0000-\u001f\u007f]*$/),
  service: z.strictObject(service),
  register: z.never().optional(),
  input: z.strictObject(input),
  key: column.nullable(),
  target: targetName.optional(),
  limit: count.nullable(),
  shard: z.strictObject(shard),
  merged: z.never().optional(),
  rows: count,
  skipped: count.optional(),
  sent: count,
  collapse: z.boolean(),
  companyNumbers: z.enum(COMPANY_NUMBERS).optional(),
  parts: z.array(part).min(1).max(1000),
  send: z.literal('mapped').optional(),
  reuse: z.strictObject(reuse).nullish(),
  known: z.never().optional(),
  concurrency: z.int().min(1).max(32),
  preparation: z.array(text()).max(1000),
  mappings: z.array(z.strictObject(mapping)).max(MAPPINGS.length),
  profile: z.array(z.strictObject(profile)).max(1000).optional(),
  enrich: z.strictObject({ product: z.enum(PRODUCTS), tags: z.array(z.string().regex(/^[\w.]{1,100}$/)).max(1000) }).nullable(),
  budget: z.strictObject({
    rows: count.nullable(),
    credits: count.nullable(),
    month: count.optional(),
    account: z.literal('refuse').optional(),
  }),
  poll: z.strictObject({ everyMs: milliseconds, maxMs: milliseconds, timeoutMs: milliseconds }),
  retry: z.strictObject({ attempts: z.int().min(1).max(10) }),
  retention: z.int().positive().optional(),
  checks: z
    .array(z.strictObject({ name: z.enum(CHECKS), warn: threshold.nullable(), fail: threshold.nullable() }))
    .max(CHECKS.length),
  output: z.strictObject(output).nullable(),
  accept: z.strictObject(accept).nullish(),
  decisions: writable.nullable(),
  // These need the rows or companies of the whole list.
  candidates: z.null().optional(),
  portfolio: z.null().optional(),
  events: z.never().optional(),
  screen: z.null().optional(),
  after: z.literal('archive').optional(),
  report: z.strictObject({ rows: z.enum(['none', 'review', 'all']), mask: z.array(header).max(1000) }),
  issues: z.array(issue).max(10_000),
  fingerprint: digest,
} satisfies Shape<Plan>

type ReadShard = { readonly plan: Plan & { readonly shard: Shard } } | { readonly problem: string }

export function readShardPlan(value: unknown): ReadShard {
  const parsed = z.strictObject(shape).safeParse(value)
  const plan = value as Plan & { readonly shard: Shard }
  const problem = parsed.success ? disagreement(plan) : problemOf(parsed.error)
  return problem === null ? { plan } : { problem }
}

/** The place where a value does not fit its schema. The value itself is not repeated, since it is untrusted. */
export function problemOf({ issues }: z.ZodError): string {
  const [first] = issues
  const where = (first?.path ?? [])
    .map(step =>
      String(step)
        .replace(/[^\w.-]/g, '?')
        .slice(0, 60),
    )
    .join('.')
  const what = first?.code === 'unrecognized_keys' ? 'has a key that this version does not support' : 'is not of its form'
  return where === '' ? `it ${what}` : `${where} ${what}`
}

function disagreement(plan: Plan & { readonly shard: Shard }): string | null {
  const { service, input, shard, rows, sent, skipped = 0, parts, mappings, key } = plan
  if (service.kind !== 'remote') return 'service is the embedded one'
  const { kind, shown } = recordedInput(input)
  if (kind === 'stdin' || kind === 'rows') return `input is a copy of ${shown}`
  const checked = checkServiceUrl(service.url, service.insecure)
  if (!('url' in checked) || checked.url !== service.url) return 'service.url is not the address of a service'
  if (shard.number > shard.of || shard.from + rows > input.rows || sent + skipped > rows)
    return 'shard does not lie within the list'
  if (shard.span.to !== null && shard.span.to < shard.span.from) return 'shard.span ends before it begins'
  let from = 0
  for (const part of parts) {
    if (part.from !== from) return 'parts do not lie side by side'
    from += part.rows
  }
  if (from !== sent) return 'parts do not add up to the rows that go up'
  const constants = mappings.filter(one => one.value !== undefined).length
  const isColumn = (at: number): boolean => at < input.columns
  const isLost = mappings.some(one => (one.value === undefined ? !isColumn(one.index) : one.index >= input.columns + constants))
  if (isLost || (key !== null && !isColumn(key.index))) return 'mappings name a column that the list does not have'
  const { fingerprint, ...work } = plan
  return fingerprintOf(work) === fingerprint ? null : 'fingerprint is not that of the plan'
}
