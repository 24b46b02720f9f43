/** Options of the library: their types and checks, and the settings of a run that follow from them. */

import { resolve } from 'node:path'
import { defined } from '../defined.ts'
import type { QueueTarget } from '../distributed/run-or-queue.ts'
import type { Env } from '../env/environment.ts'
import { findRunKey } from '../env/run-key.ts'
import { createClientState, DEFAULT_RUNTIME } from '../env/runtime.ts'
import { FettleError, type Issue } from '../errors.ts'
import type { RunSettings } from '../execution/run-settings.ts'
import type { CurrentRunStatus } from '../execution/status.ts'
import type { RunArgs } from '../journal/index.ts'
import { inOwnTurn } from '../loop-turns.ts'
import type { Clock } from '../model/requests.ts'
import { createDispatcher, type RunReporter } from '../observe/reporters.ts'
import { MOST_SHARDS, type Plan, parseShard, shardText } from '../pipeline/index.ts'
import { prepare, prepareValue } from '../prepare/prepare.ts'
import { NO_OVERRIDES, type Overrides } from '../prepare/read-pipeline.ts'
import type { Report } from '../report/index.ts'
import { NO_REFRESH, type Refresh, refreshArgs } from '../reuse/settings.ts'
import { createRemoteInputs } from '../staging/receive.ts'
import { stdinOf } from '../staging/staged-input.ts'
import { type InputRows, type RowsPipeline, receiveRows, splitRows } from './input-rows.ts'
import { type Checkpoint, findRunsDir } from './run-handle.ts'

/** The directory of the runs and the environment; every option has a default. */
export interface EnvironmentOptions {
  /** Environment to read settings from; the process's own if absent. */
  readonly env?: Env
  /** Folder that all relative paths start from, and that outputs lie in; the working directory of the process if absent. */
  readonly cwd?: string
  /** Directory of the runs; `fettle-runs` if absent. */
  readonly runsDir?: string
  /** Pauses the run, which can be resumed; stops a worker. */
  readonly signal?: AbortSignal
}

/** Options of `status`. */
export interface WatchOptions extends EnvironmentOptions {
  /** Wait until the run is no longer in progress. */
  readonly watch?: boolean
  /** Wait at most this many milliseconds. */
  readonly timeoutMs?: number
}

/** Options of every operation that executes a run. */
export interface ExecutionOptions extends EnvironmentOptions {
  /** Pause the run after this many milliseconds; it can be resumed. */
  readonly timeoutMs?: number
  /** Observers of the run. An error that one throws is a warning; that reporter is not called again. */
  readonly reporters?: readonly RunReporter[]
  /** Receives remarks and warnings for a log; errors it throws are dropped. */
  readonly onNote?: (text: string) => void
  /** Permissions of the outputs, such as `0o640`; those that the umask leaves if absent. */
  readonly outputMode?: number
  /** Time and chance of the run, for tests: a `VirtualClock` lets hours of polling pass in a second. */
  readonly clock?: Clock
}

/** Options of `run` and `check`; most replace keys of the pipeline. */
export interface LibraryOptions extends ExecutionOptions, ReuseOptions, Partial<Omit<Overrides, 'shard' | 'register'>> {
  /** Register of this machine to match against, or several; with the embedded service only. */
  readonly register?: string | readonly string[]
  /** Start a new run even if one of the same plan is unfinished. */
  readonly fresh?: boolean
  /** Run although this undoes decisions that the last run applied. */
  readonly dropDecisions?: boolean
  /** Run although the list lost more than half of its rows, or of the cells of a column, since the last good run. */
  readonly acceptList?: boolean
  /**
   * The run of a scheduler that this belongs to: a finished run of the same key and plan is returned again. By default from
   * FETTLE_RUN_KEY or the variables of the scheduler; null for none.
   */
  readonly runKey?: string | null
  /** Resolve as soon as every job is submitted; `status` reports on the run and `collect` finishes it. */
  readonly detach?: boolean
  /** Run the shards in workers of this queue, and merge them. */
  readonly queue?: QueueOptions
  /** Number of shards in the queue; the jobs of the pipeline if absent. */
  readonly shards?: number
  /** Only this part of the rows, such as `3/8`; `merge` joins the parts. */
  readonly shard?: `${number}/${number}` | Overrides['shard']
}

/** Options of `merge`. */
export interface MergeOptions extends Omit<ExecutionOptions, 'timeoutMs'>, Pick<LibraryOptions, 'dropDecisions' | 'runKey'> {
  /** Merge shards although they were matched against different registers, or different imports of one. */
  readonly mixedRegisters?: boolean
}

/** A queue in Redis: `redis://host:6379`, and the name that shards are stored under, `fettle` if absent. */
export interface QueueOptions {
  readonly url: string
  readonly name?: string
}

