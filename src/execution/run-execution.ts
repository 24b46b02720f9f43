/** One attempt at a run in this process: opens the service, runs the stages, writes the reports, closes the service. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { action, ERRORS, EXIT, FettleError, type Issue } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { type HeldLock, type Lock, lockHolder } from '../files/process-lock.ts'
import { type RunEventInput, type RunState, UNKNOWN } from '../journal/index.ts'
import { resolvedYaml, wholePlan } from '../pipeline/index.ts'
import { checkOutputsWritable } from '../prepare/check-outputs.ts'
import { loadDecisions, loadHitDecisions, loadOtherDecisions } from '../prepare/decisions.ts'
import { openCompanyTags } from '../prepare/register-companies.ts'
import type { Report } from '../report/index.ts'
import type { AnsweredJob } from '../results/answers.ts'
import { PLAN_FILE } from '../results/file-names.ts'
import { lostParts } from '../results/index.ts'
import type { Baseline, ResultsOptions } from '../results/output/writers.ts'
import type { Waiting } from '../reuse/answer-folder.ts'
import { AnswerSink, draftPaths } from '../reuse/answer-sink.ts'
import { RunSearches } from '../reuse/searches.ts'
import { answersFolder, findFit, foldersOfRun, keepFit } from '../reuse/settings.ts'
import {
  hasEarlyStages,
  isRejected,
  needsService,
  type ProgressEvent,
  pausedBy,
  refusedBy,
  runEarlyStages,
  runStages,
} from '../run/index.ts'
import { openEventStore } from '../runs/event-store.ts'
import { openMonitorStore } from '../runs/monitor-store.ts'
import { readReport, reportRun, writeReportJson, writeReports } from '../runs/report-files.ts'
import { type RunDirectory, runDirectory } from '../runs/run-directory.ts'
import { findBaseline } from '../runs/run-queries.ts'
import { lastGoodRun } from '../runs/run-store.ts'
import { settleCredits } from '../spending/spending.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
import { chooseRowsOnce, isRefusal, makeWaiting } from './choice-of-run.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { KeptSearches } from './kept-searches.ts'
import { openRunPorts, type RunPorts } from './ports.ts'
import type { Recording } from './recording.ts'
import { connectRun, type RunConnection } from './run-connection.ts'
import { createRecord, isLocalFailure, type RunRecord } from './run-recorder.ts'
import type { Attempt, FetchByJob, OpenRun, RunResult, RunSettings } from './run-settings.ts'
import { removeWorkFiles } from './work-files.ts'

/** Made for each attempt, executed once. The lock is checked before each request and event. */
export class RunExecution implements Attempt {
  readonly settings: RunSettings
  readonly directory: RunDirectory
  readonly record: RunRecord
  readonly trace: Attempt['trace']
  readonly limit: Deadline
  readonly now: () => number
  readonly guard: () => void
  readonly waiting: Waiting
  readonly storage: StorageOptions
  readonly #run: OpenRun
  readonly #fetchByJob: FetchByJob
  /** The last good run of the series, its rows and its report. */
  readonly #before: RunState | null
  readonly #baseline: Baseline | null
  readonly #previous: Report | null
  /** The folder of the answers of all scopes. */
  readonly #answers: string
  readonly #searches: RunSearches
  readonly #proof: KeptSearches
  /** Not recorded yet. */
  readonly #warnings: Issue[] = []
  #lastReport: Promise<void> = Promise.resolve()
  #unreported: RunState | null = null
  #connection: RunConnection | null = null
  #recording: Recording | null = null
  #asked: HeldLock | null

