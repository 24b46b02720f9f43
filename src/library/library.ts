/**
 * Pipelines from a program: `check`, `run`, `resume`, `collect`, `merge`, `status`, and queues by `submit` and `worker`. A failed check
 * is a result; errors are thrown when there is no answer.
 */

import type { MatchableRow, MatcherOptions, RegisterMatcher, RowMatch } from '../matcher/types.ts'
import type { PipelineInput } from '../pipeline/index.ts'
import type { LoadOptions } from '../prepare/read-pipeline.ts'
import type { Report, ReportFormat } from '../report/index.ts'
import type { RowsPipeline } from './input-rows.ts'
import type {
  Check,
  ExecutionOptions,
  LibraryOptions,
  MergeOptions,
  RunRef,
  RunStatus,
  SubmitOptions,
  SubmittedRun,
  WatchOptions,
  WorkerOptions,
} from './options.ts'
import { follow, type RunHandle } from './run-handle.ts'

/** The code of every function is loaded with its first call, so that importing the package costs little. */
const calls = () => import('./calls.ts')

/**
 * Checks a pipeline and its input as a run does before its first request; sends nothing. `pipeline` is a file or an object; rows
 * as its `input` are consumed.
 */
export const check = async (pipeline: string | RowsPipeline, options: LibraryOptions = {}): Promise<Check> =>
  (await calls()).check(pipeline, options)

/**
 * Opens registers of this machine to match rows in this process; nothing is sent and nothing written but the index of a register that is
 * opened for the first time. Rejects with FETTLE_REGISTER_NONE or FETTLE_REGISTER_UNKNOWN without a register. Call `close`.
 */
export const openMatcher = async (options: MatcherOptions = {}): Promise<RegisterMatcher> => (await calls()).openMatcher(options)

/** Matches rows as one list against registers of this machine, which are opened and closed; see `openMatcher`. */
export async function match(
  rows: Iterable<MatchableRow> | AsyncIterable<MatchableRow>,
  options: MatcherOptions = {},
): Promise<RowMatch[]> {
  const matcher = await openMatcher(options)
  try {
    return await matcher.match(rows)
  } finally {
    matcher.close()
  }
}

/**
 * Runs a pipeline, or resumes its unfinished run. `input` of an object may be rows; `rows()` of the report yields the result. Rejects
 * with a FettleError when the run cannot start.
 */
export const run = (pipeline: string | RowsPipeline, options: LibraryOptions = {}): RunHandle =>
  follow(options, undefined, async own => (await calls()).run(pipeline, options, own))

/**
 * Submits the shards of a pipeline to a queue, for workers on any machine; `collect` waits for them and merges them. The same call
 * again finds the same shards. Rejects with a FettleError, such as FETTLE_QUEUE when Redis cannot be reached.
 */
export const submit = async (pipeline: string | RowsPipeline, options: SubmitOptions): Promise<SubmittedRun> =>
  (await calls()).submit(pipeline, options)

/**
 * Runs shards of a queue in this process until `signal` is aborted, then hands unfinished shards to other workers. It sends the
 * credentials of `env` to FETTLE_URL only. Rejects when the queue or this process cannot run any shard.
 */
export const worker = async (options: WorkerOptions): Promise<void> => (await calls()).worker(options)

/** Resumes a run where it stopped; a finished run is returned unchanged. */
export const resume = (wanted?: RunRef, options: ExecutionOptions = {}): RunHandle =>
  follow(options, wanted, async own => (await calls()).continueAs('resume', wanted, options, own))

/** Finishes a run that was detached or submitted to a queue: waits, enriches, downloads, checks, merges shards, reports. */
export const collect = (wanted?: RunRef, options: ExecutionOptions = {}): RunHandle =>
  follow(options, wanted, async own => (await calls()).continueAs('collect', wanted, options, own))

/** Merges the results of shards into the outputs and the report of one run. `wanted`: run ids, run directories, or a pipeline name. */
export const merge = (wanted: readonly string[], options: MergeOptions = {}): RunHandle =>
  follow(options, undefined, async own => (await calls()).merge(wanted, options, own))

/** The status of a run now; with `watch`, once it is no longer in progress, or after `timeoutMs`. */
export const status = async (wanted?: RunRef, options: WatchOptions = {}): Promise<RunStatus> =>
  (await calls()).status(wanted, options)

/** The pipeline of a file as `definePipeline` would have it. Rejects with a FettleError with all problems of the file, each with its place. */
export const loadPipeline = async (file: string, options: LoadOptions = {}): Promise<PipelineInput> =>
  (await calls()).loadPipeline(file, options)

/** Renders a report in one of its formats: text, json, html, markdown, junit or openmetrics. */
export const renderReport = async (report: Report, format: ReportFormat): Promise<string> =>
  (await calls()).renderReport(report, format)

/** The same object, typed: for pipelines written in TypeScript. Its `input` may be rows. */
export const definePipeline: {
  (pipeline: PipelineInput): PipelineInput
  (pipeline: RowsPipeline): RowsPipeline
} = <P>(pipeline: P): P => pipeline
