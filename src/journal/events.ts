/**
 * The events of a run: a schema for the fields of each, and the types that follow from it. An event is appended and synced to disk
 * before anything is done because of it; `*.requested` events are written before the request is sent. Events of a remote job have its
 * `part`: the index of the job in the run.
 */
import { z } from 'zod'
import { type JobSummary, jobSummary } from '../contract/index.ts'
import { DECISIONS } from '../decide/table.ts'
import type { ErrorKind } from '../errors.ts'
import type { Fit } from '../model/list.ts'
import type { HttpCounts } from '../model/requests.ts'
import {
  byOutcome,
  CHANGE_KINDS,
  type ChangeCause,
  type ChangeCounts,
  type ChangeKind,
  type Outcomes,
  type OutputFile,
  type ReportedEvent,
  type RowSample,
  type RunChanges,
} from '../model/results.ts'
import type { StageName } from '../model/stages.ts'
import { issueSchema, type Plan, planSchema } from '../pipeline/model/plan.ts'

export type Status = 'running' | 'success' | 'warn' | 'fail' | 'error' | 'skipped' | 'cancelled'

/** The parts of a plan that a resume reads from the current pipeline file: the keys that the schema marks `live`. */
export type LiveSettings = Partial<Plan>

const text = z.string()
const count = z.number()
const flag = z.boolean()
const part = z.number().int().nonnegative()
/** A word of a list to which a newer minor version may add. */
const word = <T extends string>() => text as unknown as z.ZodType<T>
/** The fields that state and report need; early journals lack others. */
const least = <T>(shape: z.ZodRawShape) => z.object(shape) as unknown as z.ZodType<T>
const list = <T>(item: z.ZodType<T>) => z.array(item) as unknown as z.ZodType<readonly T[]>

// The changes against an earlier run.
const place = z.object({ outcome: text, company: z.object({ id: text, name: text }), ruled: text.optional() }).nullable()
const changeCounts = Object.fromEntries(CHANGE_KINDS.map(kind => [kind, z.number()]))

const runChanges: z.ZodType<RunChanges> = z.object({
  against: text,
  counts: z.object(changeCounts) as unknown as z.ZodType<ChangeCounts>,
  rows: z.array(
    z.object({
      kind: text as unknown as z.ZodType<ChangeKind>,
      cause: text as unknown as z.ZodType<ChangeCause>,
      row: z.number().nullable(),
      key: text.nullable(),
      name: text,
      before: place,
      after: place,
      columns: z.array(z.object({ name: text, before: text, after: text })),
    }),
  ),
})

// Bands and patterns of the matches, companies proposed and screened, and earlier answers.
const matchExample = z.object({ row: count, key: text.nullable(), name: text, company: z.object({ id: text, name: text }) })
const placements = { matched: count, review: count, unmatched: count }
const matchGroup = { value: text, rows: count, ...placements, examples: list(matchExample) }
const matches = z.object({
  bands: list(z.object({ ...matchGroup, moves: z.object(placements) })),
  patterns: list(z.object(matchGroup)),
  others: z.object({ bands: count, patterns: count }),
  byPattern: count,
})

const audit = z.object({
  agreed: count,
  doubtful: count,
  notComparable: count,
  examples: list(matchExample.extend({ differs: list(text) })),
})

const decide = z.object({
  path: text,
  asOf: text,
  accept: count,
  refer: count,
  decline: count,
  rules: list(
    z.object({ rule: text, decision: z.enum(DECISIONS), missing: text.nullable(), rows: count, examples: matchGroup.examples }),
  ),
  unreached: list(text),
})

const proposed = z.object({
  id: text,
  name: text,
  score: count.nullable(),
  why: text,
  parts: z.record(text, count),
  fields: z.record(text, text),
  tags: z.record(text, text),
})
const hit = z.object({
  ...{ list: text, entry: text, name: text, score: count, datasets: list(text) },
  facts: z.record(text, list(text)),
})
/** `found`: the hits with their facts, where decisions about them are applied. */
/** A director of the company, and the date of birth; '' once they are forgotten. */
const director = { person: text.optional(), born: text.optional() }
/** `directors`: how many the company has, where they are searched for. */
const screened = z.object({
  ...{ id: text, name: text, searchId: text, hits: count, risks: z.record(text, count) },
  ...director,
  directors: count.optional(),
  found: list(hit).optional(),
})
const listedHit = z.object({ id: text, name: text, person: text.optional(), entry: text, state: text, why: text })

