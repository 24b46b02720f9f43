/**
 * The life of a run in this process: lock, new or continued, service up, carried out, reports written, service down. It is
 * the only place that sees plan, journal, ports and reports together; it draws nothing and chooses no exit code.
 */

import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { EXIT, FettleError } from '../errors.ts'
import { openResults, openSource, proveWritable, writeAtomic } from '../input/index.ts'
import {
  type Journal,
  type LiveSettings,
  matchRate,
  openJournal,
  type RunArgs,
  type RunFact,
  type RunState,
  takeLock,
} from '../journal/index.ts'
import { type Plan, resolvedYaml } from '../pipeline/index.ts'
import type { Report } from '../report/index.ts'
import { carryOut, type Ports, type Tick } from '../run/index.ts'
import { realClock } from './clock.ts'
import { lastGoodRun } from './look.ts'
import { liveSettingsOf } from './recorded.ts'
import { readReport, reportOf, writeReportJson, writeReports } from './report-files.ts'
import { lastRun, lockPath, makeRunDirectory, newRunId, type RunDirectory, readRun, runDirectory } from './run-directory.ts'
import { identityOf, openService } from './service.ts'
import { type Credentials, ciOf, dataDirOf, type Env, traceOf } from './settings.ts'
import { thisTool } from './tool.ts'

/** What a run is given besides its plan. */
export interface RunSettings {
  readonly env: Env
  /** The project's root: paths of the plan are relative to it, outputs stay inside it. */
  readonly cwd: string
  readonly runsDir: string
  readonly credentials: () => Credentials
  /** Command line as it is to be reported; without secrets. */
  readonly args: RunArgs
  readonly timeoutMs: number | null
  /** For a resume: what the present pipeline file says of poll, retry, checks and report. */
  readonly live?: LiveSettings | null
  /** Aborted with a FettleError for a signal. */
  readonly signal: AbortSignal
  readonly onFact?: (fact: RunFact, state: RunState) => void
  readonly onTick?: (tick: Tick, state: RunState) => void
  readonly onNote?: (text: string) => void
}

/** A run as it was left: its state, its report, and where they are. */
export interface RunResult {
  readonly state: RunState
  readonly report: Report
  readonly directory: RunDirectory
}

/**
 * Carries out a plan: a new run, or the unfinished one of the same pipeline with the same fingerprint, since schedulers repeat
 * the same command and a second paid job is the worst outcome. `fresh` starts anew in any case. Throws FETTLE_LOCKED when
 * another process is at it, FETTLE_OUTPUT_WRITE when the runs directory cannot be written.
 */
export async function startRun(plan: Plan, settings: RunSettings, fresh: boolean): Promise<RunResult> {
  return withLock(plan.name, settings, async () => {
    const last = fresh ? null : lastRun(settings.runsDir, plan.name)
    if (last !== null && !last.finished) {
      if (last.plan.fingerprint === plan.fingerprint && last.identity === identityOf(plan.service, settings.credentials)) {
        settings.onNote?.(`continuing the unfinished run ${last.runId}`)
        return continueRun(last, { ...settings, live: liveSettingsOf(plan) })
      }
      settings.onNote?.(`the unfinished run ${last.runId} is of another plan and is left alone: fettle resume ${last.runId}`)
    }
    return newRun(plan, settings)
  })
}

/**
 * Goes on with a run from its journal. A run that came to its end is not touched: its result is given again. Throws
 * FETTLE_RUN_UNKNOWN, FETTLE_RUN_EMPTY, FETTLE_LOCKED, and FETTLE_FINGERPRINT when the service or user is another one.
 */
export async function resumeRun(id: string, settings: RunSettings): Promise<RunResult> {
  const state = readRun(settings.runsDir, id)
  if (state.finished) return settled(state, settings)
  const identity = identityOf(state.plan.service, settings.credentials)
  if (identity !== state.identity)
    throw new FettleError(
      'FETTLE_FINGERPRINT',
      `the run ${id} belongs to ${state.identity.split(' ')[0]} and another user name than the present one`,
    )
  return withLock(state.plan.name, settings, () => continueRun(readRun(settings.runsDir, id), settings))
}

