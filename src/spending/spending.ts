/**
 * What the runs of a folder spend. `spending.jsonl` has a line before the first request of a run that may cost something, and a line when
 * the run has ended; the last line of a run counts. A run without a line counts by its journal, a removed one by its record. Readers
 * never write the file.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { accountWords, readAccount } from '../account/account.ts'
import { counted } from '../counted.ts'
import { type Credentials, type Env, findProxies } from '../env/environment.ts'
import { serviceOf } from '../env/identity.ts'
import { action, FettleError } from '../errors.ts'
import { appendLine } from '../files/durable.ts'
import { readKeptText } from '../files/kept-files.ts'
import { journalHead, type RunState } from '../journal/index.ts'
import { type KnownSearches, type Plan, wholePlan } from '../pipeline/index.ts'
import { QUEUE_FILE } from '../results/file-names.ts'
import { type LockClock, withFolderLock } from '../runs/folder-lock.ts'
import { prunedRuns, type RunSpending } from '../runs/pruned-runs.ts'
import { reportRun } from '../runs/report-files.ts'
import { listRunIds, parseRunId, readRun, runDirectory } from '../runs/run-directory.ts'

/**
 * The most that a run of the plan may cost: rows to enrich, questions for candidates, searches, runs of a decision tree. Tags of accepted companies come on
 * top, and searches for directors without screen.budget.
 */
export function mostCredits(plan: Plan): number {
  const { service, enrich, sent, rows, budget, screen, known } = plan
  if (service.kind === 'embedded' || isToBeChosen(plan)) return 0
  const enriched = enrich === null ? 0 : Math.min(sent, budget.credits ?? sent)
  const searched = rows - provenSearches(known?.searches)
  // How many directors the companies have is not known before they are found.
  const most = screen?.people === undefined ? searched : Number.POSITIVE_INFINITY
  const screened = screen == null ? 0 : Math.min(most, screen.budget ?? searched)
  return enriched + mostQuestions(plan) + screened + mostTreeRuns(plan)
}

/** AML searches of earlier runs that are not made again. */
export const provenSearches = ({ screen, unproven = 0 }: Partial<KnownSearches> = {}): number => (screen ?? 0) - unproven

/** The most runs of a decision tree that a run of the plan may pay. */
export const mostTreeRuns = ({ tree, rows, skipped = 0 }: Plan): number =>
  tree === undefined ? 0 : Math.min(rows - skipped, tree.budget ?? rows)

/** The most questions for candidates that a run of the plan may pay. Rows with an earlier answer are asked about as well. */
export function mostQuestions(plan: Plan): number {
  const { candidates, known } = plan
  if (candidates == null) return 0
  const unknown = wholePlan(plan).sent - (known?.searches?.candidates ?? 0)
  return Math.min(candidates.limit, candidates.budget ?? candidates.limit, unknown)
}

/** With `reuse`, nothing is sent before the rows are chosen that are sent; budgets are checked then. */
const isToBeChosen = ({ reuse, known, merged }: Plan): boolean => reuse != null && known === undefined && merged === undefined

export function countSpending(runsDir: string, state: RunState, prunedAt: string | null = null): RunSpending {
  const directory = runDirectory(runsDir, state.runId)
  const { plan, jobs, http } = state
  const credits =
    reportRun(state, { directory, head: null, now: Date.parse(state.updatedAt), previous: null }).results[0]?.credits ?? null
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
    shards: state.shardRuns.length === 0 ? undefined : state.shardRuns,
    outputs: prunedAt === null ? undefined : state.outputs,
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

/** A line of spending.jsonl. */
interface Line {
  /** When the run started: its month counts. */
  readonly at: string
  readonly account: string
  readonly run: string
  /** Until the run has ended, the most that it may come to; then what it cost, or may have cost where that is not known. */
  readonly credits: number
  readonly state: 'reserved' | 'settled'
  /** Of a merge: the runs of its shards, which spent it. */
  readonly shards?: readonly string[]
}

/** A line, as `lineOf` makes it. A schema takes three times as long, and each run reads the lines of all runs. */
const LINE =
  /^\{"at":"\d{4}-\d\d-\d\dT[\d:.]+Z","account":"[^"\\\p{Cc}]*","run":"[\w.-]+","credits":(?:0|[1-9]\d*),"state":"(?:reserved|settled)"(?:,"shards":\["[\w.",-]+"\])?\}$/u

