/**
 * Checks that the lines of a journal can be fettle's: every event has the fields of its type, and none comes before the event that it
 * depends on. Events of a newer minor version pass.
 */

import { z } from 'zod'
import { type JobSummary, jobSummary } from '../contract/index.ts'
import type { ErrorKind, Issue } from '../errors.ts'
import type { HttpCounts } from '../model/requests.ts'
import type { Outcomes, OutputFile, RowSample } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { CheckResult, JobState, RecordedError, RunArgs, RunEvent, RunEventInput, StageState } from './events.ts'

/** A schema for each field: a missing event or field, or one of another type, does not compile. */
type Fields<T> = { readonly [K in keyof T]-?: z.ZodType<T extends Record<K, T[K]> ? T[K] : T[K] | undefined> }
type Events = { readonly [T in RunEventInput['type']]: Fields<Omit<Extract<RunEventInput, { readonly type: T }>, 'type'>> }

const text = z.string()
const count = z.number()
const flag = z.boolean()
const part = z.number().int().nonnegative()
/** A word of a list to which a newer minor version may add. */
const word = <T extends string>() => text as unknown as z.ZodType<T>
/** The fields that state and report need; early journals lack others. */
const least = <T>(shape: z.ZodRawShape) => z.object(shape) as unknown as z.ZodType<T>

const http = z.object({ requests: count, retries: count, throttledMs: count }) satisfies z.ZodType<HttpCounts>
const summary = jobSummary.nullable() as unknown as z.ZodType<JobSummary | null>
const rows = count.nullable()
const outcomes = z.object({
  matched: rows,
  manualMatched: rows,
  review: rows,
  unmatched: rows,
  duplicates: rows,
  failed: rows,
  skipped: rows,
}) satisfies z.ZodType<Outcomes>
const error = z.object({
  code: text,
  kind: word<ErrorKind>(),
  message: text,
  hint: text,
  correlationId: text.nullable(),
}) satisfies z.ZodType<RecordedError>
const issue = least<Issue>({ code: text, severity: text, message: text, count, rows: z.array(count) })
const check = z.object({
  assertion: text,
  success: flag,
  severity: word<CheckResult['severity']>(),
  expected: text,
  actual: text,
}) satisfies z.ZodType<CheckResult>
const file = z.object({
  kind: word<OutputFile['kind']>(),
  path: text,
  rows: count,
  bytes: count,
  sha256: text,
}) satisfies z.ZodType<OutputFile>
const sample = least<RowSample>({
  row: count,
  key: text.nullable(),
  outcome: text,
  why: text,
  cells: z.record(text, text),
  candidate: z.object({ id: text, name: text }),
  candidates: z.array(least({ id: text, name: text, parts: z.record(text, count), fields: z.record(text, text) })).optional(),
})
const refusal = z.object({ id: text, why: text })
const args = z.record(text, z.union([text, count, flag, z.null(), z.array(text)])) satisfies z.ZodType<RunArgs>
const live = least<Pick<Plan, 'poll' | 'retry' | 'checks' | 'report'>>({
  poll: z.object({ everyMs: count, maxMs: count, timeoutMs: count }),
  retry: z.object({ attempts: count }),
  checks: z.array(z.object({})),
  report: z.object({ rows: text, mask: z.array(text) }),
})
const plan = z.intersection(
  live,
  least({
    name: text,
    file: text,
    tags: z.array(text),
    service: z.object({ kind: text }),
    input: z.object({ path: text, sha256: text, bytes: count, rows: count }),
    rows: count,
    parts: z.array(z.object({ from: count, rows: count })).optional(),
    preparation: z.array(text),
    mappings: z.array(z.object({ mapping: text })),
    enrich: z.object({ product: text, tags: z.array(text) }).nullable(),
    budget: z.object({ rows: count.nullable(), credits: count.nullable() }),
    issues: z.array(issue),
    fingerprint: text,
  }),
) as unknown as z.ZodType<Plan>
const stageState = z.object({
  name: word<StageState['name']>(),
  status: word<StageState['status']>(),
  startedAt: text.nullable(),
  elapsedMs: count,
  attempts: count,
  note: text.nullable(),
}) satisfies z.ZodType<StageState>
const jobState = least<JobState>({
  part,
  name: text,
  id: text.nullable(),
  received: z.object({ bytes: count, rows: count, sha256: text }).nullable(),
  failure: error.nullable(),
  history: z.array(z.object({ status: text, at: text })),
  polls: count,
  summary,
  correlations: z.array(z.object({ operation: text, correlationId: text })),
})

