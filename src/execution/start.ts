/** Starts and resumes runs, one process at a time. A finished run returns its recorded result. */

import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { detectCi } from '../env/environment.ts'
import { identityOf, serviceOf } from '../env/identity.ts'
import { packageInfo } from '../env/package-info.ts'
import { type Action, action, FettleError } from '../errors.ts'
import { fileDigest } from '../files/file-chunks.ts'
import { type HeldLock, holdLock, type Lock, takeLock } from '../files/process-lock.ts'
import { type Journal, type MergedShards, openJournal, type RunState } from '../journal/index.ts'
import { httpLineage, lineageSettings, nameForLineage } from '../observe/lineage.ts'
import { notifyReporter } from '../observe/notify.ts'
import { openTrace, type RunTrace } from '../observe/opentelemetry.ts'
import { createDispatcher } from '../observe/reporters.ts'
import { isAddress, isSameWork, liveSettingsOf, nameLine, type Plan } from '../pipeline/index.ts'
import { checkOutputsWritable } from '../prepare/check-outputs.ts'
import { assertDecisionsKept } from '../prepare/decisions.ts'
import { assertListKept } from '../prepare/kept-list.ts'
import { lineageEvent } from '../report/index.ts'
import { lostParts } from '../results/index.ts'
import { assertNotQueued } from '../runs/open-runs.ts'
import { hasReports, readReport, writeReports } from '../runs/report-files.ts'
import {
  lockPath,
  makeFolder,
  makeRunDirectory,
  makeRunsFolder,
  newRunId,
  type RunDirectory,
  readRun,
  removeStaleRunFiles,
  runDirectory,
} from '../runs/run-directory.ts'
import { findActiveProcess, finishedRunOfKey, isContinued, lacksReports, reportOfRun } from '../runs/run-queries.ts'
import { runToContinue } from '../runs/run-store.ts'
import { assertAccount, reserveCredits, settleCredits } from '../spending/spending.ts'
import { holdAsked } from './choice-of-run.ts'
import { checkRecording } from './recording.ts'
import { RunExecution } from './run-execution.ts'
import { isLocalFailure } from './run-recorder.ts'
import type { FetchByJob, OpenRun, RunResult, RunSettings } from './run-settings.ts'
import { removeWorkFiles } from './work-files.ts'

/**
 * Runs a plan: a new run, or the newest one of its series that does the same work if it is unfinished, since schedulers repeat the same
 * command and a second paid job is the worst outcome; the last one of the series also if its reports are missing. A finished run of the same run key and plan is returned again. `fresh` always starts a new run.
 * Throws FETTLE_LOCKED while another process runs it, FETTLE_OUTPUT_WRITE when the runs directory cannot be written,
 * FETTLE_INPUT_SHRUNK when the list lost most of its rows, FETTLE_DECISIONS_LOST when a new run would undo decisions, FETTLE_OUTPUT_GONE when an output of the run to return is missing or changed.
 */
export async function startRun(plan: Plan, settings: RunSettings, fresh: boolean): Promise<RunResult> {
  return withLock(nameLine(plan), settings, async lock => {
    const earlier = fresh ? null : finishedRunOfKey(plan, settings)
    if (earlier !== null) return repeatedResult(earlier, plan, settings)
    const last = fresh ? null : runToContinue(plan, identityOf(plan.service, settings.credentials), settings.runsDir)
    const start = async (): Promise<RunResult> => {
      const identity = identityOf(plan.service, settings.credentials)
      if (!fresh) assertNotQueued(plan, identity, settings.runsDir)
      assertListKept(plan, identity, settings)
      await assertDecisionsKept(plan, settings, readClock(settings)())
      return newRun(plan, lock, settings)
    }
    if (last === null || (last.finished && !lacksReports(last, settings.runsDir))) return start()
    const isSame = isContinued(last, plan, settings)
    if (isSame && last.finished) {
      settings.observers?.emit(
        'onNote',
        `the run ${last.runId} ended without its reports: they are written now, and no new run is started`,
      )
      return finishedResult(last, settings, true)
    }
    if (isSame) {
      const held = await holdAsked(last, settings).catch((error: unknown) => {
        if (FettleError.is(error) && error.code === 'FETTLE_SUPERSEDED') return error
        throw error
      })
      if (!FettleError.is(held)) {
        settings.observers?.emit('onNote', `continuing the unfinished run ${last.runId}`)
        return continueRun(last, lock, { ...settings, live: liveSettingsOf(plan) }, held)
      }
      settings.observers?.emit('onNote', `${held.message}: a new run takes its place`)
      return start()
    }
    if (!last.finished)
      settings.observers?.emit(
        'onNote',
        `the unfinished run ${last.runId} is of another plan; resume it separately`,
        action('resume', last.runId),
      )
    return start()
  })
}

