/** The choice of a run: which of its rows are sent. It is made once, before the first request. */
import { existsSync } from 'node:fs'
import { counted } from '../counted.ts'
import { action, FettleError, type Issue, issue } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import type { HeldLock } from '../files/process-lock.ts'
import { chosenPlan, type RunArgs, type RunState } from '../journal/index.ts'
import { wholePlan } from '../pipeline/index.ts'
import type { AskedKeys, Waiting } from '../reuse/answer-folder.ts'
import { type Chosen, chooseAndAsk, isRow, keyIssues, verdictOf } from '../reuse/choose.ts'
import { choicePath, readChoice } from '../reuse/files/choice.ts'
import { answersFolder, foldersOfRun, NO_REFRESH, type Refresh, type ReuseSettings } from '../reuse/settings.ts'
import { isUnpaid } from '../run/index.ts'
import { readChangedCompanies } from '../runs/event-store.ts'
import { type RunDirectory, readRun, runDirectory } from '../runs/run-directory.ts'
import { readRowsBefore } from '../runs/run-queries.ts'
import { assertAccount, checkRowBudget, reserveCredits } from '../spending/spending.ts'
import { readablePlan } from './ports.ts'
import { settleEarlierRuns } from './receive-paid.ts'
import type { Attempt, ChosenEvent, QueuedShard, RunSettings } from './run-settings.ts'

/** Limits of the pipeline, which another attempt would reach again. */
export const isRefusal = (error: unknown): error is FettleError =>
  FettleError.is(error) && (error.code === 'FETTLE_BUDGET_MONTH' || error.code === 'FETTLE_BUDGET_ACCOUNT')

export const chosenEvent = ({ counts, parts, choice, fit, searches }: Chosen): ChosenEvent => ({
  ...{ type: 'reuse.chosen', counts, sent: counts.sent, parts, choice },
  fit: fit ?? undefined,
  searches: searches ?? undefined,
})

const usesReuse = ({ plan }: Pick<RunState, 'plan'>): boolean => plan.reuse != null && plan.merged === undefined

export const makeWaiting = (settings: Pick<RunSettings, 'runtime' | 'signal' | 'observers'>): Waiting => ({
  clock: settings.runtime.clock,
  signal: settings.signal,
  onWait: text => settings.observers?.emit('onNote', text),
})

/** Chooses the rows of a run that has not done so. Returns the lock on what it asks, which the caller releases; null without one. */
export async function chooseRowsOnce(attempt: Attempt): Promise<HeldLock | null> {
  const { record, directory, settings, waiting, storage } = attempt
  const { state } = record
  // The rows of a merge were chosen for its shards.
  if (!usesReuse(state) || state.plan.known !== undefined) return null
  const chosenBefore = settings.queued?.chosen
  if (chosenBefore !== undefined) {
    await takeChoice(chosenBefore, attempt)
    return null
  }
  const earlier = await settleEarlierRuns(attempt)
  const readable = wholePlan(await readablePlan(state.plan, directory, storage))
  const all = {
    ...settings,
    changedCompanies: readChangedCompanies(directory, state),
    refresh: readRefresh(settings, state.args),
    rowsBefore: await readRowsBefore(readable, state, settings.runsDir),
  }
  const { folder, chosen, held } = await chooseAndAsk([{ plan: readable, workDir: directory.path }], state, all, waiting)
  try {
    const choice = chosen[0]!
    const issues = [
      ...earlier.issues,
      ...askedBefore(settings.runsDir, choice.askedBefore, earlier.refused),
      ...keyIssues(choice.unknownKeys),
    ]
    await recordChoice(choice, issues, attempt)
    // What is given up is named once.
    await earlier.giveUp()
    return held
  } catch (error) {
    await folder.settle([state.runId])
    held.release()
    throw error
  }
}

/** Rows that were chosen for the run elsewhere, with the whole list. */
async function takeChoice({ event, bytes }: NonNullable<QueuedShard['chosen']>, { record, directory }: Attempt): Promise<void> {
  const path = choicePath(directory.path)
  if (!existsSync(path)) await writeAtomic(path, bytes)
  record.append(event)
}

/** Holds the choice to the budgets, and records it after its issues: a resume does not choose again, and would not name them. */
async function recordChoice(choice: Chosen, issues: readonly Issue[], { record, settings }: Attempt): Promise<void> {
  const { plan, identity, runId, issues: known } = record.state
  const event = chosenEvent(choice)
  checkRowBudget(plan, event.sent)
  const sent = chosenPlan(plan, event)
  await assertAccount(sent, settings)
  for (const issue of issues)
    if (!known.some(({ message }) => message === issue.message)) record.append({ type: 'issue.raised', issue })
  const { runsDir, runtime } = settings
  await reserveCredits(
    sent,
    { runsDir, identity, clock: runtime.clock, runId },
    () => record.append(event),
    state => state,
  )
}