const stage = word<StageState['name']>()
const observed = { part, status: text, summary }

const EVENTS: Events = {
  'run.started': {
    journal: z.literal(1),
    runId: text,
    tool: z.object({ name: text, version: text }),
    plan,
    jobName: text,
    identity: text,
    args,
    traceId: text,
    ci: text.nullable(),
    merged: z
      .object({ runs: z.array(text), stages: z.array(stageState), jobs: z.array(jobState), issues: z.array(issue), http })
      .optional(),
  },
  'run.resumed': { pid: count, host: text, settings: live.optional() },
  'stage.started': { stage },
  'stage.finished': { stage, elapsedMs: count, http },
  'stage.skipped': { stage, why: text },
  'stage.failed': { stage, elapsedMs: count, error, http },
  'job.requested': { part, name: text },
  'job.created': { part, id: text, name: text, adopted: flag },
  'upload.requested': { part, bytes: count },
  'upload.accepted': { part, fileId: text.nullable(), bytes: count, sha256: text.nullable(), adopted: flag },
  'mapping.accepted': { part, count },
  'match.requested': { part },
  'match.accepted': { part, messageId: text.nullable(), adopted: flag },
  'status.observed': { ...observed, stage: word<'match' | 'enrich'>() },
  'match.finished': observed,
  'enrichments.accepted': { part, product: text, tags: count },
  'enrich.requested': { part },
  'enrich.accepted': { part, adopted: flag },
  'enrich.finished': observed,
  'part.failed': { part, error },
  'file.received': { part, bytes: count, rows: count, sha256: text },
  'output.written': {
    files: z.array(file),
    outcomes,
    samples: z.array(sample),
    scores: z.array(count),
    lowestScores: z.object({ matched: rows, review: rows }).optional(),
    decisions: z
      .object({ accepted: count, rejected: count, agreed: count, overruled: count, expired: count, unused: count })
      .nullish(),
    companies: z.object({ listed: count, nameless: count }).nullish(),
  },
  'portfolio.requested': { name: text },
  'portfolio.found': { id: count, name: text, created: flag },
  'portfolio.added': { done: count, added: count, present: count, refused: z.array(refusal) },
  'screen.requested': { company: text },
  'screen.finished': {
    done: count,
    company: z.object({ id: text, name: text, searchId: text, hits: count, risks: z.record(text, count) }),
    createdAt: text.nullable(),
    adopted: flag,
  },
  'screen.refused': { done: count, company: refusal },
  'correlation.noted': { part, operation: text, correlationId: text },
  'issue.raised': { issue },
  'run.finished': {
    status: word(),
    exitCode: count,
    outcomes,
    checks: z.array(check),
    error: error.nullable(),
  },
  'run.paused': { status: word(), exitCode: count, error },
  'run.detached': {},
}

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(EVENTS).map(([type, fields]) => [type, z.object(fields as z.ZodRawShape)]),
)

export const isEvent = (value: unknown): value is RunEvent =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'at' in value &&
  typeof value.at === 'string' &&
  !Number.isNaN(Date.parse(value.at))

/** The fault of an event as text, or null. */
export function faultOf(event: RunEvent): string | null {
  const fault = SCHEMAS.get(event.type)?.safeParse(event).error?.issues[0]
  return fault === undefined ? null : `its ${fault.path.map(String).join('.')} is missing or of another kind`
}

/** The first line, from 1, that cannot follow the lines before it; null when all can. */
export function findGap(events: readonly RunEvent[]): { readonly line: number; readonly why: string } | null {
  const requested = new Set<number>()
  const created = new Set<number>()
  for (const [index, event] of events.entries()) {
    const gap = (why: string) => ({ line: index + 1, why })
    if (index === 0 && event.type !== 'run.started') return gap('the first event is not run.started')
    if (index > 0 && event.type === 'run.started') return gap('the run was started before')
    if (event.type === 'run.started') for (const job of event.merged?.jobs ?? []) created.add(job.part)
    if (!('part' in event)) continue
    if (event.type === 'job.requested') requested.add(event.part)
    else if (event.type === 'job.created') {
      if (!requested.has(event.part)) return gap('no job was requested before')
      created.add(event.part)
    } else if (event.type !== 'correlation.noted' && !created.has(event.part)) return gap('there was no job yet')
  }
  return null
}