/**
 * Resumes a run from its journal. A finished run is not changed: its result is returned again. Throws FETTLE_RUN_UNKNOWN,
 * FETTLE_RUN_EMPTY, FETTLE_LOCKED, and FETTLE_FINGERPRINT when the service or user differs.
 */
export async function resumeRun(id: string, settings: RunSettings): Promise<RunResult> {
  const state = readRun(settings.runsDir, id)
  if (state.finished) return finishedResult(state, settings, false)
  const identity = identityOf(state.plan.service, settings.credentials)
  if (identity !== state.identity)
    throw new FettleError(
      'FETTLE_FINGERPRINT',
      `the run ${id} was started against ${serviceOf(state.identity)} with a different user name`,
    )
  return withLock(nameLine(state.plan), settings, async lock => {
    const state = readRun(settings.runsDir, id)
    return continueRun(state, lock, settings, state.finished ? null : await holdAsked(state, settings))
  })
}

const readClock =
  ({ runtime: { clock } }: Pick<RunSettings, 'runtime'>) =>
  (): number =>
    clock.now()

/** Holds the lock of a pipeline while `body` runs. Throws FETTLE_LOCKED. */
export async function withLock<T>(
  pipeline: string,
  settings: Pick<RunSettings, 'runsDir' | 'observers' | 'runtime'>,
  body: (lock: Lock) => Promise<T>,
): Promise<T> {
  const path = lockPath(settings.runsDir, pipeline)
  makeRunsFolder(settings.runsDir)
  makeFolder(dirname(path))
  const lock = takeLock(path, readClock(settings))
  if (lock.takenFrom !== null)
    settings.observers?.emit('onNote', `took over the lock of process ${lock.takenFrom.pid}, which is gone`)
  const held = holdLock(lock)
  try {
    return await body(lock)
  } finally {
    held.release()
  }
}

export interface Merge {
  readonly plan: Plan
  readonly identity: string
  readonly merged: MergedShards
  /** The same command with --drop-decisions. */
  readonly undo: Action
  /** The run id when its directory already exists; a new one if absent, or if another process started it. */
  readonly runId?: string | undefined
  /** Puts there what came back for the shards, and returns what is known then. */
  readonly fill: (directory: RunDirectory) => Promise<Partial<MergedShards>>
}

/** Merges shards in a new run, or resumes the unfinished merge of the same shards. Throws as startRun does. */
export async function startMerge(merge: Merge, settings: RunSettings): Promise<RunResult> {
  const { plan, merged } = merge
  return withLock(nameLine(plan), settings, async lock => {
    const hasJobs = ({ jobs }: RunState): boolean => jobs.every(({ id }, part) => id === (merged.jobs[part]?.id ?? null))
    const earlier = finishedRunOfKey(plan, { ...settings, identity: merge.identity }, hasJobs)
    if (earlier !== null) return repeatedResult(earlier, plan, settings)
    const last = runToContinue(plan, merge.identity, settings.runsDir)
    const isSame = last !== null && isSameWork(last.plan, plan) && hasJobs(last)
    if (!isSame || (last.finished && !lacksReports(last, settings.runsDir))) {
      // Plans of a queue were checked when they were submitted.
      if (merge.runId === undefined) await assertDecisionsKept(plan, settings, readClock(settings)(), merge.undo)
      return newRun(plan, lock, settings, merge)
    }
    if (last.finished) return finishedResult(last, settings, true)
    settings.observers?.emit('onNote', `continuing the unfinished run ${last.runId}`)
    const directory = runDirectory(settings.runsDir, last.runId)
    if ((await lostParts(last.jobs, directory.path)).length > 0) await merge.fill(directory)
    return continueRun(last, lock, settings)
  })
}