/** A warning for each run that may have paid for rows that are asked again: how many, and why its answers are not known. */
export function askedBefore(
  runsDir: string,
  asked: ReadonlyMap<string, number>,
  refused: ReadonlyMap<string, string> = new Map(),
): Issue[] {
  return [...asked].flatMap(([runId, count]) => {
    if (!mayHaveAsked(runsDir, runId)) return []
    const why = refused.get(runId)
    const message = `${counted(count, 'row')} may be paid twice: the unfinished run ${runId} has asked ${count === 1 ? 'it' : 'them'} before`
    const more = why === undefined ? '' : `, and its answers cannot be used: ${why}`
    return [issue('FETTLE_ASKED_BEFORE', `${message}${more}`, { severity: 'warn' })]
  })
}

/** Whether a run without a process pays, or has paid, for its rows; a run of another folder, and a list in a queue, may have. */
function mayHaveAsked(runsDir: string, runId: string): boolean {
  try {
    return readRun(runsDir, runId).jobs.some(({ enrichRequested }) => enrichRequested !== null)
  } catch {
    return true
  }
}

/**
 * Takes the lock on what an unfinished run asks; null where it chooses its rows yet. Throws FETTLE_SUPERSEDED where another run has
 * answered or asked rows that it has not paid for: nothing is paid twice.
 */
export async function holdAsked(state: RunState, settings: RunSettings): Promise<HeldLock | null> {
  const { plan, runId, args, startedAt, reuse } = state
  if (!usesReuse(state) || plan.known === undefined || settings.queued?.chosen !== undefined || reuse?.isKept === true)
    return null
  const waiting = makeWaiting(settings)
  const now = (): number => waiting.clock.now()
  const { asked } = foldersOfRun(answersFolder(settings, args), state, now)
  const directory = runDirectory(settings.runsDir, runId)
  const refresh = readRefresh(settings, args)
  const isRefresh = refresh.all || refresh.outcomes.length > 0 || refresh.keys.length > 0
  const changedCompanies = readChangedCompanies(directory, state)
  const rules = { ages: plan.reuse!, now: now(), refresh: NO_REFRESH, changedCompanies }
  const askedBy = (key: Buffer, others: readonly AskedKeys[]): string | undefined =>
    others.find(other => other.keys.find(key) !== -1 && (other.isAtWork || mayHaveAsked(settings.runsDir, other.runId)))?.runId
  return asked.resume(runId, waiting, async others => {
    const keys = await unpaidKeys(state, directory)
    if (keys.length === 0) return
    const known = asked.open(plan.enrich?.tags ?? [], now())
    try {
      for (const key of keys) {
        const found = known.find(key)
        // With a refresh, an older answer was there when the run chose, and was not wanted.
        const isWanted = isRow(found) && (!isRefresh || Date.parse(found.source.at) >= Date.parse(startedAt))
        const answered = isWanted && verdictOf(found, null, rules) === 'known' ? found.source.run : undefined
        const other = answered ?? askedBy(key, others)
        if (other !== undefined && other !== runId) throw superseded(runId, other)
      }
    } finally {
      known.close()
    }
  })
}

/** The keys of the jobs that are not paid. */
async function unpaidKeys({ plan, jobs }: RunState, { path }: RunDirectory): Promise<readonly Buffer[]> {
  const open = plan.enrich === null ? [] : jobs.filter(isUnpaid)
  if (open.length === 0) return []
  const keys = readChoice(path, plan.known!.choice, choice => choice.keys())
  return open.flatMap(({ part }) => {
    const { from, rows } = plan.parts[part]!
    return keys.slice(from, from + rows)
  })
}

const superseded = (runId: string, other: string): FettleError =>
  new FettleError(
    'FETTLE_SUPERSEDED',
    `rows that the run ${runId} has not paid for were answered or asked by the run ${other} since`,
    {
      hint: 'Run the pipeline again: it uses what was paid, and sends the rest.',
      action: action('run', 'PIPELINE'),
    },
  )

/** Which rows are asked again: as the caller wants it now, else as recorded when the run began. */
function readRefresh({ refresh = NO_REFRESH }: ReuseSettings, args: RunArgs): Refresh {
  if (refresh.all || refresh.outcomes.length > 0 || refresh.keys.length > 0) return refresh
  const listOf = (name: string): readonly string[] => (Array.isArray(args[name]) ? args[name] : [])
  const outcomes = listOf('refresh-where').map(text => text.replace('outcome=', '') as Refresh['outcomes'][number])
  return { all: args.refresh === true, outcomes, keys: listOf('refresh-key') }
}
