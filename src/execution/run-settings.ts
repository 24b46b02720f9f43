/** What a run is executed with, and what it ends in. */

import type { Env } from '../env/environment.ts'
import type { Runtime } from '../env/runtime.ts'
import type { HeldLock, Lock } from '../files/process-lock.ts'
import type { Journal, RunArgs, RunEventInput, RunState } from '../journal/index.ts'
import type { AcceptedCompany } from '../model/results.ts'
import type { RunTrace } from '../observe/opentelemetry.ts'
import type { ReporterDispatcher } from '../observe/reporters.ts'
import type { Plan } from '../pipeline/index.ts'
import type { ResumeContext } from '../prepare/resume-context.ts'
import type { Report } from '../report/index.ts'
import type { Waiting } from '../reuse/answer-folder.ts'
import type { ReuseSettings } from '../reuse/settings.ts'
import type { FetchedByJob } from '../run/index.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
import type { Deadline } from './deadline.ts'
import type { RunRecord } from './run-recorder.ts'

export type ChosenEvent = RunEventInput & { readonly type: 'reuse.chosen' }

/** A second copy of a journal, so that another machine can resume the run. */
export interface JournalCopy {
  readonly append: (line: string) => void
  /** Resolves when every line is safe in the copy. Throws FETTLE_LOCKED when another process has taken over the run. */
  readonly flushed: (signal: AbortSignal) => Promise<void>
}

/** What the queue gives for a shard. */
export interface QueuedShard {
  /** A second copy of the journal, updated before every request with an effect. */
  readonly copy: JournalCopy
  /** The rows that are sent, chosen by the submitter, and the content of their file. */
  readonly chosen?: { readonly event: ChosenEvent; readonly bytes: Uint8Array } | undefined
}

/** What must hold for a new run to start. */
interface StartSettings {
  /** The run of a scheduler that this belongs to: a finished run of the same key and plan is returned again. */
  readonly runKey?: string | null
  /** Start although decisions that the last run applied are missing: the run undoes them. */
  readonly dropDecisions?: boolean
  /** Start although the list lost most of its rows, or of the cells of a column, since the last good run. */
  readonly acceptList?: boolean
  /** Merge shards although they were matched against different registers, or different imports of one. */
  readonly mixedRegisters?: boolean
}

/** What is in the pipeline file now: it is secret, or may change between two attempts. */
type PipelineSettings = Pick<ResumeContext, 'credentials'> & Partial<ResumeContext>

/** What the command line, the library and the queue give for an attempt at a run. */
export interface RunSettings extends ReuseSettings, StartSettings, PipelineSettings {
  readonly env: Env
  /** The project's root: paths of the plan are relative to it, outputs stay inside it. */
  readonly cwd: string
  readonly outputMode?: number
  /** The command line for the report, without secrets. */
  readonly args: RunArgs
  readonly timeoutMs: number | null
  /** File to record the answers of the service in, as a cassette. */
  readonly record?: string | null
  /** Stop once every job is submitted; the run is collected later. */
  readonly detach?: boolean
  readonly signal: AbortSignal
  readonly runtime: Runtime
  readonly observers?: ReporterDispatcher
  readonly queued?: QueuedShard
}

/** The files of a run that this process holds. */
export interface OpenRun {
  readonly journal: Journal
  readonly directory: RunDirectory
  readonly lock: Lock
  readonly trace: RunTrace
  /** The lock on what an unfinished run asks, taken before it continues; the caller releases it too. */
  readonly asked?: HeldLock | null
}

/** What an attempt at a run works with; earlier runs of its series are settled with the same limits. */
export interface Attempt {
  /** Their signal is the signal of `limit`. */
  readonly settings: RunSettings
  readonly directory: RunDirectory
  readonly record: RunRecord
  readonly trace: RunTrace
  readonly limit: Pick<Deadline, 'signal' | 'grace' | 'left'>
  readonly now: () => number
  /** Throws FETTLE_LOCKED once another process holds the lock of the pipeline, which all runs of the series have in common. */
  readonly guard: () => void
  readonly waiting: Waiting
  readonly storage: StorageOptions
}

/** Fetches companies by their ids in a separate job, with the settings of the run that wants them. */
export type FetchByJob = (
  companies: readonly AcceptedCompany[],
  needs: { readonly plan: Plan; readonly directory: RunDirectory; readonly settings: RunSettings },
) => Promise<FetchedByJob>

export interface RunResult {
  readonly state: RunState
  readonly report: Report
  readonly directory: RunDirectory
  /** What `retention` could not remove: personal data stays longer than it should. */
  readonly unremoved?: readonly string[]
}