/** Options of `submit`. */
export interface SubmitOptions extends Omit<LibraryOptions, 'detach' | 'queue'> {
  readonly queue: QueueOptions
}

/** A run whose shards are in a queue. */
export interface SubmittedRun {
  /** For `collect`. */
  readonly runId: string
  readonly pipeline: string
  readonly shards: number
}

/** Options of `worker`. */
export interface WorkerOptions extends EnvironmentOptions {
  readonly queue: QueueOptions
  /** Shards at the same time, 1 to 64; 1 if absent. */
  readonly concurrency?: number
  /** Addresses that inputs may be fetched from: an object, or a folder that ends in a slash. Files must be below the working directory. */
  readonly inputsFrom?: readonly string[]
  /** Receives a line for each change; what it throws is ignored. */
  readonly onNote?: (text: string) => void
}

/** The result of `check`. `plan` is null when there are errors, and for a remote input, which `check` does not read. */
export interface Check {
  readonly ok: boolean
  readonly plan: Plan | null
  readonly issues: readonly Issue[]
}

/** The status of a run; `exitCode` is the exit code of `fettle status`. */
export interface RunStatus extends Pick<CurrentRunStatus, 'status' | 'carrier' | 'jobs'> {
  readonly runId: string
  readonly exitCode: number
  readonly report: Report
}

/** A run: its checkpoint, its id or the start of it, or the name of its pipeline; the latest if absent. */
export type RunRef = string | Checkpoint

/** Options with the signal of `withStop`. */
export type Stoppable<O> = O & { readonly signal: AbortSignal }

export const findFolder = ({ cwd }: Pick<EnvironmentOptions, 'cwd'>): string => (cwd === undefined ? process.cwd() : resolve(cwd))

const OVERRIDES = Object.keys(NO_OVERRIDES)

export const DEFAULT_QUEUE = 'fettle'

export const MOST_AT_ONCE = 64

/** The limits of the command line: a week, and more rows than any list has. */
const MOST = { timeoutMs: 604_800_000, limit: 1_000_000_000 } as const

/** Checks a number before any request. Throws FETTLE_USAGE. */
export function proveWhole(options: LibraryOptions, name: keyof typeof MOST): void {
  proveInteger(name, options[name] ?? 1, MOST[name], `Leave ${name} out for none.`)
}

export function proveInteger(name: string, value: number, most: number, hint = 'Leave it out for the default.'): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return
  throw new FettleError('FETTLE_USAGE', `${name} ${value}: expected a whole number from 1 to ${most}`, { hint })
}

const makeContext = (options: Stoppable<LibraryOptions>, persist: boolean, rows: InputRows | null) => ({
  ...NO_OVERRIDES,
  ...Object.fromEntries(Object.entries(options).filter(([key, value]) => OVERRIDES.includes(key) && value !== undefined)),
  register: listRegisters(options),
  shard: readShard(options.shard),
  env: options.env ?? process.env,
  cwd: findFolder(options),
  runsDir: findRunsDir(options),
  stdin:
    rows === null
      ? stdinOf({ open: () => process.stdin, keeps: persist, signal: options.signal })
      : receiveRows(rows, { keeps: persist, signal: options.signal }),
  elsewhere: persist ? createRemoteInputs({ env: options.env ?? process.env, keeps: true, signal: options.signal }) : undefined,
})

const listRegisters = ({ register }: Pick<LibraryOptions, 'register'>): Overrides['register'] =>
  register === undefined ? null : typeof register === 'string' ? [register] : register

function readShard(shard: LibraryOptions['shard']): Overrides['shard'] {
  if (shard == null) return null
  const text = typeof shard === 'string' ? shard : shardText(shard)
  const choice = parseShard(text)
  if (choice === null) throw new FettleError('FETTLE_USAGE', `shard ${text}: expected number/count, such as 3/8`)
  return choice
}

/** Null for `runKey: null`, and without a key of a scheduler. */
export const runKeyIn = ({ runKey, env = process.env }: Pick<LibraryOptions, 'runKey' | 'env'>): string | null =>
  runKey === null ? null : (findRunKey(env, runKey ?? null)?.key ?? null)

/** Prepares a pipeline; `persist` keeps the input for a run. */
export async function preparePipeline(pipeline: string | RowsPipeline, options: Stoppable<LibraryOptions>, persist: boolean) {
  proveWhole(options, 'limit')
  await inOwnTurn()
  const { plain, rows } = splitRows(pipeline)
  const context = { ...makeContext(options, persist, rows), runKey: persist ? runKeyIn(options) : null }
  if (typeof plain !== 'string') return prepareValue(plain, context)
  return prepare(options.cwd === undefined ? plain : resolve(context.cwd, plain), context)
}

