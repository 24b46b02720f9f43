/**
 * The events of a run. Types only. An event is appended and synced to disk before anything is done because of it; `*.requested` events
 * are written before the request is sent. Events of a remote job have its `part`: the index of the job in the run.
 */
import type { JobSummary } from '../contract/index.ts'
import type { ErrorKind, Issue } from '../errors.ts'
import type { HttpCounts } from '../model/requests.ts'
import type { CompanyCounts, DecisionCounts, LowestScores, Outcomes, OutputFile, RowSample } from '../model/results.ts'
import type { StageName } from '../model/stages.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { CompanyActionEvent } from './company-actions.ts'

export type Status = 'running' | 'success' | 'warn' | 'fail' | 'error' | 'skipped' | 'cancelled'

/** An error in the journal, without stack and secrets. */
export interface RecordedError {
  readonly code: string
  readonly kind: ErrorKind
  readonly message: string
  readonly hint: string
  readonly correlationId: string | null
}

/** The progress of one stage. `attempts` counts its starts: more than one after a resume. */
export interface StageState {
  readonly name: StageName
  readonly status: Status | 'pending'
  readonly startedAt: string | null
  readonly elapsedMs: number
  readonly attempts: number
  readonly note: string | null
}

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
  readonly enrichRequested: boolean
  readonly enrichAccepted: boolean
  readonly enrichFinished: boolean
  readonly received: { readonly bytes: number; readonly rows: number; readonly sha256: string } | null
  /** Why the service failed the job, null while it may succeed. */
  readonly failure: RecordedError | null
  /** The last status observed, null before the first. */
  readonly status: string | null
  /** Each change of status with the time it was first seen. */
  readonly history: readonly { readonly status: string; readonly at: string }[]
  readonly polls: number
  readonly summary: JobSummary | null
  readonly correlations: readonly { readonly operation: string; readonly correlationId: string }[]
}

/** The parts of a plan that a resume reads from the current pipeline file: the keys that the schema marks `live`. */
export type LiveSettings = Partial<Plan>

/** The options of the command line, without secrets, for the report. */
export type RunArgs = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** What `run.started` records. */
export interface RunFacts {
  readonly runId: string
  readonly tool: { readonly name: string; readonly version: string }
  readonly plan: Plan
  /** Unique name of the remote job: pipeline + run id; a part adds its number. */
  readonly jobName: string
  /** `embedded`, or address and a digest of the user name. A resume with another is rejected. */
  readonly identity: string
  readonly args: RunArgs
  readonly traceId: string
  readonly ci: string | null
  /** The shards that a merged run joins. */
  readonly merged?: MergedShards
}

/** The runs of the shards and their final states. A merged run sends nothing to the service. */
export interface MergedShards {
  readonly runs: readonly string[]
  readonly stages: readonly StageState[]
  readonly jobs: readonly JobState[]
  readonly issues: readonly Issue[]
  readonly http: HttpCounts
}

type EventData =
  | ({ readonly type: 'run.started'; readonly journal: 1 } & RunFacts)
  | {
      readonly type: 'run.resumed'
      readonly pid: number
      readonly host: string
      /** The live settings of the current pipeline file. */
      readonly settings?: LiveSettings
    }
  | { readonly type: 'stage.started'; readonly stage: StageName }
  | { readonly type: 'stage.finished'; readonly stage: StageName; readonly elapsedMs: number; readonly http: HttpCounts }
  | { readonly type: 'stage.skipped'; readonly stage: StageName; readonly why: string }
  | {
      readonly type: 'stage.failed'
      readonly stage: StageName
      readonly elapsedMs: number
      readonly error: RecordedError
      readonly http: HttpCounts
    }
  | { readonly type: 'job.requested'; readonly part: number; readonly name: string }
  | { readonly type: 'job.created'; readonly part: number; readonly id: string; readonly name: string; readonly adopted: boolean }
  | { readonly type: 'upload.requested'; readonly part: number; readonly bytes: number }
  | {
      readonly type: 'upload.accepted'
      readonly part: number
      readonly fileId: string | null
      readonly bytes: number
      readonly sha256: string | null
      readonly adopted: boolean
    }
  | { readonly type: 'mapping.accepted'; readonly part: number; readonly count: number }
  | { readonly type: 'match.requested'; readonly part: number }
  | { readonly type: 'match.accepted'; readonly part: number; readonly messageId: string | null; readonly adopted: boolean }
  | {
      readonly type: 'status.observed'
      readonly part: number
      readonly stage: 'match' | 'enrich'
      readonly status: string
      readonly summary: JobSummary | null
    }
  | { readonly type: 'match.finished'; readonly part: number; readonly status: string; readonly summary: JobSummary | null }
  | { readonly type: 'enrichments.accepted'; readonly part: number; readonly product: string; readonly tags: number }
  | { readonly type: 'enrich.requested'; readonly part: number }
  | { readonly type: 'enrich.accepted'; readonly part: number; readonly adopted: boolean }
  | { readonly type: 'enrich.finished'; readonly part: number; readonly status: string; readonly summary: JobSummary | null }
  /** The service ended one of several jobs in an error status: its rows fail, the others continue. */
  | { readonly type: 'part.failed'; readonly part: number; readonly error: RecordedError }
  | {
      readonly type: 'file.received'
      readonly part: number
      readonly bytes: number
      readonly rows: number
      readonly sha256: string
    }
  | {
      readonly type: 'output.written'
      readonly files: readonly OutputFile[]
      readonly outcomes: Outcomes
      readonly samples: readonly RowSample[]
      readonly scores: readonly number[]
      readonly lowestScores?: LowestScores
      readonly decisions?: DecisionCounts | null
      /** Absent or null when no stage uses them. */
      readonly companies?: CompanyCounts | null
    }
  | CompanyActionEvent
  | { readonly type: 'correlation.noted'; readonly part: number; readonly operation: string; readonly correlationId: string }
  | { readonly type: 'issue.raised'; readonly issue: Issue }
  | {
      readonly type: 'run.finished'
      readonly status: Exclude<Status, 'running'>
      readonly exitCode: number
      readonly outcomes: Outcomes
      readonly checks: readonly CheckResult[]
      readonly error: RecordedError | null
    }
  /** Stopped before its end and resumable: a signal, a time limit, a retryable error, a full disk. */
  | {
      readonly type: 'run.paused'
      readonly status: Exclude<Status, 'running'>
      readonly exitCode: number
      readonly error: RecordedError
    }
  /** Every job is submitted, and the process ended without waiting, as requested. */
  | { readonly type: 'run.detached' }

/** A threshold and its result. */
export interface CheckResult {
  readonly assertion: string
  readonly success: boolean
  readonly severity: 'warn' | 'fail'
  readonly expected: string
  /** For example `412 of 500 (82.4%)`. */
  readonly actual: string
}

/** One line of the journal: an event and the UTC time of its record. */
export type RunEvent = EventData & { readonly at: string }
/** An event before it is recorded, as a stage yields it. */
export type RunEventInput = EventData