async function newRun(plan: Plan, lock: Lock, settings: RunSettings, merge?: Merge): Promise<RunResult> {
  await checkOutputsWritable(plan, settings)
  if (settings.record != null) checkRecording(settings.record, null)
  if (merge === undefined && settings.queued === undefined) await assertAccount(plan, settings)
  const identity = merge?.identity ?? identityOf(plan.service, settings.credentials)
  let recorded: RunState | null = null
  const begin = async (): Promise<StartedRun> => {
    const started = await beginRun(plan, settings, identity, merge)
    recorded = started.state
    return started
  }
  const { runsDir, runtime } = settings
  // What a list in a queue may cost was reserved when it was submitted.
  const { state, ...run } =
    merge !== undefined || settings.queued !== undefined
      ? await begin()
      : await reserveCredits(plan, { runsDir, identity, clock: runtime.clock }, begin, started => started.state).catch(
          (error: unknown) => {
            throw recorded === null ? error : stillResumable(error, recorded)
          },
        )
  return execute(state, null, { ...run, lock }, settings)
}

interface StartedRun extends Omit<OpenRun, 'lock'> {
  readonly state: RunState
}

/** `before`: the state that was resumed, null for a new run. */
const execute = (state: RunState, before: RunState | null, run: OpenRun, settings: RunSettings): Promise<RunResult> =>
  runWithObservers(state, { before, trace: run.trace }, settings, all => new RunExecution(run, all, fetchAcceptedByJob).execute())

/** Records the first line of a run. */
async function beginRun(plan: Plan, settings: RunSettings, identity: string, merge?: Merge): Promise<StartedRun> {
  const isMade = merge?.runId !== undefined && !existsSync(runDirectory(settings.runsDir, merge.runId).journal)
  const runId = isMade ? merge.runId : newRunId(settings.runsDir, nameLine(plan), readClock(settings)())
  const directory = isMade ? runDirectory(settings.runsDir, runId) : await makeRunDirectory(settings.runsDir, runId)
  const filled = await merge?.fill(directory)
  const journal = openJournal(directory.journal, readClock(settings), 'new', settings.queued?.copy.append)
  const trace = openTrace(settings.env, plan)
  const { args, env } = settings
  const started = {
    journal: 1,
    runId,
    tool: packageInfo(),
    plan,
    jobName: `fettle-${runId}`,
    identity,
    args,
    traceId: trace.traceId,
    ci: detectCi(env),
    merged: merge && { ...merge.merged, ...filled },
    ...keyOf(settings),
  } as const
  try {
    return { directory, journal, trace, state: journal.append({ type: 'run.started', ...started }) }
  } catch (error) {
    throw maybeRecorded(error, runId)
  }
}

/** By a run inside the run, which has its own journal. */
export const fetchAcceptedByJob: FetchByJob = async (...wanted) => {
  const { fetchByJob } = await import('./fetch-by-job.ts')
  return fetchByJob(...wanted, startRun)
}

const keyOf = ({ runKey = null }: RunSettings): { readonly runKey?: string } => (runKey === null ? {} : { runKey })

/** `asked`: the lock on what the run asks, which is released here. */
async function continueRun(
  before: RunState,
  lock: Lock,
  settings: RunSettings,
  asked: HeldLock | null = null,
): Promise<RunResult> {
  try {
    return await continueHeld(before, { lock, asked }, settings)
  } finally {
    asked?.release()
  }
}

async function continueHeld(before: RunState, locks: Pick<OpenRun, 'lock' | 'asked'>, settings: RunSettings): Promise<RunResult> {
  const directory = runDirectory(settings.runsDir, before.runId)
  if (settings.record != null) checkRecording(settings.record, directory)
  removeStaleRunFiles(directory)
  let journal: Journal
  let state: RunState
  try {
    journal = openJournal(directory.journal, readClock(settings), 'existing', settings.queued?.copy.append)
    const live = settings.live == null ? {} : { settings: settings.live }
    state = journal.append({ type: 'run.resumed', pid: process.pid, host: hostname(), ...live, ...keyOf(settings) })
  } catch (error) {
    throw stillResumable(error, before)
  }
  const trace = openTrace(settings.env, state.plan)
  return execute(state, before, { journal, directory, trace, ...locks }, settings)
}

/** The first line of the journal could not be written, or not confirmed. */
function maybeRecorded(error: unknown, runId: string): unknown {
  if (!isLocalFailure(error)) return error
  const hint = 'Check permissions and free space, then run the same command again, or resume the run if it was recorded.'
  return new FettleError(error.code, error.message, { hint, action: action('resume', runId), cause: error })
}