const spendingPath = (runsDir: string): string => join(runsDir, 'spending.jsonl')

/** The last line of each run. What follows the last line end was torn by a kill, and its run is not reserved. Throws FETTLE_JOURNAL_DAMAGED. */
function readLines(runsDir: string): Map<string, Line> {
  const path = spendingPath(runsDir)
  const lines = (readKeptText(path) ?? '').split('\n').slice(0, -1)
  return new Map(
    lines.map((text, number) => {
      const line = parseLine(text)
      if (line === null)
        throw new FettleError('FETTLE_JOURNAL_DAMAGED', 'the record of what runs spent is damaged', {
          at: { file: path, line: number + 1, column: null },
          hint: 'Restore the file from a backup, or remove the line: its run then counts by its journal.',
        })
      return [line.run, line]
    }),
  )
}

function parseLine(text: string): Line | null {
  try {
    return LINE.test(text) ? (JSON.parse(text) as Line) : null
  } catch {
    return null
  }
}

const lineOf = ({ startedAt, identity, runId, reserved, finished, shards }: RunSpending): Line => ({
  ...{ at: startedAt, account: identity, run: runId, credits: reserved, state: finished ? 'settled' : 'reserved' },
  shards: shards && [...shards],
})

/** Of a run whose folder a user removed: its line is all that is known. */
const removedByHand = ({ run, at, account, credits, state }: Line): RunSpending => ({
  ...{ runId: run, pipeline: parseRunId(run)?.pipeline ?? run, service: serviceOf(account), identity: account },
  ...{ startedAt: at, endedAt: null, status: 'removed', finished: state === 'settled', rows: 0, sent: 0 },
  ...{ credits: state === 'settled' ? credits : null, reserved: credits, requests: 0, jobs: [], journal: null, prunedAt: null },
})

/** Either the shards of a merge or the merge: workers of other machines keep the runs of theirs. */
function countOnce(runs: Map<string, { readonly shards?: readonly string[] | undefined }>): void {
  for (const [run, { shards }] of [...runs]) {
    if (shards === undefined) continue
    if (shards.every(id => runs.has(id))) runs.delete(run)
    else for (const id of shards) runs.delete(id)
  }
}

/** The runs here and those removed, but for `known`; `unread` are runs whose journal cannot be read. */
function readRuns(runsDir: string, known: ReadonlyMap<string, unknown>) {
  const runs = new Map<string, RunSpending>()
  const unread: string[] = []
  for (const id of listRunIds(runsDir).filter(run => !known.has(run))) {
    try {
      runs.set(id, queuedSpending(runsDir, id) ?? countSpending(runsDir, readRun(runsDir, id)))
    } catch (error) {
      // A run without any record sent nothing.
      const isEmpty = FettleError.is(error) && (error.code === 'FETTLE_RUN_EMPTY' || error.code === 'FETTLE_RUN_UNKNOWN')
      if (!isEmpty) unread.push(id)
    }
  }
  // Read last: the record of a removed run is written before the run is removed.
  for (const run of prunedRuns(runsDir)) if (!known.has(run.runId)) runs.set(run.runId, run)
  // What is left of a run whose removal was interrupted needs no journal.
  return { runs, unread: unread.filter(id => !runs.has(id)) }
}

