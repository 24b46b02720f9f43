/** Looking at runs without touching them: for status, runs and report. */
import { existsSync } from 'node:fs'
import { realClock } from '../client/clock.ts'
import type { Credentials } from '../env/environment.ts'
import { identityOf } from '../env/identity.ts'
import { EXIT } from '../errors.ts'
import { type LockOwner, lockHolder } from '../files/process-lock.ts'
import { journalHead, matchRate, type RunState, rowsToAccountFor } from '../journal/index.ts'
import { isSameWork, nameLine, type Plan } from '../pipeline/index.ts'
import type { Report } from '../report/index.ts'
import { headOf, type RowStates, readStates } from '../results/changes/row-states.ts'
import type { Baseline } from '../results/output/writers.ts'
import { isReported, readReport, reportRun } from './report-files.ts'
import { findRunId, listRunIds, lockPath, type RunDirectory, readRun, runDirectory } from './run-directory.ts'
import { lastGoodRun, runOfKey, runToContinue } from './run-store.ts'

/** The state and directory of a run named by a person; the latest when nothing is named. */
export function loadRun(runsDir: string, wanted: string | undefined): { state: RunState; directory: RunDirectory } {
  const id = findRunId(runsDir, wanted)
  return { state: readRun(runsDir, id), directory: runDirectory(runsDir, id) }
}

/** Where the rows of a run are kept to compare others with. */
export const findBaseline = (runsDir: string, run: RunState | null): Baseline | null =>
  run === null ? null : { runId: run.runId, workDir: runDirectory(runsDir, run.runId).path }

/** The reports of a finished run were not all written. A run whose directory has another name by now is left alone. */
export function lacksReports(state: RunState, runsDir: string): boolean {
  const directory = runDirectory(runsDir, state.runId)
  return existsSync(directory.journal) && !isReported(directory, state)
}

/** Whether running the plan continues `last`, or completes its reports: it is the same work for the same account. */
export function isContinued(
  last: RunState,
  plan: Plan,
  { runsDir, credentials }: { readonly runsDir: string; readonly credentials: () => Credentials },
): boolean {
  if (last.finished && !lacksReports(last, runsDir)) return false
  return isSameWork(last.plan, plan) && last.identity === identityOf(plan.service, credentials)
}

/** A run key of an account: what a finished run is found by. */
export interface KeyOwner {
  readonly runsDir: string
  readonly runKey?: string | null
  readonly credentials: () => Credentials
  /** As recorded; the credentials' if absent. */
  readonly identity?: string
}

/** The newest run of this key that has finished the same work for the same account, and that `isAlso` is true for; null for none. */
export function finishedRunOfKey(
  plan: Plan,
  { runsDir, runKey = null, credentials, identity }: KeyOwner,
  isAlso: (state: RunState) => boolean = () => true,
): RunState | null {
  if (runKey === null) return null
  return runOfKey(runsDir, { plan, runKey, identity: identity ?? identityOf(plan.service, credentials) }, isAlso)
}

/** Whether running the plan continues a run, so that outputs in place are that run's. Throws as runToContinue. */
export function goesOn(runsDir: string, plan: Plan, credentials: () => Credentials): boolean {
  const last = runToContinue(plan, identityOf(plan.service, credentials), runsDir)
  return last !== null && isContinued(last, plan, { runsDir, credentials })
}

export function reportOfRun(runsDir: string, id: string): Report {
  const state = readRun(runsDir, id)
  const before = lastGoodRun(runsDir, state, id)
  return reportStored(state, runDirectory(runsDir, id), before && readReport(runDirectory(runsDir, before.runId)))
}

const reportStored = (state: RunState, directory: RunDirectory, previous: Report | null): Report =>
  reportRun(state, { directory, head: journalHead(directory.journal), now: realClock.now(), previous })

/** What is stored here about a run, without a request: `detached` runs have jobs at the service, `stopped` ones can be resumed. */
export interface StoredStatus {
  readonly status: 'finished' | 'running' | 'detached' | 'stopped'
  /** The exit code of `status`; null when only the service can give it. */
  readonly code: number | null
  /** The process that runs it. */
  readonly carrier: LockOwner | null
}

export function readStoredStatus(runsDir: string, state: RunState): StoredStatus {
  if (state.finished) return { status: 'finished', code: state.exitCode ?? EXIT.bug, carrier: null }
  const carrier = findActiveProcess(runsDir, state)
  if (carrier !== null) return { status: 'running', code: EXIT.retryable, carrier }
  if (state.detached) return { status: 'detached', code: null, carrier }
  return { status: 'stopped', code: state.exitCode ?? EXIT.retryable, carrier }
}

/** A run for a list: its own journal is read and no other, so that a list takes time in proportion to its length. */
export function listedRun(
  runsDir: string,
  id: string,
): StoredStatus & { readonly state: RunState; readonly matchRate: number | null; readonly report: () => Report } {
  const state = readRun(runsDir, id)
  const rate = state.outcomes === null ? null : matchRate(state.outcomes, rowsToAccountFor(state.plan))
  const report = () => reportStored(state, runDirectory(runsDir, id), null)
  return { ...readStoredStatus(runsDir, state), state, matchRate: rate, report }
}

/**
 * The process that runs the pipeline of this run, null otherwise. The lock belongs to the pipeline, and is held for its
 * last run, or for an earlier one that has events since: one that was detached and is being collected.
 */
export function findActiveProcess(runsDir: string, state: RunState): LockOwner | null {
  const line = nameLine(state.plan)
  const isLast = listRunIds(runsDir, line)[0] === state.runId
  const holder = isLast || !state.finished ? lockHolder(lockPath(runsDir, line), realClock.now) : null
  return isLast || (holder !== null && state.updatedAt >= holder.since) ? holder : null
}

/** The rows of the last good run, by key; null where they are not known. `run`: without an id one that is planned. */
export async function readRowsBefore(
  { shard, ...plan }: Plan,
  { identity, runId }: Pick<RunState, 'identity'> & Partial<Pick<RunState, 'runId'>>,
  runsDir: string,
): Promise<RowStates['rows'] | null> {
  if (plan.key === null) return null
  // A shard is compared with the runs of its list, which have other names.
  const before = findBaseline(runsDir, lastGoodRun(runsDir, { plan, identity }, shard === undefined ? runId : undefined))
  const states = before === null ? null : await readStates(before.workDir)
  return states === null || states.head.by !== headOf(plan).by ? null : states.rows
}
