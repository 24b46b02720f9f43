/**
 * Pipelines from a program: `check`, `run`, `resume`, and what the command line has besides: `status`, `collect`, `merge`. A failed
 * check is a result; only "could not answer" is thrown.
 */
import { errorOfIssues, FettleError, type Issue } from '../../errors.ts'
import { type PipelineInput, type Plan, parseShard, shardText } from '../../pipeline/index.ts'
import type { Report } from '../../report/index.ts'
import { DEFAULT_RUNS_DIR } from '../../shell-command.ts'
import type { Env } from '../env/environment.ts'
import type { RunResult, RunSettings } from '../execution/execute.ts'
import { resumeRun, startRun } from '../execution/start.ts'
import { createDispatcher, type RunReporter } from '../observe/reporters.ts'
import { mergeRuns } from '../operations/merge.ts'
import { type CurrentRunStatus, getRunStatus, watchRun } from '../operations/status.ts'
import { NO_OVERRIDES, type Overrides, prepare, prepareValue } from '../prepare/prepare.ts'
import { currentPipelineOf } from '../prepare/resume-context.ts'
import { loadRun, reportOfRun } from '../runs/run-queries.ts'
import { createRemoteInputs } from '../staging/receive.ts'
import { stdinOf } from '../staging/stdin.ts'
import { type Checkpoint, follow, type RunHandle } from './run-handle.ts'

/** Where runs are kept, and by which environment they are carried out; everything has a default. */
export interface EnvironmentOptions {
  /** Environment to read settings from; the process's own if absent. */
  readonly env?: Env
  /** Where runs are kept; `fettle-runs` if absent. */
  readonly runsDir?: string
  readonly signal?: AbortSignal
}

/** What carrying a run on takes. */
export interface ExecutionOptions extends EnvironmentOptions {
  /** Stop waiting after so many milliseconds; the run can be resumed. */
  readonly timeoutMs?: number
  /** Observers of the run. An error that one throws is a warning; that reporter is not called again. */
  readonly reporters?: readonly RunReporter[]
  /** Receives remarks and warnings for a log; errors it throws are dropped. */
  readonly onNote?: (text: string) => void
}

/** What `run` and `check` take besides, most of it in place of what the pipeline says. */
export interface LibraryOptions extends ExecutionOptions, Partial<Omit<Overrides, 'shard'>> {
  /** Start anew in spite of an unfinished run. */
  readonly fresh?: boolean
  /** Resolve as soon as every job is submitted; `status` looks at the run and `collect` goes on with it. */
  readonly detach?: boolean
  /** Only this part of the rows, such as `3/8`; `merge` joins them. */
  readonly shard?: `${number}/${number}` | Overrides['shard']
}

/** What `check` found. `plan` is null when there are errors, and for an input that lies elsewhere, which it leaves alone. */
export interface Check {
  readonly ok: boolean
  readonly plan: Plan | null
  readonly issues: readonly Issue[]
}

/** How a run stands; `exitCode` is what `fettle status` would end with. */
export interface RunStatus extends Pick<CurrentRunStatus, 'status' | 'carrier' | 'jobs'> {
  readonly runId: string
  readonly exitCode: number
  readonly report: Report
}

/** A run: its checkpoint, its id, the beginning of it, or the name of its pipeline; the latest if absent. */
export type RunRef = string | Checkpoint

const OVERRIDES = Object.keys(NO_OVERRIDES)

/** As much as the command line allows: a week, and longer lists than any. */
const MOST = { timeoutMs: 604_800_000, limit: 1_000_000_000 } as const

/** A number that would else be found wrong once a job was sent. Throws FETTLE_USAGE. */
function proveWhole(options: LibraryOptions, name: keyof typeof MOST): void {
  const value = options[name] ?? 1
  if (!(Number.isInteger(value) && value >= 1 && value <= MOST[name]))
    throw new FettleError('FETTLE_USAGE', `${name} ${value}: expected a whole number from 1 to ${MOST[name]}`, {
      hint: `Leave ${name} out for none.`,
    })
}

const surroundings = (options: LibraryOptions, keeps: boolean) => ({
  ...NO_OVERRIDES,
  ...Object.fromEntries(Object.entries(options).filter(([key, value]) => OVERRIDES.includes(key) && value !== undefined)),
  shard: shardOf(options.shard),
  env: options.env ?? process.env,
  cwd: process.cwd(),
  ...(options.runsDir === undefined ? {} : { runsDir: options.runsDir }),
  stdin: stdinOf({ open: () => process.stdin, keeps, signal: asStop(options.signal) }),
  ...(keeps ? { elsewhere: createRemoteInputs({ env: options.env ?? process.env, keeps, signal: asStop(options.signal) }) } : {}),
})

function shardOf(shard: LibraryOptions['shard']): Overrides['shard'] {
  if (shard === undefined || shard === null) return null
  const text = typeof shard === 'string' ? shard : shardText(shard)
  const choice = parseShard(text)
  if (choice === null)
    throw new FettleError('FETTLE_USAGE', `shard ${text}: expected a number from 1 and how many there are, such as 3/8`)
  return choice
}

async function prepared(pipeline: string | PipelineInput, options: LibraryOptions, keeps: boolean) {
  proveWhole(options, 'limit')
  const around = surroundings(options, keeps)
  return typeof pipeline === 'string' ? prepare(pipeline, around) : prepareValue(pipeline, around)
}

