/**
 * What each run spent: from its journal, or from the record that stays when the run is removed. The record has job ids, credits and
 * correlation ids, and nothing of the list.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { counted } from '../../counted.ts'
import { action, FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { readKeptText } from '../../files/kept-files.ts'
import { type Lock, takeLock } from '../../files/process-lock.ts'
import { journalHead, type RunState } from '../../journal/index.ts'
import type { Clock } from '../../model/requests.ts'
import { type Plan, wholePlan } from '../../pipeline/index.ts'
import { QUEUE_FILE } from '../../results/file-names.ts'
import { accountWords, readAccount } from '../env/account.ts'
import { type Credentials, type Env, proxiesOf } from '../env/environment.ts'
import { prunedRuns, type RunSpending } from './pruned-runs.ts'
import { reportOf } from './report-files.ts'
import { findRun, listRunIds, makeFolder, readRun, runDirectory } from './run-directory.ts'

/** The most that a run of the plan may cost: rows to enrich, questions for candidates, searches. Tags of accepted companies come on top. */
export function mostCredits(plan: Plan): number {
  const { service, enrich, sent, rows, budget, screen, known } = plan
  if (service.kind === 'embedded' || isToBeChosen(plan)) return 0
  const enriched = enrich === null ? 0 : Math.min(sent, budget.credits ?? sent)
  const searched = rows - (known?.searches?.screen ?? 0)
  const screened = screen == null ? 0 : Math.min(searched, screen.budget ?? searched)
  return enriched + mostQuestions(plan) + screened
}

/** The most questions for candidates that a run of the plan may pay. Rows with an earlier answer are asked about as well. */
export function mostQuestions(plan: Plan): number {
  const { candidates, known } = plan
  if (candidates == null) return 0
  const unknown = wholePlan(plan).sent - (known?.searches?.candidates ?? 0)
  return Math.min(candidates.limit, candidates.budget ?? candidates.limit, unknown)
}

/** With `reuse`, nothing is sent before the rows are chosen that go up; budgets are checked then. */
const isToBeChosen = ({ reuse, known, merged }: Plan): boolean => reuse != null && known === undefined && merged === undefined

export function spendingOf(runsDir: string, state: RunState, prunedAt: string | null = null): RunSpending {
  const directory = runDirectory(runsDir, state.runId)
  const { plan, jobs, http } = state
  const credits = reportOf(state, directory, Date.parse(state.updatedAt), null).results[0]?.credits ?? null
  return {
    runId: state.runId,
    pipeline: plan.name,
    service: plan.service.kind === 'embedded' ? 'embedded' : plan.service.url,
    identity: state.identity,
    startedAt: state.startedAt,
    endedAt: state.endedAt,
    status: state.status,
    finished: state.finished,
    rows: plan.rows,
    sent: jobs.some(({ id }) => id !== null) ? plan.sent : 0,
    credits,
    reserved: state.finished ? (credits ?? mostCredits(plan)) : Math.max(credits ?? 0, mostCredits(plan)),
    requests: http.requests,
    jobs: jobs.map(({ id, name, correlations }) => ({
      id,
      name,
      correlationIds: correlations.map(one => one.correlationId),
    })),
    journal: journalHead(directory.journal)?.head ?? null,
    prunedAt,
    ...(state.shardRuns.length === 0 ? {} : { shards: state.shardRuns }),
    ...(prunedAt === null ? {} : { outputs: state.outputs }),
  }
}

/** What is recorded of a list whose shards are in a queue: the most that they may come to, until they are merged. */
export interface QueuedSpending {
  readonly pipeline: string
  readonly service: string
  readonly identity: string
  readonly rows: number
  readonly sent: number
  readonly reserved: number
  readonly at: string
}