function stillResumable(error: unknown, { runId, jobs }: RunState): unknown {
  if (!isLocalFailure(error)) return error
  const ids = jobs.flatMap(({ id }) => (id === null ? [] : [id]))
  const job = ids.length === 0 ? '' : `; its remote job ${ids.join(', ')} is untouched`
  return new FettleError(error.code, `${error.message}${job}`, {
    hint: 'Check permissions and free space, then resume the run.',
    action: action('resume', runId),
    cause: error,
  })
}

/**
 * The result of a run that has finished under this run key, for a further attempt of the same task. Throws FETTLE_FINGERPRINT where the
 * checks are others by now, and FETTLE_OUTPUT_GONE: without its files the result would be a success without a result.
 */
export async function repeatedResult(
  state: RunState,
  { checks }: Pick<Plan, 'checks'>,
  settings: RunSettings,
): Promise<RunResult> {
  if (JSON.stringify(state.plan.checks) !== JSON.stringify(checks))
    throw new FettleError(
      'FETTLE_FINGERPRINT',
      `the run ${state.runId} of this run key has finished, and was judged by other checks`,
      {
        hint: 'Restore the checks that it had. To match all rows again, which is charged again, start a new run.',
        action: action('run', '--new', state.plan.file),
      },
    )
  for (const { path, sha256 } of state.outputs) {
    if (isAddress(path)) continue
    const digest = await fileDigest(resolve(settings.cwd, path))
    if (digest === sha256) continue
    const why = digest === null ? 'is missing' : 'was changed: it has other bytes than the run wrote'
    throw new FettleError('FETTLE_OUTPUT_GONE', `the run ${state.runId} of this run key has finished, and its ${path} ${why}`, {
      hint: 'Restore the file. To match all rows again, which is charged again, start a new run.',
      action: action('run', '--new', state.plan.file),
    })
  }
  settings.observers?.emit('onNote', `the run ${state.runId} of this run key has finished: its result again, nothing is sent`)
  return finishedResult(state, settings, true)
}

/**
 * The recorded result of a finished run. Writes missing reports and removes leftovers of a kill. `isOurs`: this process holds the
 * lock of the pipeline.
 */
async function finishedResult(state: RunState, settings: RunSettings, isOurs: boolean): Promise<RunResult> {
  const directory = runDirectory(settings.runsDir, state.runId)
  const isRunning = !isOurs && findActiveProcess(settings.runsDir, state) !== null
  if (!isRunning) {
    removeStaleRunFiles(directory)
    await removeWorkFiles(state, directory, settings.cwd)
  }
  const report = readReport(directory)
  // report.json is written last: if it has the end of the run, so have the others.
  if (report !== null && report.status === state.status && report.exitCode === state.exitCode && hasReports(directory))
    return { state, report, directory }
  await settleCredits(settings.runsDir, state, settings.runtime.clock)
  const again = reportOfRun(settings.runsDir, state.runId)
  await writeReports(directory, again, state)
  return { state, report: again, directory }
}

/**
 * Calls `execute` with settings whose observers are complete, and reports start, lineage and end of the run to them. `before` is the
 * state that was resumed, null for a new run.
 */
async function runWithObservers(
  state: RunState,
  { before, trace }: { readonly before: RunState | null; readonly trace: RunTrace },
  settings: RunSettings,
  execute: (settings: RunSettings) => Promise<RunResult>,
): Promise<RunResult> {
  const lineage = lineageSettings(settings.env)
  const http = lineage.http === null ? [] : [httpLineage(lineage.http, settings.env)]
  const spans = trace.reporter === null ? [] : [trace.reporter]
  const { notify = [], env, runsDir, signal, runtime } = settings
  const receivers = notify.length === 0 ? [] : [notifyReporter(notify, { env, runsDir, signal, clock: runtime.clock })]
  const observers = (settings.observers ?? createDispatcher([])).with([...spans, ...http, ...receivers])
  const emitLineage = (now: RunState, type: 'START' | 'RUNNING' | 'END'): void => {
    if (observers.has('onLineageEvent'))
      observers.emit('onLineageEvent', lineageEvent(now, type, nameForLineage(now, lineage, settings.cwd)))
  }
  observers.emit('onRunStart', state, before)
  if (trace.note !== null) observers.emit('onNote', trace.note)
  emitLineage(state, before === null ? 'START' : 'RUNNING')
  try {
    const result = await execute({ ...settings, observers })
    // A detached run ends in the process that collects it.
    if (!result.state.detached) emitLineage(result.state, 'END')
    observers.emit('onRunEnd', result.report, result.state)
    return result
  } finally {
    await observers.flush()
  }
}
