/** Executes a run in this process: opens the service, runs the stages, writes the reports, closes the service. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { action, EXIT, FettleError, type Issue } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import type { Lock } from '../../files/process-lock.ts'
import { type Journal, type RunEventInput, type RunState, UNKNOWN } from '../../journal/index.ts'
import { type Plan, resolvedYaml, wholePlan } from '../../pipeline/index.ts'
import type { AnsweredJob } from '../../results/answers.ts'
import { PLAN_FILE } from '../../results/file-names.ts'
import type { Baseline, ResultsOptions } from '../../results/output/writers.ts'
import { AnswerSink, draftPaths } from '../../reuse/answer-sink.ts'
import type { HeldLock } from '../../reuse/held-lock.ts'
import {
  hasEarlyStages,
  isRejected,
  type LastGoodRun,
  needsService,
  type ProgressEvent,
  pausedBy,
  refusedBy,
  runEarlyStages,
  runStages,
} from '../../run/index.ts'
import { createDeadline } from '../env/deadline.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { checkOutputsWritable } from '../prepare/check-outputs.ts'
import { loadDecisions, loadOtherDecisions } from '../prepare/decisions.ts'
import { RunSearches } from '../reuse/searches.ts'
import { answersFolder, foldersOfRun, keepFit } from '../reuse/settings.ts'
import { openEventStore } from '../runs/event-store.ts'
import { readReport, reportOf, writeReportJson, writeReports } from '../runs/report-files.ts'
import { type RunDirectory, runDirectory } from '../runs/run-directory.ts'
import { baselineOf, lastGoodRun } from '../runs/run-queries.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
import { chooseRowsOnce, isRefusal, waitingOf } from './choice-of-run.ts'
import { createTakeoverGuard, type TakeoverGuard } from './guard.ts'
import { openRunPorts, type RunPorts } from './ports.ts'
import type { Recording } from './recording.ts'
import { connectRun, type RunConnection } from './run-connection.ts'
import { isLocalFailure, type RunRecord, recordOf } from './run-recorder.ts'
import type { FetchByJob, RunResult, RunSettings } from './run-settings.ts'
import { removeWorkFiles } from './work-files.ts'

const stateOf = ({ state }: Pick<RunRecord, 'state'>): RunState => {
  if (state === null) throw new FettleError('FETTLE_RUN_EMPTY', 'the journal recorded nothing')
  return state
}

/**
 * Executes a run from the state of its journal, and writes its reports in every case. `lock` is checked before each request and
 * event. A disk error ends the run with its result, 73, like any other error. Closes the journal.
 */
export async function executeRun(
  journal: Journal,
  directory: RunDirectory,
  lock: Lock,
  settings: RunSettings,
  fetchByJob: FetchByJob,
): Promise<RunResult> {
  const { plan, runId, identity } = stateOf(journal)
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  const now = clock.now.bind(clock)
  const guard = createTakeoverGuard(lock, runId, now)
  const record = recordOf(journal, guard, now)
  const before = lastGoodRun(settings.runsDir, { plan, identity }, runId)
  const previous = before === null ? null : readReport(runDirectory(settings.runsDir, before.runId))
  const last = before === null ? null : { plan: before.plan, outcomes: before.outcomes }
  const baseline = baselineOf(settings.runsDir, before)
  const resultOf = (state: RunState): RunResult => ({
    state,
    report: reportOf(state, directory, now(), previous),
    directory,
  })
  const keepReport = (state: RunState): Promise<void> => writeReportJson(directory, resultOf(state).report)
  try {
    // A new run checked its outputs before it made its directory.
    if (stateOf(journal).resumedAt.length > 0) await checkOutputsWritable(plan, settings)
    // Only a recorded run has files beside its journal: without the journal they show that it was lost.
    await keepPlan(plan, directory)
    await keepReport(stateOf(journal))
    if (plan.rows === 0 || (wholePlan(plan).sent === 0 && plan.shard === undefined)) skipRun(record, plan)
    else if (wholePlan(plan).sent === 0) finishWithoutRows(record)
    else await executeStages({ record, directory, guard, settings, before: last, baseline, keepReport, fetchByJob })
    const result = resultOf(stateOf(journal))
    await writeReports(directory, result.report, result.state)
    const unremoved = await removeWorkFiles(result.state, directory, settings.cwd)
    for (const words of unremoved) settings.observers?.emit('onWarning', words)
    return { ...result, unremoved }
  } catch (error) {
    if (!isLocalFailure(error)) throw error
    const result = resultOf(record.strand(error) ?? stateOf(journal))
    // The next resume of a finished run writes its reports again.
    if (journal.state?.finished === false && error.code !== 'FETTLE_LOCKED')
      await writeReports(directory, result.report, result.state).catch(() => {})
    return result
  } finally {
    journal.close()
  }
}

