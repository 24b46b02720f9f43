/** Types of the reporters of a call: an observer of its runs that also gets the results of all its pipelines, and a row of the table. */
import type { CiName, Env } from '../../env/environment.ts'
import type { RunReporter } from '../../observe/reporters.ts'
import type { PipelineResult } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'

export const STDOUT = '-'

/** An error that it throws is a warning: no reporter changes a run or its exit code. */
export interface CallReporter extends RunReporter {
  /** All pipelines of the call have ended; `exitCode` is the exit code of the call. */
  onCallEnd?(results: readonly PipelineResult[], exitCode: number): unknown
  readonly page?: string
}

export interface ReporterOptions {
  /** The path of `--reporter NAME=PATH`, else the default path; null if there is neither. */
  readonly path: string | null
  readonly isRequestedPath: boolean
  readonly runsDir: string
  readonly io: Io
}

/** What decides whether a reporter is enabled without `--reporter`. */
export interface CallContext {
  readonly env: Env
  readonly platform: CiName | null
  readonly pipelines: number
}

export interface ReporterType {
  readonly target: 'file' | 'folder' | 'none'
  /** Where it writes without a path, relative to the runs directory; null where the platform decides. */
  readonly defaultPath: string | null
  readonly acceptsStdout: boolean
  /** An existing file is replaced only if it ends in one of these. */
  readonly extensions: readonly string[]
  readonly files?: readonly string[]
  readonly isAutomatic?: (context: CallContext) => boolean
  /** Why the reporter cannot be requested in this environment, null if it can. */
  readonly unavailable?: (env: Env) => { readonly why: string; readonly hint: string } | null
  /** Whether it writes to stdout without a path that names it. */
  readonly usesStdout?: (env: Env) => Promise<boolean>
  readonly create: (options: ReporterOptions) => Promise<CallReporter>
}