function queuedSpending(runsDir: string, runId: string): RunSpending | null {
  const directory = runDirectory(runsDir, runId)
  const record = join(directory.path, QUEUE_FILE)
  if (existsSync(directory.journal) || !existsSync(record)) return null
  const { spending } = JSON.parse(readKeptText(record) ?? '{}') as { readonly spending?: QueuedSpending }
  if (spending === undefined) return null
  const { at, ...known } = spending
  return {
    ...{ runId, ...known, startedAt: at, endedAt: null, status: 'queued', finished: false },
    ...{ credits: null, requests: 0, jobs: [], journal: null, prunedAt: null },
  }
}

/** Either the shards of a merge or the merge: workers of other machines keep the runs of theirs. */
function countedOnce(runs: Map<string, RunSpending>): void {
  for (const { runId, shards } of [...runs.values()]) {
    if (shards === undefined) continue
    if (shards.every(id => runs.has(id))) runs.delete(runId)
    else for (const id of shards) runs.delete(id)
  }
}

/** What a finished run spent, and the size of the journal that it was read from: one that has grown since is read again. */
const Settled = z.object({
  bytes: z.number(),
  spending: z.custom<RunSpending>(value => typeof value === 'object' && value !== null),
})
type Settled = z.infer<typeof Settled>

const settledPath = (runsDir: string): string => join(runsDir, 'spending.jsonl')

/** Of finished runs, by their ids. A line that cannot be read is left out: its run is read from its journal. */
function readSettled(runsDir: string): Map<string, Settled> {
  const lines = (readKeptText(settledPath(runsDir)) ?? '').split('\n')
  return new Map(
    lines.flatMap(line => {
      try {
        const settled = Settled.parse(JSON.parse(line))
        return [[settled.spending.runId, settled] as const]
      } catch {
        return []
      }
    }),
  )
}

const journalBytes = (runsDir: string, id: string): number | null =>
  statSync(runDirectory(runsDir, id).journal, { throwIfNoEntry: false })?.size ?? null

/** Records what finished runs spent, so that a month is counted without reading their journals. */
async function settleSpending(runsDir: string): Promise<void> {
  const before = readSettled(runsDir)
  const now = new Map<string, Settled>()
  let hasNew = false
  for (const id of listRunIds(runsDir)) {
    const bytes = journalBytes(runsDir, id)
    const known = before.get(id)
    if (bytes === null || known?.bytes === bytes) {
      if (known !== undefined) now.set(id, known)
      continue
    }
    const state = findRun(runsDir, [id], ({ finished }) => finished)
    if (state === null) continue
    now.set(id, { bytes, spending: spendingOf(runsDir, state) })
    hasNew = true
  }
  if (!hasNew && now.size === before.size) return
  await writeAtomic(settledPath(runsDir), [...now.values()].map(line => `${JSON.stringify(line)}\n`).join(''))
}

/** Of every run here and of those removed, oldest first; `unread` are runs whose journal cannot be read. A merge and its shards count once. */
export function spendingOfRuns(runsDir: string): { readonly runs: readonly RunSpending[]; readonly unread: readonly string[] } {
  const runs = new Map(prunedRuns(runsDir).map(one => [one.runId, one]))
  const settled = readSettled(runsDir)
  const unread: string[] = []
  for (const id of listRunIds(runsDir)) {
    try {
      const known = settled.get(id)
      const isKnown = known !== undefined && known.bytes === journalBytes(runsDir, id)
      runs.set(id, isKnown ? known.spending : (queuedSpending(runsDir, id) ?? spendingOf(runsDir, readRun(runsDir, id))))
    } catch (error) {
      // A run of which nothing is recorded sent nothing.
      const isEmpty = FettleError.is(error) && (error.code === 'FETTLE_RUN_EMPTY' || error.code === 'FETTLE_RUN_UNKNOWN')
      // What is left of a run whose removal was interrupted needs no journal.
      if (!isEmpty && !runs.has(id)) unread.push(id)
    }
  }
  countedOnce(runs)
  return { runs: [...runs.values()].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)), unread }
}

/** Milliseconds between two attempts. */
const PAUSE_MS = 100
const ATTEMPTS = 100

type LockClock = Pick<Clock, 'now' | 'sleep'>