async function keepPlan(plan: Plan, directory: RunDirectory): Promise<void> {
  const path = join(directory.path, PLAN_FILE)
  if (!existsSync(path)) await writeAtomic(path, resolvedYaml(plan))
}

/** An input without a row to send and input.empty: skip. */
function skipRun(record: RunRecord, { skipped = 0 }: Plan): void {
  const none = { matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicates: 0, failed: 0, skipped }
  record.append({ type: 'run.finished', status: 'skipped', exitCode: EXIT.ok, outcomes: none, checks: [], error: null })
}

/** A shard without rows to send: its rows are empty, or repeat those of earlier shards. */
function finishWithoutRows(record: RunRecord): void {
  record.append({ type: 'run.finished', status: 'success', exitCode: EXIT.ok, outcomes: UNKNOWN, checks: [], error: null })
}

/** The answers of a shard are stored when it is merged. */
const hasNoOpenAnswers = ({ finished, plan, jobs }: RunState): boolean =>
  finished && (plan.shard === undefined || jobs.every(({ received }) => received === null))

interface Work {
  readonly record: RunRecord
  readonly directory: RunDirectory
  readonly guard: TakeoverGuard
  readonly settings: RunSettings
  readonly before: LastGoodRun | null
  readonly baseline: Baseline | null
  readonly keepReport: (state: RunState) => Promise<void>
  readonly fetchByJob: FetchByJob
}

