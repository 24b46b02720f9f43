/** What a run is executed with, and what it ends in. */
import type { LiveSettings, RunArgs, RunEventInput, RunState } from '../../journal/index.ts'
import type { AcceptedCompany } from '../../model/results.ts'
import type { Links, Plan } from '../../pipeline/index.ts'
import type { Report } from '../../report/index.ts'
import type { HeldLock } from '../../reuse/held-lock.ts'
import type { FetchedByJob } from '../../run/index.ts'
import type { Credentials, Env } from '../env/environment.ts'
import type { Runtime } from '../env/runtime.ts'
import type { Receiver } from '../observe/notify/receivers.ts'
import type { RunTrace } from '../observe/opentelemetry.ts'
import type { ReporterDispatcher } from '../observe/reporters.ts'
import type { ReuseSettings } from '../reuse/settings.ts'
import type { RunDirectory } from '../runs/run-directory.ts'

export type ChosenEvent = RunEventInput & { readonly type: 'reuse.chosen' }

/** A second copy of a journal, so that another machine can resume the run. */
export interface JournalCopy {
  readonly append: (line: string) => void
  /** Resolves when every line is safe in the copy. Throws FETTLE_LOCKED when another process has taken over the run. */
  readonly flushed: (signal: AbortSignal) => Promise<void>
}

export interface RunSettings extends ReuseSettings {
  readonly env: Env
  /** The project's root: paths of the plan are relative to it, outputs stay inside it. */
  readonly cwd: string
  readonly outputMode?: number
  readonly credentials: () => Credentials
  readonly links?: Links
  /** Whether the rows of a query may be read again when their copy is gone; they may if absent. */
  readonly readsQueries?: boolean
  /** Who gets a message when the run ends. */
  readonly notify?: readonly Receiver[]
  /** The command line for the report, without secrets. */
  readonly args: RunArgs
  readonly timeoutMs: number | null
  /** File to record the answers of the service in, as a cassette. */
  readonly record?: string | null
  /** Stop once every job is submitted; the run is collected later. */
  readonly detach?: boolean
  /** Start although decisions that the last run applied are missing: the run undoes them. */
  readonly dropDecisions?: boolean
  /** Start although the list lost most of its rows, or of the cells of a column, since the last good run. */
  readonly acceptList?: boolean
  /** Merge shards although they were matched against different registers, or different imports of one. */
  readonly mixedRegisters?: boolean
  /** For a resume: poll, retry, checks and report of the current pipeline file. */
  readonly live?: LiveSettings | null
  /** The run of a scheduler that this belongs to: a finished run of the same key and plan is returned again. */
  readonly runKey?: string | null
  readonly signal: AbortSignal
  /** A second copy of the journal, updated before every request with an effect; none if absent. */
  readonly copy?: JournalCopy
  /** The lock on what an unfinished run asks, taken before it goes on; the run releases it. */
  readonly asked?: HeldLock | null
  /** The rows that are sent, chosen by another process, and the content of their file. */
  readonly chosen?: { readonly event: ChosenEvent; readonly bytes: Uint8Array }
  readonly world?: Runtime
  readonly observers?: ReporterDispatcher
  /** The trace it belongs to; that of the environment if absent. */
  readonly trace?: RunTrace
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