/** One process at a time counts or reserves in this folder of runs. Throws FETTLE_LOCKED after ten seconds. */
export async function withSpendingLock<T>(runsDir: string, clock: LockClock, body: () => T | Promise<T>): Promise<T> {
  makeFolder(join(runsDir, 'locks'))
  // Others wait for the lock: journals are read before it is taken.
  await settleSpending(runsDir)
  return withFolderLock(runsDir, '.spending', clock, body)
}

/** One process at a time removes in this folder of runs; runs start and count meanwhile. Throws FETTLE_LOCKED after ten seconds. */
export const withRemovalLock = <T>(runsDir: string, clock: LockClock, body: () => T | Promise<T>): Promise<T> =>
  withFolderLock(runsDir, '.removal', clock, body)

async function withFolderLock<T>(runsDir: string, name: string, clock: LockClock, body: () => T | Promise<T>): Promise<T> {
  const path = join(runsDir, 'locks', name)
  makeFolder(join(runsDir, 'locks'))
  for (let attempt = 1; ; attempt++) {
    let lock: Lock
    try {
      lock = takeLock(path, clock.now.bind(clock))
    } catch (error) {
      if (attempt === ATTEMPTS || !FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
      await clock.sleep(PAUSE_MS)
      continue
    }
    try {
      return await body()
    } finally {
      lock.release()
    }
  }
}

export interface MonthSpending {
  /** `2026-11`, in UTC. */
  readonly month: string
  /** Of finished runs, and what unfinished ones may still come to. */
  readonly credits: number
}

/** What the runs of an account spent in the month of `now`. A run that cannot be read counts nothing: `unread` names it. */
export function spentInMonth(
  runsDir: string,
  identity: string,
  now: number,
  except?: string,
): MonthSpending & { readonly unread: readonly string[] } {
  const month = new Date(now).toISOString().slice(0, 7)
  const { runs, unread } = spendingOfRuns(runsDir)
  const ours = runs.filter(run => run.identity === identity && run.startedAt.startsWith(month) && run.runId !== except)
  return { month, credits: ours.reduce((sum, { reserved }) => sum + reserved, 0), unread }
}

/**
 * Throws FETTLE_BUDGET_MONTH when a run of the plan could exceed `budget.month`. Call it while holding the lock. `most`: of a list that is cut
 * into shards; `except`: the run, where it is reserved already.
 */
export function assertMonth(
  plan: Plan,
  runsDir: string,
  identity: string,
  now: number,
  { most = mostCredits(plan), except }: { readonly most?: number; readonly except?: string } = {},
): void {
  const limit = plan.budget.month
  if (limit === undefined || most === 0) return
  const { month, credits, unread } = spentInMonth(runsDir, identity, now, except)
  if (unread.length > 0)
    throw new FettleError(
      'FETTLE_BUDGET_MONTH',
      `what ${unread.join(', ')} spent cannot be read, so budget.month cannot be kept`,
      {
        hint: 'Restore or remove the run.',
        action: action('verify', unread[0]!),
      },
    )
  if (credits + most > limit)
    throw new FettleError(
      'FETTLE_BUDGET_MONTH',
      `${plan.name} could cost ${counted(most, 'credit')}, and ${credits} of the ${limit} of budget.month are spent or reserved in ${month}`,
    )
}

interface AccountSettings {
  readonly env: Env
  readonly credentials: () => Credentials
  readonly signal: AbortSignal
}

/** Throws FETTLE_BUDGET_ACCOUNT, and what a request throws: an account that cannot be read is no permission. */
export async function assertAccount(
  plan: Plan,
  { credentials, env, signal }: AccountSettings,
  most = mostCredits(plan),
): Promise<void> {
  if (plan.budget.account === undefined || plan.service.kind === 'embedded') return
  if (most === 0) return
  const found = await readAccount({ service: plan.service, credentials: credentials(), proxies: proxiesOf(env), signal })
  if (found !== null && found.left >= most) return
  throw new FettleError('FETTLE_BUDGET_ACCOUNT', `${plan.name} could need ${counted(most, 'credit')}: ${accountWords(found)}`)
}