export const makeQueueTarget = ({ url, name = DEFAULT_QUEUE }: QueueOptions, { shards }: LibraryOptions): QueueTarget => {
  if (shards !== undefined) proveInteger('shards', shards, MOST_SHARDS)
  return { url, name, shards: shards ?? null }
}

/** The run id of a reference. A checkpoint without a run id is rejected: it must not select the latest run. */
export function readRunId(wanted: RunRef | null | undefined): string | undefined {
  if (wanted === undefined || typeof wanted === 'string') return wanted
  if (typeof wanted?.runId === 'string' && typeof wanted.runsDir === 'string') return wanted.runId
  throw new FettleError('FETTLE_USAGE', 'the run is not a checkpoint: runId and runsDir are missing', {
    hint: 'Pass a result of checkpoint() that is not null, a run id, or the name of a pipeline.',
  })
}

/**
 * Calls `body` with a signal that stops it with FETTLE_ABORTED when the caller aborts. Nothing is left at the caller's signal
 * afterwards: a program may use one signal for all its runs.
 */
export async function withStop<O extends { readonly signal?: AbortSignal }, T>(
  options: O,
  body: (options: Stoppable<O>) => Promise<T>,
): Promise<T> {
  const { signal } = options
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(new FettleError('FETTLE_ABORTED', 'stopped by the caller', { cause: signal?.reason }))
  const leave = signal === undefined ? null : listenForAbort(signal, onAbort)
  try {
    return await body({ ...options, signal: stop.signal })
  } finally {
    leave?.()
  }
}

const waiting = new WeakMap<AbortSignal, { readonly calls: Set<() => void>; readonly listener: () => void }>()

/** Calls `call` when the signal is aborted, until the returned function is called. One listener for all calls: Node warns of eleven. */
function listenForAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call()
    return () => {}
  }
  let all = waiting.get(signal)
  if (all === undefined) {
    const calls = new Set<() => void>()
    all = { calls, listener: () => [...calls].forEach(stop => void stop()) }
    signal.addEventListener('abort', all.listener, { once: true })
    waiting.set(signal, all)
  }
  const { calls, listener } = all
  calls.add(call)
  return () => {
    calls.delete(call)
    if (calls.size > 0) return
    signal.removeEventListener('abort', listener)
    waiting.delete(signal)
  }
}

/** A reporter for `onNote`; errors of the callback are ignored. */
export const createLog = (note: (text: string) => void): RunReporter => ({
  name: 'log',
  onNote: text => {
    try {
      note(text)
    } catch {}
  },
})

export function makeSettings(
  command: string,
  options: Stoppable<ExecutionOptions & Pick<LibraryOptions, 'register' | 'answersDir' | 'refresh'>>,
  runsDir: string,
  own: readonly RunReporter[] = [],
): RunSettings {
  const { answersDir } = options
  const log = options.onNote === undefined ? [] : [createLog(options.onNote)]
  const refresh = { ...NO_REFRESH, ...options.refresh }
  return {
    env: options.env ?? process.env,
    cwd: findFolder(options),
    runsDir,
    credentials: () => {
      throw new FettleError('FETTLE_BUG', 'credentials were requested before the pipeline was read')
    },
    // What a resume needs to know.
    args: defined({
      command: command === 'run' ? 'library' : `library ${command}`,
      register: options.register === undefined ? undefined : listRegisters(options),
      'answers-dir': answersDir,
      ...refreshArgs(refresh),
    }) as RunArgs,
    answersDir: answersDir ?? null,
    refresh,
    timeoutMs: options.timeoutMs ?? null,
    outputMode: options.outputMode === undefined ? undefined : checkMode(options.outputMode),
    // A clock of the caller shares no pace and no tokens with runs on the clock of this machine.
    runtime: options.clock === undefined ? DEFAULT_RUNTIME : { clock: options.clock, clients: createClientState() },
    signal: options.signal,
    observers: createDispatcher([...own, ...(options.reporters ?? []), ...log]),
  }
}

/** Throws FETTLE_USAGE for anything but a set of permissions, such as 640 in place of 0o640. */
function checkMode(mode: number): number {
  if (Number.isInteger(mode) && mode >= 0o400 && mode <= 0o777 && (mode & 0o600) === 0o600) return mode
  throw new FettleError('FETTLE_USAGE', `outputMode ${mode}: expected permissions that let the owner read and write`, {
    hint: 'Write them in octal, such as 0o640.',
  })
}

/** Which answers of earlier runs a run uses. */
interface ReuseOptions {
  /** Folder of the answers that later runs may use; `answers` in the directory of the runs if absent. */
  readonly answersDir?: string
  /** Rows that are sent although they have an answer of an earlier run: all, or by outcome or key. */
  readonly refresh?: Partial<Refresh>
}