async function withLock<T>(pipeline: string, settings: RunSettings, body: () => Promise<T>): Promise<T> {
  const lock = takeLock(lockPath(settings.runsDir, pipeline), realClock.now)
  if (lock.takenFrom !== null) settings.onNote?.(`took over the lock of process ${lock.takenFrom.pid}, which is gone`)
  const heart = setInterval(() => lock.beat(), 60_000)
  heart.unref()
  try {
    return await body()
  } finally {
    clearInterval(heart)
    lock.release()
  }
}

/** A disk that will refuse the outputs is better known before anything is paid for. Throws FETTLE_OUTPUT_WRITE. */
async function proveOutputs({ output }: Plan, { cwd }: RunSettings): Promise<void> {
  for (const path of [output?.path, output?.unmatched, output?.review]) if (path != null) await proveWritable(path, { root: cwd })
}

async function newRun(plan: Plan, settings: RunSettings): Promise<RunResult> {
  await proveOutputs(plan, settings)
  const runId = newRunId(plan.name, realClock.now())
  const identity = identityOf(plan.service, settings.credentials)
  const directory = await makeRunDirectory(settings.runsDir, runId)
  await writeAtomic(join(directory.path, 'pipeline.resolved.yml'), resolvedYaml(plan))
  const journal = openJournal(directory.journal, realClock.now, 'new')
  const traceId = traceOf(settings.env).traceId ?? randomBytes(16).toString('hex')
  const { args, env } = settings
  const started = {
    journal: 1,
    runId,
    tool: thisTool(),
    plan,
    jobName: `fettle-${runId}`,
    identity,
    args,
    traceId,
    ci: ciOf(env),
  } as const
  journal.append({ type: 'run.started', ...started })
  return carryOn(journal, directory, settings)
}

async function continueRun(state: RunState, settings: RunSettings): Promise<RunResult> {
  await proveOutputs(state.plan, settings)
  const directory = runDirectory(settings.runsDir, state.runId)
  const journal = openJournal(directory.journal, realClock.now, 'existing')
  const live = settings.live == null ? {} : { settings: settings.live }
  journal.append({ type: 'run.resumed', pid: process.pid, host: hostname(), ...live })
  return carryOn(journal, directory, settings)
}

const stateOf = (journal: Journal): RunState => {
  if (journal.state === null) throw new FettleError('FETTLE_RUN_EMPTY', `the journal ${journal.path} recorded nothing`)
  return journal.state
}

async function carryOn(journal: Journal, directory: RunDirectory, settings: RunSettings): Promise<RunResult> {
  const { plan, runId } = stateOf(journal)
  const before = lastGoodRun(settings.runsDir, plan.name, runId)
  const previous = before === null ? null : readReport(runDirectory(settings.runsDir, before.runId))
  const previousRate = before?.outcomes == null ? null : matchRate(before.outcomes, before.plan.rows)
  const keepReport = async (state: RunState): Promise<void> =>
    writeReportJson(directory, reportOf(state, directory, realClock.now(), previous))
  try {
    await keepReport(stateOf(journal))
    if (plan.rows === 0) skipRun(journal)
    else await carryOutWith(journal, directory, settings, previousRate, keepReport)
    const state = stateOf(journal)
    const report = reportOf(state, directory, realClock.now(), previous)
    await writeReports(directory, report)
    if (state.finished) rmSync(directory.service, { recursive: true, force: true })
    return { state, report, directory }
  } finally {
    journal.close()
  }
}

/** An empty input that the pipeline calls a normal day: nothing is sent. */
function skipRun(journal: Journal): void {
  const none = { matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicates: 0, failed: 0, skipped: 0 }
  journal.append({ type: 'run.finished', status: 'skipped', exitCode: EXIT.ok, outcomes: none, checks: [], error: null })
}