  constructor(run: OpenRun, settings: RunSettings, fetchByJob: FetchByJob) {
    const { journal, directory, lock, trace, asked = null } = run
    const { runtime, runsDir } = settings
    const { clock } = runtime
    this.#run = run
    this.#fetchByJob = fetchByJob
    this.#asked = asked
    this.directory = directory
    this.trace = trace
    this.now = () => clock.now()
    this.guard = createTakeoverGuard(lock, directory.id, this.now)
    this.record = createRecord(journal, this.guard, this.now)
    this.limit = createDeadline(settings.signal, settings.timeoutMs, clock)
    this.settings = { ...settings, signal: this.limit.signal }
    this.waiting = makeWaiting(this.settings)
    const { state } = this.record
    this.storage = {
      ...this.settings,
      readsQueries: settings.queued === undefined,
      attempts: state.plan.retry.attempts,
      stop: this.limit.signal,
      deadline: this.limit.left,
      onNote: message => this.#showProgress({ type: 'retry', message }),
    }
    this.#before = lastGoodRun(runsDir, state, state.runId)
    this.#baseline = findBaseline(runsDir, this.#before)
    this.#previous = this.#before && readReport(runDirectory(runsDir, this.#before.runId))
    this.#answers = answersFolder(settings, state.args)
    const { now, waiting } = this
    const refreshes = settings.refresh?.all ?? false
    this.#proof = new KeptSearches({ state: () => this.#state, workDir: directory.path })
    this.#searches = new RunSearches(() => this.#state, directory, {
      answers: this.#answers,
      now,
      refreshes,
      waiting,
      proof: this.#proof,
    })
  }

  /** Writes the reports of the run in every case. A disk error ends it with its result, 73, like any other error. Closes the journal. */
  async execute(): Promise<RunResult> {
    try {
      await this.#begin()
      await this.#runStages()
      return await this.#finish()
    } catch (error) {
      return await this.#endStranded(error)
    } finally {
      this.limit.clear()
      this.#run.journal.close()
    }
  }

  get #state(): RunState {
    return this.record.state
  }

  #result(state = this.#state): RunResult {
    const { directory } = this
    const facts = { directory, head: this.#run.journal.head, now: this.now(), previous: this.#previous }
    return { state, report: reportRun(state, facts), directory }
  }

  /** Stages that end while a report is written are in the next one together. */
  async #keepReport(): Promise<void> {
    const state = this.#unreported
    this.#unreported = null
    if (state !== null) await writeReportJson(this.directory, this.#result(state).report)
  }

  async #begin(): Promise<void> {
    const { plan, resumedAt, jobs } = this.#state
    // A new run checked its outputs before it made its directory.
    if (resumedAt.length > 0) {
      await checkOutputsWritable(plan, this.settings)
      for (const part of await lostParts(jobs, this.directory.path)) this.record.append({ type: 'file.lost', part })
    }
    // Only a recorded run has files beside its journal: without the journal they show that it was lost.
    const path = join(this.directory.path, PLAN_FILE)
    if (!existsSync(path)) await writeAtomic(path, resolvedYaml(plan))
    this.#unreported = this.#state
    await this.#keepReport()
  }

  async #finish(): Promise<RunResult> {
    const result = this.#result()
    await settleCredits(this.settings.runsDir, result.state, this.settings.runtime.clock)
    await writeReports(this.directory, result.report, result.state)
    const unremoved = await removeWorkFiles(result.state, this.directory, this.settings.cwd)
    for (const words of unremoved) this.settings.observers?.emit('onWarning', words)
    return { ...result, unremoved }
  }

  async #endStranded(error: unknown): Promise<RunResult> {
    if (!isLocalFailure(error)) throw error
    const result = this.#result(this.record.strand(error) ?? this.#state)
    // The next resume of a finished run writes its reports again.
    if (!this.#state.finished && error.code !== 'FETTLE_LOCKED')
      await writeReports(this.directory, result.report, result.state).catch(() => {})
    return result
  }

  async #runStages(): Promise<void> {
    const { plan } = this.#state
    if (plan.rows > 0 && wholePlan(plan).sent > 0) return this.#runPaidStages()
    const none = { matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicates: 0, failed: 0, skipped: plan.skipped ?? 0 }
    // A shard without rows to send has empty answers, or answers of earlier shards; any other such list is `input.empty: skip`.
    const isShard = plan.rows > 0 && plan.shard !== undefined
    const end = isShard ? ({ status: 'success', outcomes: UNKNOWN } as const) : ({ status: 'skipped', outcomes: none } as const)
    this.record.append({ type: 'run.finished', exitCode: EXIT.ok, checks: [], error: null, ...end })
  }

  async #runPaidStages(): Promise<void> {
    try {
      if (!(await this.#runEarlyStages())) return
      this.#asked ??= await chooseRowsOnce(this)
      const { ports, issues } = await this.#connect(needsService(this.#state))
      const known = new Set(this.#state.issues.map(({ code }) => code))
      for (const issue of issues) if (!known.has(issue.code)) this.record.append({ type: 'issue.raised', issue })
      const detach = this.settings.detach ?? false
      await runStages({ recorder: this.record, ports, before: this.#before, detach, onFact: this.#observe })
    } catch (error) {
      if (this.#connection !== null) throw error
      // A failure before the first stage is in the report too.
      this.record.append(isRefusal(error) ? refusedBy(error) : pausedBy(error))
    } finally {
      await this.#close()
    }
  }

  /** Returns false after an error that paused the run. */
  async #runEarlyStages(): Promise<boolean> {
    if (!hasEarlyStages(this.#state)) return true
    const { ports, close } = await this.#connect(true)
    if (!(await runEarlyStages({ recorder: this.record, ports, onFact: this.#observe }))) return false
    await close()
    this.#connection = null
    return true
  }

  async #close(): Promise<void> {
    await this.#lastReport
    this.limit.clear()
    // The result is already decided; the embedded service checks unsaved data at its next start.
    await this.#connection?.close().catch(() => {})
    await this.#searches.close()
    const { finished, plan, jobs, runId } = this.#state
    // The answers of a shard are stored when it is merged.
    const hasOpenAnswers = !finished || (plan.shard !== undefined && jobs.some(({ received }) => received !== null))
    if (plan.reuse != null && !hasOpenAnswers) await this.#folders.asked.settle([runId]).catch(() => {})
    this.#asked?.release()
    this.#recording?.close()
  }

  /** Opens all ports: the plan may have changed since, when the rows that are sent were chosen. */
  async #connect(isNeeded: boolean): Promise<RunConnection> {
    const { directory, settings, limit, trace } = this
    const { source, results, rows, list } = this.#openPorts()
    const { plan, identity } = this.#state
    if (isNeeded) await this.#startRecording(rows)
    const place = { directory, identity, root: settings.cwd, mode: settings.outputMode, baseline: this.#baseline }
    const usesReuse = plan.reuse != null
    this.#connection = await connectRun({
      ...{ plan, directory, settings, limit, trace, source, results, list, isNeeded },
      fit: findFit(this.#state) ?? {},
      events: openEventStore(plan, place),
      monitor: openMonitorStore(plan, place),
      keepAnswers: usesReuse ? () => this.#keepAnswers() : undefined,
      earlier: usesReuse ? this.#proof.watch(this.#searches) : undefined,
      recorder: this.#recording?.recorder,
      fetchByJob: this.#fetchByJob,
      onProgress: progress => this.#showProgress(progress),
      onWarning: warning => this.#warnings.push(warning),
      beforeEffect: async () => {
        this.guard()
        await settings.queued?.copy.flushed(limit.grace)
      },
    })
    return this.#connection
  }

  #openPorts(): RunPorts {
    const { plan } = this.#state
    const { cwd: root, outputMode: mode } = this.settings
    const options: ResultsOptions = {
      root,
      mode,
      baseline: this.#baseline,
      decisions: () => loadDecisions(this.#state.plan, root, this.now()),
      hitDecisions: () => loadHitDecisions(this.#state.plan, root, this.now()),
      companyTags: plan.service.kind === 'embedded' ? () => openCompanyTags(plan, this.settings.env) : undefined,
      otherDecisions: () => loadOtherDecisions(this.#state.plan, root, this.now()),
      isRejected: (outcomes, { decisions, ...found }) =>
        isRejected(this.#state, outcomes, { before: this.#before, ...found }, decisions),
      answerSink: plan.reuse == null ? undefined : jobs => this.#openAnswerSink(jobs),
    }
    return openRunPorts(plan, this.directory, options, this.storage)
  }

  async #startRecording(rows: RunPorts['rows']): Promise<void> {
    const { record: file, runtime } = this.settings
    if (file == null || this.#recording !== null) return
    const { openRecording } = await import('./recording.ts')
    const onWarning = (warning: Issue): void => void this.#warnings.push(warning)
    const { plan } = this.#state
    this.#recording = await openRecording({ file, directory: this.directory, plan, rows, clock: runtime.clock, onWarning })
  }

  get #folders(): ReturnType<typeof foldersOfRun> {
    return foldersOfRun(this.#answers, this.#state, this.now)
  }

  #openAnswerSink(jobs: readonly AnsweredJob[]): AnswerSink {
    const { plan, runId } = this.#state
    return new AnswerSink(plan, { runId, folder: this.#folders.kept, workDir: this.directory.path }, jobs)
  }

  /** Puts the answers of the run where later runs find them. */
  async #keepAnswers(): Promise<number> {
    const { plan, runId, shardRuns } = this.#state
    const { asked, kept } = this.#folders
    const drafts = draftPaths(plan, this.directory.path).filter(path => existsSync(path))
    try {
      await kept.keep(runId, drafts, this.waiting)
      await keepFit(this.#answers, this.#state)
      await asked.settle([runId, ...shardRuns])
    } catch (error) {
      if (!FettleError.is(error) || error.code !== 'FETTLE_OUTPUT_WRITE') throw error
      const repair = error.hint === ERRORS[error.code].hint ? 'Free space or correct permissions.' : error.hint
      const hint = `The outputs are written. ${repair} Then resume the run, so that later runs need not pay again.`
      throw new FettleError(error.code, error.message, { hint, action: action('resume', runId), cause: error })
    }
    this.#asked?.release()
    return drafts.length
  }

  #showProgress(progress: ProgressEvent): void {
    this.settings.observers?.emit('onProgress', progress, this.#state)
  }

  readonly #observe = (event: RunEventInput, state: RunState): void => {
    this.settings.observers?.emit('onEvent', event, state)
    // Between two events of the stages, and not after the end of the run.
    if (!event.type.startsWith('run.')) this.#recordWarnings()
    // A report that cannot be updated must not stop the run; at the end it is an error.
    if (!event.type.startsWith('stage.')) return
    this.#unreported = state
    this.#lastReport = this.#lastReport.then(() => this.#keepReport()).catch(() => {})
  }

  #recordWarnings(): void {
    const known = new Set(this.#state.issues.map(({ message }) => message))
    for (const issue of this.#warnings.splice(0))
      if (!known.has(issue.message)) this.record.append({ type: 'issue.raised', issue })
  }
}

/** Throws FETTLE_LOCKED once the lock is another's. */
type TakeoverGuard = () => void

export const createTakeoverGuard =
  (lock: Lock, runId: string, now: () => number): TakeoverGuard =>
  () => {
    if (lock.held()) return
    const holder = lockHolder(lock.path, now)
    const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host} (since ${holder.since})`
    throw new FettleError('FETTLE_LOCKED', `${who} took over the run ${runId}: nothing more is sent from here`)
  }