/** Everything a run would find out before sending; nothing is sent. `pipeline` is a file or an object. */
export async function check(pipeline: string | PipelineInput, options: LibraryOptions = {}): Promise<Check> {
  const { plan, issues, release } = await prepared(pipeline, options, false)
  release()
  return { ok: !issues.some(one => one.severity === 'error'), plan, issues }
}

/** Carries out a pipeline, or goes on with its unfinished run. Rejects with a FettleError when it cannot begin. */
export function run(pipeline: string | PipelineInput, options: LibraryOptions = {}): RunHandle {
  return running('run', options, undefined, async settings => {
    const { plan, issues, credentials, links, release } = await prepared(pipeline, options, true)
    try {
      if (plan === null) throw errorOfIssues(issues)
      const all = { ...settings, credentials, links, detach: options.detach ?? false }
      return await startRun(plan, all, options.fresh ?? false)
    } finally {
      release()
    }
  })
}

/** Goes on with a run from where it stopped; a finished one is only told again. */
export const resume = (wanted?: RunRef, options: ExecutionOptions = {}): RunHandle => goOn('resume', wanted, options)

/** The rest of a run that was detached: wait, enrich, download, check, report. */
export const collect = (wanted?: RunRef, options: ExecutionOptions = {}): RunHandle => goOn('collect', wanted, options)

function goOn(command: string, wanted: RunRef | undefined, options: ExecutionOptions): RunHandle {
  return running(command, options, wanted, async settings => {
    const { state } = loadRun(settings.runsDir, idOf(wanted))
    return resumeRun(state.runId, state.finished ? settings : { ...settings, ...currentPipelineOf(state, settings) })
  })
}

/** Joins the results of shards into the outputs and the report of one run: run ids, folders of runs, or the name of a pipeline. */
export function merge(wanted: readonly string[], options: Omit<ExecutionOptions, 'timeoutMs'> = {}): RunHandle {
  return running('merge', options, undefined, settings => mergeRuns(wanted, settings))
}

/** How a run stands, by one look; with `watch` looks are repeated until it is no longer going on, or for `timeoutMs`. */
export async function status(
  wanted?: RunRef,
  options: EnvironmentOptions & { readonly watch?: boolean; readonly timeoutMs?: number } = {},
): Promise<RunStatus> {
  proveWhole(options, 'timeoutMs')
  const runsDir = runsDirOf(options, wanted)
  const { directory } = loadRun(runsDir, idOf(wanted))
  const place = { env: options.env ?? process.env, cwd: process.cwd(), runsDir, signal: asStop(options.signal) }
  const { status, code, carrier, jobs } =
    options.watch === true
      ? await watchRun(directory.id, place, options.timeoutMs ?? null, () => {})
      : await getRunStatus(directory.id, place)
  return { runId: directory.id, status, exitCode: code, carrier, jobs, report: reportOfRun(runsDir, directory.id) }
}

/** A checkpoint comes from wherever it was kept: one that names no run must not come to mean the latest. */
function idOf(wanted: RunRef | null | undefined): string | undefined {
  if (wanted === undefined || typeof wanted === 'string') return wanted
  if (typeof wanted?.runId === 'string' && typeof wanted.runsDir === 'string') return wanted.runId
  throw new FettleError('FETTLE_USAGE', 'what was given for a run is no checkpoint: it has no runId and runsDir', {
    hint: 'Give what checkpoint() returned once the run had begun (null before), a run id, or the name of a pipeline.',
  })
}

const runsDirOf = ({ runsDir }: EnvironmentOptions, wanted: RunRef | null | undefined): string =>
  runsDir ?? (typeof wanted === 'object' ? wanted?.runsDir : null) ?? DEFAULT_RUNS_DIR

/** A caller's abort as a stop: the run pauses, resumable, as on Ctrl-C. */
function asStop(signal: AbortSignal | undefined): AbortSignal {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(new FettleError('FETTLE_SIGINT', 'stopped by the caller', { cause: signal?.reason }))
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return stop.signal
}

/** A log has no other place to report its own failures: they are dropped. */
const logOf = (note: (text: string) => void): RunReporter => ({
  name: 'log',
  onNote: text => {
    try {
      note(text)
    } catch {}
  },
})

function running(
  command: string,
  options: ExecutionOptions,
  wanted: RunRef | undefined,
  start: (settings: RunSettings) => Promise<RunResult>,
): RunHandle {
  const runsDir = runsDirOf(options, wanted)
  return follow(runsDir, options.signal, async own => {
    proveWhole(options, 'timeoutMs')
    return start({
      env: options.env ?? process.env,
      cwd: process.cwd(),
      runsDir,
      credentials: () => {
        throw new FettleError('FETTLE_BUG', 'credentials were asked for before the pipeline was read')
      },
      args: { command: command === 'run' ? 'library' : `library ${command}` },
      timeoutMs: options.timeoutMs ?? null,
      signal: asStop(options.signal),
      observers: createDispatcher([
        own,
        ...(options.reporters ?? []),
        ...(options.onNote === undefined ? [] : [logOf(options.onNote)]),
      ]),
    })
  })
}
