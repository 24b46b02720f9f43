/**
 * Carrying out a run in this process: service up, stages, reports, service down. It is the only place that sees plan, journal,
 * ports and reports together; it draws nothing and chooses no exit code.
 */
import { rmSync } from 'node:fs'
import { EXIT, FettleError } from '../errors.ts'
import { openResults, openSource } from '../input/index.ts'
import {
  type Journal,
  type LiveSettings,
  type Lock,
  matchRate,
  type RunArgs,
  type RunFact,
  type RunState,
} from '../journal/index.ts'
import type { Report } from '../report/index.ts'
import { carryOut, type Ports, pausedBy, type Tick } from '../run/index.ts'
import { realClock } from './clock.ts'
import { lastGoodRun } from './look.ts'
import { readReport, reportOf, writeReportJson, writeReports } from './report-files.ts'
import { type RunDirectory, runDirectory } from './run-directory.ts'
import { openService, type ReadyService } from './service.ts'
import { type Credentials, dataDirOf, type Env, traceOf } from './settings.ts'
import { stopAt } from './stop.ts'

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

const stateOf = (journal: Journal): RunState => {
  if (journal.state === null) throw new FettleError('FETTLE_RUN_EMPTY', `the journal ${journal.path} recorded nothing`)
  return journal.state
}

/**
 * Carries a run on from where its journal stands, and writes its reports whatever came of it. `lock` is asked before anything
 * is sent that creates or pays. The journal is closed in the end.
 */
export async function carryOn(journal: Journal, directory: RunDirectory, lock: Lock, settings: RunSettings): Promise<RunResult> {
  const { plan, runId } = stateOf(journal)
  const before = lastGoodRun(settings.runsDir, plan.name, runId)
  const previous = before === null ? null : readReport(runDirectory(settings.runsDir, before.runId))
  const previousRate = before?.outcomes == null ? null : matchRate(before.outcomes, before.plan.rows)
  const keepReport = async (state: RunState): Promise<void> =>
    writeReportJson(directory, reportOf(state, directory, realClock.now(), previous))
  try {
    await keepReport(stateOf(journal))
    if (plan.rows === 0) skipRun(journal)
    else await carryOutWith({ journal, directory, lock, settings, previousRate, keepReport })
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

interface Work {
  readonly journal: Journal
  readonly directory: RunDirectory
  readonly lock: Lock
  readonly settings: RunSettings
  readonly previousRate: number | null
  readonly keepReport: (state: RunState) => Promise<void>
}

async function carryOutWith({ journal, directory, lock, settings, previousRate, keepReport }: Work): Promise<void> {
  const { plan } = stateOf(journal)
  const limit = stopAt(settings.signal, settings.timeoutMs)
  const onTick = (tick: Tick): void => settings.onTick?.(tick, stateOf(journal))
  const source = openSource(plan, directory.path, { root: settings.cwd })
  const results = openResults(plan, directory.path, { root: settings.cwd })
  let lastReport = Promise.resolve()
  let ready: ReadyService | null = null
  try {
    ready = await openService({
      service: plan.service,
      credentials: settings.credentials,
      dataDir: dataDirOf(settings.env),
      stateDir: directory.service,
      attempts: plan.retry.attempts,
      traceparent: traceOf(settings.env).traceparent,
      onRetry: message => onTick({ type: 'retry', message }),
      deadline: limit.left,
    })
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
    const guard = (): void => {
      if (!lock.held())
        throw new FettleError(
          'FETTLE_LOCKED',
          `another process took over the run ${directory.id}: nothing more is sent from here`,
        )
    }
    const state = await carryOut({ recorder: journal, ports, previousRate, onFact, guard })
    if (state.finished) await source.remove()
    // After an error the file is evidence; otherwise its rows stand in the outputs.
    if (state.finished && state.status !== 'error') await results.remove()
  } catch (error) {
    // What stops a run before its first stage is told in its report as well.
    if (ready === null) journal.append(pausedBy(error))
    else throw error
  } finally {
    await lastReport
    limit.clear()
    await ready?.close()
  }
}
