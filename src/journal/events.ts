/**
 * The vocabulary of a run: every fact worth surviving a crash, as an event. Types only. An event is appended, and synced to
 * disk, before anything is done because of it; `*.requested` events are intents, written before the request leaves.
 * Events of a remote job carry its `part`: the number from 0 of the job among those of the run.
 */

import type { JobSummary } from '../contract/index.ts'
import type { ErrorKind, Issue } from '../errors.ts'
import type { HttpCounts } from '../model/requests.ts'
import type { CompanyCounts, DecisionCounts, LowestScores, Outcomes, OutputFile, RowSample } from '../model/results.ts'
import type { StageName } from '../model/stages.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { CompanyActionEvent } from './company-actions.ts'

/** How a run or stage stands. */
export type Status = 'running' | 'success' | 'warn' | 'fail' | 'error' | 'skipped' | 'cancelled'

/** An error as a journal keeps it: no stack, no secret. */
export interface RecordedError {
  readonly code: string
  readonly kind: ErrorKind
  readonly message: string
  readonly hint: string
  readonly correlationId: string | null
}

/** One stage as far as it got. `attempts` counts how often it was begun: more than one after a resume. */
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
  /** Why its rows fail while the others go on, null while it may succeed. */
  readonly failure: RecordedError | null
  /** The last word observed, null before the first. */
  readonly status: string | null
  /** Each change of status with the time it was first seen. */
  readonly history: readonly { readonly status: string; readonly at: string }[]
  readonly polls: number
  readonly summary: JobSummary | null
  readonly correlations: readonly { readonly operation: string; readonly correlationId: string }[]
}

/** The parts of a plan that a resume takes from the present pipeline file: the keys that the schema marks `live`. */
export type LiveSettings = Partial<Plan>

/** What was asked for on the command line, without secrets; kept for the report. */
export type RunArgs = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** What is settled about a run as it begins. */
export interface RunFacts {
  readonly runId: string
  readonly tool: { readonly name: string; readonly version: string }
  readonly plan: Plan
  /** Unique name of the remote job: pipeline + run id; a part adds its number. */
  readonly jobName: string
  /** Who is asked: `embedded`, or address and a digest of the user name. A resume with another is refused. */
  readonly identity: string
  readonly args: RunArgs
  readonly traceId: string
  readonly ci: string | null
  /** Of a run that joins the results of shards: what they were. */
  readonly merged?: MergedShards
}

/** The runs whose results are joined, and what they had come to. Nothing is asked of the service any more. */
export interface MergedShards {
  readonly runs: readonly string[]
  readonly stages: readonly StageState[]
  readonly jobs: readonly JobState[]
  readonly issues: readonly Issue[]
  readonly http: HttpCounts
}

type Fact =
  | ({ readonly type: 'run.started'; readonly journal: 1 } & RunFacts)
  | {
      readonly type: 'run.resumed'
      readonly pid: number
      readonly host: string
      /** What the present pipeline file says where it may differ from the recorded plan. */
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
  /** The service ended one of several jobs in an error status: its rows fail, the others go on. */
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
      /** Absent, as null, where nothing is done with them. */
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
  /** Stopped before its end, resumable: a signal, a time limit, an error that another try may cure, a full disk. */
  | {
      readonly type: 'run.paused'
      readonly status: Exclude<Status, 'running'>
      readonly exitCode: number
      readonly error: RecordedError
    }
  /** Left to the service as it was asked to be: every job is submitted, and nobody waits here. */
  | { readonly type: 'run.detached' }

/** A threshold and what became of it. */
export interface CheckResult {
  readonly assertion: string
  readonly success: boolean
  readonly severity: 'warn' | 'fail'
  readonly expected: string
  /** In words: `412 of 500 (82.4%)`. */
  readonly actual: string
}

/** One line of the journal: a fact and the UTC time it was recorded. */
export type RunEvent = Fact & { readonly at: string }
/** A fact not yet recorded: what a stage yields. */
export type RunEventInput = Fact
