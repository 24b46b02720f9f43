/**
 * The schema of the lines that a queue keeps of a shard's journal: the events that a worker records, each field with its type and its
 * bounds. Other keys of a line are not read. What the lines are about is proved elsewhere.
 */
import { z } from 'zod'
import { COMPANY_NUMBERS, job, jobSummary } from '../../contract/index.ts'
import { ERRORS, type ErrorCode, EXIT } from '../../errors.ts'
import { STAGE_NAMES } from '../../model/stages.ts'

const count = z.int().min(0)
const text = (max = 20_000) => z.string().max(max)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const code = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
const status = z.enum(['success', 'warn', 'fail', 'error', 'skipped', 'cancelled'])
const exitCode = z.int().min(0).max(255)
const stage = z.enum(STAGE_NAMES)
const elapsedMs = z.number().min(0)
const part = z.int().min(0).max(999)
const http = z.looseObject({ requests: count, retries: count, throttledMs: z.number().min(0) })
const summary = jobSummary.nullable()
/** Workers of early builds write `again` for `retryable`. */
const kind = z.enum(['again', ...(Object.keys(EXIT) as (keyof typeof EXIT)[])]).exclude(['ok'])
const error = z.looseObject({
  code,
  kind,
  message: text(),
  hint: text(),
  correlationId: text(1000).nullable(),
})
const issue = z.looseObject({
  code,
  severity: z.enum(['error', 'warn', 'info']),
  message: text(),
  hint: text().nullable(),
  at: z.looseObject({ file: text(), line: count.nullable(), column: count.nullable() }).nullable(),
  column: text().nullable(),
  count,
  rows: z.array(count).max(1000),
})
const counts = z.looseObject({
  matched: count.nullable(),
  manualMatched: count.nullable(),
  review: count.nullable(),
  unmatched: count.nullable(),
  duplicates: count.nullable(),
  failed: count.nullable(),
  skipped: count.nullable(),
})
const check = z.looseObject({
  assertion: text(),
  success: z.boolean(),
  severity: z.enum(['warn', 'fail']),
  expected: text(),
  actual: text(),
})

export const runArgs = z.record(
  z.string().max(100),
  z.union([text(), z.number(), z.boolean(), z.null(), z.array(text()).max(1000)]),
)

export const endStatus = z.enum(['running', ...status.options])
export const endCode = exitCode

const at = text(40).refine(time => !Number.isNaN(Date.parse(time)))
const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), at, ...shape })

const digestOrNone = z.union([digest, z.literal('')])

/** Which rows of a shard go up. */
export const chosenRows = {
  counts: z.strictObject({
    ...{ asked: count, known: count, sent: count, repeated: count },
    ...{ fresh: count, changed: count, tooOld: count, lacking: count, refreshed: count },
  }),
  sent: count,
  parts: z.array(z.strictObject({ from: count, rows: count })).max(1000),
  answers: digestOrNone,
  bits: digest,
  searches: z.strictObject({ screen: count, candidates: count }).optional(),
  credits: count.optional(),
  inRegister: z.number().min(0).max(1).nullable().optional(),
  companyNumbers: z.enum(COMPANY_NUMBERS).optional(),
}

/** The first line: the run that a worker began. */
const started = event('run.started', {
  journal: z.literal(1),
  runId: text(200),
  tool: z.looseObject({ name: text(100), version: text(100) }),
  plan: z.unknown(),
  jobName: text(300),
  identity: text(2100),
  args: runArgs,
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  ci: text(100).nullable(),
  merged: z.never().optional(),
})

/** One line of a shard's journal. A shard writes no output and is about no portfolio: those events are not among them. */
export const shardEvent = z.discriminatedUnion('type', [
  started,
  // The settings of a shard are those of its task.
  event('run.resumed', { pid: count, host: text(1000), settings: z.never().optional() }),
  event('reuse.chosen', chosenRows),
  event('stage.started', { stage }),
  event('stage.finished', { stage, elapsedMs, http }),
  event('stage.skipped', { stage, why: text() }),
  event('stage.failed', { stage, elapsedMs, error, http }),
  event('job.requested', { part, name: text(300) }),
  event('job.created', { part, id: job.shape.id, name: text(300), adopted: z.boolean() }),
  event('upload.requested', { part, bytes: count }),
  event('upload.accepted', {
    part,
    fileId: text(1000).nullable(),
    bytes: count,
    sha256: digest.nullable(),
    adopted: z.boolean(),
  }),
  event('mapping.accepted', { part, count }),
  event('match.requested', { part }),
  event('match.accepted', { part, messageId: text(1000).nullable(), adopted: z.boolean() }),
  event('status.observed', { part, stage: z.enum(['match', 'enrich']), status: text(), summary }),
  event('match.finished', { part, status: text(), summary }),
  event('enrichments.accepted', { part, product: text(100), tags: count }),
  event('enrich.requested', { part }),
  event('enrich.accepted', { part, adopted: z.boolean() }),
  event('enrich.finished', { part, status: text(), summary }),
  event('part.failed', { part, error }),
  event('file.received', { part, bytes: count, rows: count, sha256: digest, packedSha256: digest.optional() }),
  event('correlation.noted', { part, operation: text(1000), correlationId: text(1000) }),
  event('issue.raised', { issue }),
  event('run.finished', {
    status,
    exitCode,
    outcomes: counts,
    checks: z.array(check).max(1000),
    error: error.nullable(),
  }),
  event('run.paused', { status, exitCode, error }),
])

export type ShardEvent = z.infer<typeof shardEvent>