/** An effect in flight is heard out for so long after a stop. */
const GRACE_MS = 10_000

async function carryOutWith(
  journal: Journal,
  directory: RunDirectory,
  settings: RunSettings,
  previousRate: number | null,
  keepReport: (state: RunState) => Promise<void>,
): Promise<void> {
  const { plan } = stateOf(journal)
  const limit = stopAt(settings)
  const onTick = (tick: Tick): void => settings.onTick?.(tick, stateOf(journal))
  const source = openSource(plan, directory.path, { root: settings.cwd })
  const results = openResults(plan, directory.path, { root: settings.cwd })
  let lastReport = Promise.resolve()
  const ready = await openService({
    service: plan.service,
    credentials: settings.credentials,
    dataDir: dataDirOf(settings.env),
    stateDir: directory.service,
    attempts: plan.retry.attempts,
    traceparent: traceOf(settings.env).traceparent,
    onRetry: message => onTick({ type: 'retry', message }),
    deadline: limit.left,
  })
  try {
    const known = new Set(stateOf(journal).issues.map(one => one.code))
    for (const issue of ready.issues) if (!known.has(issue.code)) journal.append({ type: 'issue.raised', issue })
    const ports: Ports = {
      service: ready.service,
      source,
      results,
      clock: realClock,
      tick: onTick,
      signal: limit.signal,
      grace: limit.grace,
    }
    const onFact = (fact: RunFact, state: RunState): void => {
      settings.onFact?.(fact, state)
      // A report that cannot be kept current must not stop a run that can go on; at the end it is an error.
      if (fact.type.startsWith('stage.')) lastReport = lastReport.then(() => keepReport(state)).catch(() => {})
    }
    const state = await carryOut({ recorder: journal, ports, previousRate, onFact })
    if (state.finished) await source.remove()
    // After an error the file is evidence; otherwise its rows stand in the outputs.
    if (state.finished && state.status !== 'error') await results.remove()
  } finally {
    await lastReport
    limit.clear()
    await ready.close()
  }
}

/** The run's two ends of time: `signal` for a stop or the time limit, `grace` ten seconds after it. */
function stopAt(settings: RunSettings): { signal: AbortSignal; grace: AbortSignal; left: () => number; clear: () => void } {
  const stop = new AbortController()
  const grace = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const abort = (reason: unknown): void => {
    stop.abort(reason)
    timers.push(setTimeout(() => grace.abort(reason), GRACE_MS).unref())
  }
  const onSignal = (): void => abort(settings.signal.reason)
  if (settings.signal.aborted) onSignal()
  else settings.signal.addEventListener('abort', onSignal, { once: true })
  const endsAt = settings.timeoutMs === null ? Number.POSITIVE_INFINITY : realClock.monotonic() + settings.timeoutMs
  if (settings.timeoutMs !== null) {
    const error = new FettleError(
      'FETTLE_DEADLINE',
      `the time limit of ${settings.timeoutMs / 1000} s (--timeout) passed; the remote job goes on`,
    )
    timers.push(setTimeout(() => abort(error), settings.timeoutMs).unref())
  }
  return {
    signal: stop.signal,
    grace: grace.signal,
    left: () => Math.max(0, endsAt - realClock.monotonic()),
    clear: () => {
      settings.signal.removeEventListener('abort', onSignal)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** The result of a run that came to its end, as it was recorded; its reports are written again if one is missing. */
async function settled(state: RunState, settings: RunSettings): Promise<RunResult> {
  const directory = runDirectory(settings.runsDir, state.runId)
  const report = readReport(directory) ?? reportOf(state, directory, realClock.now(), null)
  if (report.status === 'running') {
    const final = reportOf(state, directory, realClock.now(), null)
    await writeReports(directory, final)
    return { state, report: final, directory }
  }
  return { state, report, directory }
}