/** What every run spent, oldest first, also those removed; `unread` are runs whose journal cannot be read. A merge and its shards count once. */
export function spendingOfRuns(runsDir: string): { readonly runs: readonly RunSpending[]; readonly unread: readonly string[] } {
  const { runs, unread } = readRuns(runsDir, new Map())
  for (const line of readLines(runsDir).values())
    if (!runs.has(line.run) && !unread.includes(line.run)) runs.set(line.run, removedByHand(line))
  countOnce(runs)
  return { runs: [...runs.values()].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)), unread }
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
  const lines = readLines(runsDir)
  const { runs, unread } = readRuns(runsDir, lines)
  for (const [id, run] of runs) lines.set(id, lineOf(run))
  countOnce(lines)
  const ours = [...lines.values()].filter(
    ({ account, at, run }) => account === identity && at.startsWith(month) && run !== except,
  )
  return { month, credits: ours.reduce((sum, { credits }) => sum + credits, 0), unread }
}

/** What is reserved for a run, or for a list in a queue. */
interface Reservation {
  readonly runsDir: string
  readonly identity: string
  readonly clock: LockClock
  /** Of a list that is cut into shards; of the plan if absent. */
  readonly most?: number
  /** The run, where it has started already. */
  readonly runId?: string
}

/**
 * Reserves what a run of the plan may cost. `begin` records the run, which its line follows under the same lock: no other run can use the
 * same rest of the month. Throws FETTLE_BUDGET_MONTH, FETTLE_LOCKED, FETTLE_OUTPUT_WRITE, FETTLE_JOURNAL_DAMAGED, and what `begin` throws.
 */
export async function reserveCredits<T>(
  plan: Plan,
  reservation: Reservation,
  begin: () => T | Promise<T>,
  runOf: (started: T) => Pick<RunState, 'runId' | 'startedAt'>,
): Promise<T> {
  const { runsDir, identity, clock, most = mostCredits(plan) } = reservation
  if (most === 0) return begin()
  return withSpendingLock(runsDir, clock, async () => {
    assertMonth(plan, most, reservation)
    const started = await begin()
    const { runId, startedAt } = runOf(started)
    append(runsDir, { at: startedAt, account: identity, run: runId, credits: most, state: 'reserved' })
    return started
  })
}

/**
 * Records what a run has cost once it has ended. A run that stopped keeps what is reserved: the same command continues it. `more`: what
 * may be added to it now.
 */
export async function settleCredits(runsDir: string, state: RunState, clock: LockClock, more = 0): Promise<void> {
  if (!state.finished) return
  const line = lineOf(countSpending(runsDir, state))
  const now: Line = more === 0 ? line : { ...line, credits: line.credits + more, state: 'reserved' }
  await withSpendingLock(runsDir, clock, () => append(runsDir, now))
}

const withSpendingLock = <T>(runsDir: string, clock: LockClock, body: () => T | Promise<T>): Promise<T> =>
  withFolderLock(runsDir, '.spending', clock, body)

const append = (runsDir: string, line: Line): void => appendLine(spendingPath(runsDir), JSON.stringify(line))

/** A run whose cost is not known is not a permission. */
function assertMonth(plan: Plan, most: number, { runsDir, identity, clock, runId }: Reservation): void {
  const limit = plan.budget.month
  if (limit === undefined) return
  const { month, credits, unread } = spentInMonth(runsDir, identity, clock.now(), runId)
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

/** Throws FETTLE_BUDGET_ACCOUNT, and what a request throws: an account that cannot be read is not a permission. */
export async function assertAccount(
  plan: Plan,
  { credentials, env, signal }: AccountSettings,
  most = mostCredits(plan),
): Promise<void> {
  if (plan.budget.account === undefined || plan.service.kind === 'embedded') return
  if (most === 0) return
  const found = await readAccount({ service: plan.service, credentials: credentials(), proxies: findProxies(env), signal })
  if (found !== null && found.left >= most) return
  throw new FettleError('FETTLE_BUDGET_ACCOUNT', `${plan.name} could need ${counted(most, 'credit')}: ${accountWords(found)}`)
}

/** Throws FETTLE_INPUT_BUDGET when more rows would be sent than `budget.rows` allows. */
export function checkRowBudget({ budget }: Plan, sent: number): void {
  if (budget.rows === null || sent <= budget.rows) return
  throw new FettleError('FETTLE_INPUT_BUDGET', `${counted(sent, 'row')} would be sent, budget.rows allows ${budget.rows}`)
}