async function executeStages({
  record,
  directory,
  guard,
  settings,
  before,
  baseline,
  keepReport,
  fetchByJob,
}: Work): Promise<void> {
  const world = settings.world ?? DEFAULT_RUNTIME
  const limit = createDeadline(settings.signal, settings.timeoutMs, world.clock)
  const onProgress = (progress: ProgressEvent): void => settings.observers?.emit('onProgress', progress, stateOf(record))
  const decisions = () => loadDecisions(stateOf(record).plan, settings.cwd, world.clock.now())
  const otherDecisions = () => loadOtherDecisions(stateOf(record).plan, settings.cwd, world.clock.now())
  const storage: StorageOptions = {
    ...settings,
    attempts: stateOf(record).plan.retry.attempts,
    signal: limit.signal,
    stop: limit.signal,
    deadline: () => limit.left(),
    onNote: message => onProgress({ type: 'retry', message }),
  }
  const fails: ResultsOptions['isRejected'] = (outcomes, changes, decided) =>
    isRejected(stateOf(record), outcomes, { before, changes }, decided)
  const now = world.clock.now.bind(world.clock)
  const answers = answersFolder(settings, stateOf(record).args)
  const waiting = { ...waitingOf(settings), signal: limit.signal }
  const openSink = (jobs: readonly AnsweredJob[]): AnswerSink => {
    const state = stateOf(record)
    const { kept: folder } = foldersOfRun(answers, state, now)
    return new AnswerSink(state.plan, { runId: state.runId, folder, workDir: directory.path }, jobs)
  }
  /** As the plan is now: it changes when the rows that are sent are chosen. */
  const openPorts = (): RunPorts => {
    const { plan } = stateOf(record)
    const from = {
      ...{ root: settings.cwd, mode: settings.outputMode, decisions, otherDecisions, isRejected: fails, baseline },
      answerSink: plan.reuse == null ? undefined : openSink,
    }
    return openRunPorts(plan, directory, from, storage)
  }
  /** Puts the answers of the run where later runs find them. */
  const keepAnswers = async (): Promise<number> => {
    const state = stateOf(record)
    const { asked, kept } = foldersOfRun(answers, state, now)
    const drafts = draftPaths(state.plan, directory.path).filter(path => existsSync(path))
    try {
      await kept.keep(state.runId, drafts, waiting)
      await keepFit(answers, state)
      await asked.settle([state.runId, ...state.shardRuns])
    } catch (error) {
      if (!FettleError.is(error) || error.code !== 'FETTLE_OUTPUT_WRITE') throw error
      const hint =
        'The outputs are written. Free space or correct permissions, then resume the run, so that later runs need not pay again.'
      throw new FettleError(error.code, error.message, { hint, action: action('resume', state.runId), cause: error })
    }
    held?.release()
    return drafts.length
  }
  const warnings: Issue[] = []
  /** Between two events of the stages, and not after the end of the run. */
  const recordWarnings = ({ type }: RunEventInput): void => {
    if (type.startsWith('run.')) return
    const known = new Set(stateOf(record).issues.map(({ message }) => message))
    for (const warning of warnings.splice(0))
      if (!known.has(warning.message)) record.append({ type: 'issue.raised', issue: warning })
  }
  let lastReport = Promise.resolve()
  let connection: RunConnection | null = null
  let recording: Recording | null = null
  let held: HeldLock | null = settings.asked ?? null
  const refreshes = settings.refresh?.all ?? false
  const searches = new RunSearches(() => stateOf(record), directory, { answers, now, refreshes, waiting })
  const onFact = (event: RunEventInput, state: RunState): void => {
    settings.observers?.emit('onEvent', event, state)
    recordWarnings(event)
    // A report that cannot be updated must not stop the run; at the end it is an error.
    if (event.type.startsWith('stage.')) lastReport = lastReport.then(() => keepReport(state)).catch(() => {})
  }
  const connectWith = async (isNeeded: boolean): Promise<RunConnection> => {
    const { source, results, rows, list } = openPorts()
    const { plan, identity, reuse } = stateOf(record)
    if (settings.record != null && isNeeded && recording === null) {
      const { openRecording } = await import('./recording.ts')
      recording = await openRecording({
        file: settings.record,
        directory,
        plan,
        rows,
        clock: world.clock,
        onWarning: warning => warnings.push(warning),
      })
    }
    const events = openEventStore(plan, {
      ...{ directory, identity, root: settings.cwd, mode: settings.outputMode, baseline },
    })
    return connectRun({
      ...{ plan, directory, settings, source, results, list, events, fetchByJob, onProgress, isNeeded },
      facts: reuse?.fit ?? {},
      ...(plan.reuse == null ? {} : { keepAnswers, earlier: searches }),
      left: () => limit.left(),
      signal: limit.signal,
      grace: limit.grace,
      onWarning: warning => warnings.push(warning),
      ...(recording === null ? {} : { recorder: recording.recorder }),
      beforeEffect: async () => {
        guard()
        await settings.copy?.flushed(limit.grace)
      },
    })
  }
  try {
    if (hasEarlyStages(stateOf(record))) {
      connection = await connectWith(true)
      if (!(await runEarlyStages({ recorder: record, ports: connection.ports, onFact }))) return
      await connection.close()
      connection = null
    }
    const choosing = { guard, left: () => limit.left(), grace: limit.grace, storage }
    held ??= await chooseRowsOnce(record, directory, { ...settings, signal: limit.signal }, choosing)
    connection = await connectWith(needsService(stateOf(record)))
    const known = new Set(stateOf(record).issues.map(one => one.code))
    for (const issue of connection.issues) if (!known.has(issue.code)) record.append({ type: 'issue.raised', issue })
    const { ports } = connection
    await runStages({ recorder: record, ports, before, detach: settings.detach ?? false, onFact })
  } catch (error) {
    // A failure before the first stage is in the report too.
    if (connection === null) record.append(isRefusal(error) ? refusedBy(error) : pausedBy(error))
    else throw error
  } finally {
    await lastReport
    limit.clear()
    // The result is already decided; the embedded service checks unsaved data at its next start.
    await connection?.close().catch(() => {})
    await searches.close()
    const state = stateOf(record)
    if (state.plan.reuse != null && hasNoOpenAnswers(state))
      await foldersOfRun(answers, state, now)
        .asked.settle([state.runId])
        .catch(() => {})
    held?.release()
    closeRecording(recording)
  }
}

const closeRecording = (recording: Recording | null): void => recording?.close()