const parts = list(z.object({ from: count, rows: count }))

const REUSE_EVENTS = {
  /** Which rows have an answer of an earlier run, and the jobs of the others. */
  'reuse.chosen': {
    counts: z.object({
      ...{ asked: count, known: count, sent: count, repeated: count },
      ...{ fresh: count, changed: count, tooOld: count, lacking: count, refreshed: count },
    }),
    sent: count,
    parts,
    /** The digest of the choice, a file of the run directory. */
    choice: text,
    /** What the service fitted to the list in an earlier run, for the jobs of the rows that are sent. */
    fit: z.record(text, z.union([text, z.record(text, z.number())])).optional() as unknown as z.ZodOptional<z.ZodType<Fit>>,
    /** `oldest`: when the oldest of the AML searches was made; `unproven`: those that may be made again. */
    searches: z
      .object({ screen: count, candidates: count, oldest: text.exactOptional(), unproven: count.exactOptional() })
      .optional(),
    /** The part of budget.credits for the rows of a shard that are sent. */
    credits: count.optional(),
  },
  /** Later runs may use the answers of this one. */
  'answers.kept': { files: count },
  /** Its paid answers cannot be proved to be those to its rows: no other run adopts them. */
  'answers.refused': { why: text },
  /** An earlier run asked, and when: nothing is paid. */
  'candidates.reused': { done: count, question: text, companies: list(proposed), askedAt: text },
  /** An earlier run searched, and when: nothing is paid. */
  'screen.reused': { done: count, company: screened, searchedAt: text },
  /** A director of another company is the same person, whom this run has searched for; `searchedAt` as there. */
  'screen.shared': { done: count, company: screened, searchedAt: text.optional() },
  /** Later runs may use what this one searched. */
  'searches.kept': { what: z.enum(['screen', 'candidates', 'decide']), searches: count },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>

// The stages `tree` and `decide`.
const ruling = z.object({ decision: z.enum(DECISIONS), rule: text, why: text })

const TREE_EVENTS = {
  /** `version`: a digest of its content, where decisions of earlier runs may be used; '' if the service does not show it. */
  'tree.found': { id: text, name: text, version: text },
  'decide.requested': { question: text },
  'decide.made': {
    done: count,
    question: text,
    answer: ruling,
    adopted: flag,
  },
  /** An earlier run asked, and when: nothing is paid. */
  'decide.reused': { done: count, question: text, answer: ruling, askedAt: text },
  /** The service refused the company: its rows are referred. */
  'decide.refused': { done: count, question: text, why: text },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>

// The stages `portfolio` and `events`.
const ids = list(text)
const transfer = z.enum(['import', 'sync'])

const PORTFOLIO_EVENTS = {
  'portfolio.requested': { name: text },
  'portfolio.found': { id: count, name: text, created: flag },
  /** The rules of a country are set; `changed`: they were not before. */
  'portfolio.ruled': { country: text, active: count, changed: flag },
  /** What the portfolio has, compared with the companies found. `removes`: those that are gone will be removed. */
  'portfolio.compared': { present: count, missing: count, gone: count, changed: count, removes: flag, examples: ids },
  /** A file of companies is about to be sent. */
  'portfolio.sending': { kind: transfer, companies: count },
  'portfolio.sent': { kind: transfer, companies: count, status: text },
  /** The service has no operation that takes a file. */
  'portfolio.unavailable': { kind: transfer },
  /** The files are applied; `left` are the companies that are still missing, which are added one by one. */
  'portfolio.settled': { done: count, added: count, present: count, removed: count, left: ids },
}

const reported = z.object({
  at: text,
  company: z.object({ id: text, name: text }),
  key: text,
  rule: text,
  old: text,
  new: text,
}) as unknown as z.ZodType<ReportedEvent>

const NOTICE_EVENTS = {
  /** What happened since the last run: read, and stored in the run directory. `listed` has the first of them. */
  'events.read': {
    portfolio: z.object({ id: count, name: text }).nullable(),
    since: text.nullable(),
    events: count,
    companies: count,
    kinds: z.record(text, count),
    listed: list(reported),
  },
  /** The files are in place, and no later run writes these events. `unmarked`: events that are to be marked as processed. */
  'events.written': { path: text, own: text, rows: count, bytes: count, sha256: text, unmarked: count },
  /** `done`: events handled so far; `refused`: the service marks none. */
  'events.marked': { done: count, refused: flag },
}

const alert = z.object({
  company: z.object({ id: text, name: text, person: text.optional() }),
  name: text,
  score: count,
  datasets: list(text),
  at: text,
})

const MONITOR_EVENTS = {
  /** What is under monitoring of this pipeline, against the companies found. `examples`: gone companies. */
  'monitor.compared': { present: count, missing: count, gone: count, removes: flag, examples: list(text) },
  'monitor.settled': { added: count, present: count, removed: count, kept: count, refused: count },
  /** The files are in place, and no later run writes these alerts. `listed` has the first of them. */
  'alerts.written': { path: text, own: text, rows: count, bytes: count, sha256: text, listed: list(alert) },
}

const http: z.ZodType<HttpCounts> = z.object({ requests: count, retries: count, throttledMs: count })
const summary = jobSummary.nullable() as unknown as z.ZodType<JobSummary | null>
const rows = count.nullable()
const outcomes: z.ZodType<Outcomes> = z.object(byOutcome(() => rows))
const error = z.object({ code: text, kind: word<ErrorKind>(), message: text, hint: text, correlationId: text.nullable() })
const check = z.object({
  assertion: text,
  /** Null: there is nothing yet to compare with. */
  success: flag.nullable(),
  severity: word<'warn' | 'fail'>(),
  expected: text,
  /** For example `412 of 500 (82.4%)`. */
  actual: text,
})
const file: z.ZodType<OutputFile> = z.object({
  kind: word<OutputFile['kind']>(),
  path: text,
  rows: count,
  bytes: count,
  sha256: text,
})
const sample = least<RowSample>({
  row: count,
  key: text.nullable(),
  outcome: text,
  why: text,
  cells: z.record(text, text),
  candidate: z.object({ id: text, name: text }),
  candidates: z.array(least({ id: text, name: text, parts: z.record(text, count), fields: z.record(text, text) })).optional(),
})
/** `cause`: why a company cannot be searched for; absent where the service refused it. */
const refusal = z.object({ id: text, why: text, cause: z.enum(['noName', 'noLetter']).optional(), ...director })
const liveSettings = planSchema.unwrap().partial() as unknown as z.ZodType<LiveSettings>
const args = z.record(text, z.union([text, count, flag, z.null(), list(text)]))
const stageState = z.object({
  name: word<StageName>(),
  status: word<Status | 'pending'>(),
  startedAt: text.nullable(),
  elapsedMs: count,
  attempts: count,
  note: text.nullable(),
})
/** Sizes and `sha256` describe the content. */
const received = z.object({
  bytes: count,
  rows: count,
  sha256: text,
  packedSha256: text,
  /** How the file came: it is kept in UTF-8. */
  form: z.object({ encoding: text, evidence: text.nullable(), packing: text.nullable(), delimiter: text }),
})
const jobState = least<JobState>({
  part,
  name: text,
  id: text.nullable(),
  received: received.nullable(),
  failure: error.nullable(),
  history: z.array(z.object({ status: text, at: text })),
  polls: count,
  summary,
  correlations: z.array(z.object({ operation: text, correlationId: text })),
})
const mergedShards = z.object({
  runs: list(text),
  stages: list(stageState),
  jobs: list(jobState),
  issues: list(issueSchema),
  http,
  reuse: z.object(REUSE_EVENTS['reuse.chosen']).optional(),
})

/** What `run.started` records. */
const facts = {
  runId: text,
  tool: z.object({ name: text, version: text }),
  plan: planSchema,
  /** Unique name of the remote job: pipeline + run id; a part adds its number. */
  jobName: text,
  /** `embedded`, or address and a digest of the user name. A resume with another is rejected. */
  identity: text,
  args,
  traceId: text,
  ci: text.nullable(),
  merged: mergedShards.optional(),
  /** The run of a scheduler that it belongs to. */
  runKey: text.optional(),
}

const stage = word<StageName>()
const ended = word<Exclude<Status, 'running'>>()
const observed = { part, status: text, summary }

export const EVENTS = {
  'run.started': { journal: z.literal(1), ...facts },
  'run.resumed': { pid: count, host: text, settings: liveSettings.optional(), runKey: text.optional() },
  ...REUSE_EVENTS,
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
  /** The service ended one of several jobs in an error status: its rows fail, the others continue. */
  'part.failed': { part, error },
  'file.received': { part, ...received.shape },
  /** The received file is gone or was changed since: it is received again. */
  'file.lost': { part },
  'job.archived': { part },
  'output.written': {
    files: list(file),
    outcomes,
    samples: list(sample),
    reasons: z.record(text, count).optional(),
    duplicates: list(
      z.object({
        row: count,
        key: text.nullable(),
        name: text,
        company: z.object({ id: text, name: text }),
        first: count.nullable(),
      }),
    ).optional(),
    /** Absent or null without an earlier run to compare with. */
    changes: runChanges.nullish(),
    /** Absent or null when answers of earlier runs are not used. */
    reused: z.object({ known: outcomes, sent: outcomes }).nullish(),
    /** Absent or null where the service gives neither bands nor patterns. */
    matches: matches.nullish(),
    /** Absent or null where matches are not audited. */
    audit: audit.nullish(),
    /** Absent or null without a decision table, and before the searches that it reads. */
    decide: decide.nullish(),
    scores: list(count),
    lowestScores: z.object({ matched: rows, review: rows }).optional(),
    decisions: z
      .object({
        accepted: count,
        rejected: count,
        agreed: count,
        overruled: count,
        learned: count.default(0),
        expired: count,
        unused: count,
        undone: count,
      })
      .nullish(),
    /** Absent or null when the service is asked for no candidates, or has been asked. */
    questions: z.object({ listed: count, left: count, incomplete: count }).nullish(),
    /** Absent or null when no tags of accepted companies are fetched. */
    accepted: count.nullish(),
    /** Absent or null when no stage uses them. */
    companies: z.object({ listed: count, nameless: count, directors: count.optional() }).nullish(),
    /** Absent or null without a decision tree of the service, and once it has answered. */
    treeQuestions: count.nullish(),
  },
  'candidates.requested': { question: text },
  /** Nothing was asked: the question may be asked again. */
  'candidates.withdrawn': { question: text },
  'candidates.unavailable': { by: word<'match' | 'search'>() },
  'candidates.found': { done: count, question: text, companies: list(proposed) },
  'candidates.refused': { done: count, question: text, why: text },
  /** The answer was lost: it may be paid, and is not asked for again. */
  'candidates.lost': { done: count, question: text },
  /** The report of a company is asked for. */
  'accepted.requested': { company: text },
  /** Nothing was asked: the company may be asked for again. */
  'accepted.withdrawn': { company: text },
  /** Tags that a report or a job brought; `paid` counts what may cost a credit each. */
  'accepted.fetched': {
    done: count,
    paid: count,
    job: text.nullable(),
    companies: list(z.object({ id: text, tags: z.record(text, text) })),
  },
  'accepted.refused': { done: count, company: refusal },
  /** The answer was lost: it may be paid, and is not asked for again. */
  'accepted.lost': { done: count, company: text },
  'accepted.ended': {},
  ...TREE_EVENTS,
  ...PORTFOLIO_EVENTS,
  ...NOTICE_EVENTS,
  ...MONITOR_EVENTS,
  /** `done` counts the companies handled so far, with this event; likewise below. */
  'portfolio.added': { done: count, added: count, present: count, refused: list(refusal) },
  /** `again`: why the search of an earlier run does not hold. */
  'screen.requested': { company: text, again: z.enum(['changed', 'unknown']).optional() },
  /** `listsKey`: the lists that were searched, at a service that names them. */
  'screen.finished': { done: count, company: screened, createdAt: text.nullable(), listsKey: text.optional(), adopted: flag },
  'screen.refused': { done: count, company: refusal },
  /** Decisions were applied to the hits of all searches. */
  'hits.judged': { open: count, back: count, cleared: count, confirmed: count, listed: list(listedHit) },
  'correlation.noted': { part, operation: text, correlationId: text },
  'issue.raised': { issue: issueSchema },
  'run.finished': { status: ended, exitCode: count, outcomes, checks: list(check), error: error.nullable() },
  /** Stopped before its end and resumable: a signal, a time limit, a retryable error, a full disk. */
  'run.paused': { status: ended, exitCode: count, error },
  /** Every job is submitted, and the process ended without waiting, as requested. */
  'run.detached': {},
  /** A row was removed from the contents of the events before. `contents`: their digests since, by the number of the line. */
  'rows.forgotten': { id: text, contents: z.record(text, text) },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>

type Events = typeof EVENTS
type Fields<Shape> = Shape extends z.ZodRawShape ? Readonly<z.infer<z.ZodObject<Shape>>> : never

/** An event before it is recorded, as a stage yields it. */
export type RunEventInput = {
  [T in keyof Events]: Fields<Events[T] & { readonly type: z.ZodLiteral<T> }>
}[keyof Events]
/** One line of the journal: an event and the UTC time of its record. */
export type RunEvent = RunEventInput & { readonly at: string }

/** An error in the journal, without stack and secrets. */
export type RecordedError = Readonly<z.infer<typeof error>>
/** A threshold and its result. */
export type CheckResult = Readonly<z.infer<typeof check>>
/** A company that the service refused, and why. */
export type RefusedCompany = Readonly<z.infer<typeof refusal>>
/** What a search found about a company, or a director of it. `risks`: hits by dataset. */
export type ScreenedCompany = Readonly<z.infer<typeof screened>>
/** The options of the command line, without secrets, for the report. */
export type RunArgs = Readonly<z.infer<typeof args>>
export type RunFacts = Fields<typeof facts>
/** The runs of the shards that a merged run joins, and their final states. A merged run sends nothing to the service. */
export type MergedShards = Readonly<z.infer<typeof mergedShards>>
/** The progress of one stage. `attempts` counts its starts: more than one after a resume. */
export type StageState = Readonly<z.infer<typeof stageState>>

/** One remote job of the run. Every effect has an intent (`…Requested`) and a result. */
export interface JobState {
  readonly part: number
  readonly name: string
  readonly requested: boolean
  readonly id: string | null
  readonly adopted: boolean
  readonly uploadRequested: boolean
  readonly uploaded: { readonly bytes: number; readonly sha256: string | null } | null
  readonly mapped: boolean
  readonly matchRequested: boolean
  readonly matchAccepted: boolean
  readonly matchFinished: boolean
  readonly enrichmentsAccepted: boolean
  /** When it was accepted, or requested where no answer came; null before. */
  readonly enrichRequested: string | null
  readonly enrichAccepted: boolean
  readonly enrichFinished: boolean
  readonly received: z.infer<typeof received> | null
  /** A file was received before, and is not there as it came. */
  readonly lost?: true
  /** Why the service failed the job, null while it may succeed. */
  readonly failure: RecordedError | null
  readonly archived?: true
  /** The last status observed, null before the first. */
  readonly status: string | null
  /** Each change of status with the time it was first seen. */
  readonly history: readonly { readonly status: string; readonly at: string }[]
  readonly polls: number
  readonly summary: JobSummary | null
  readonly correlations: readonly { readonly operation: string; readonly correlationId: string }[]
}
