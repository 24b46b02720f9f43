/** Chooses the rows of a run that go up. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { KNOWN_BITS_FILE } from '../../input/upload/known-rows.ts'
import type { RunState } from '../../journal/index.ts'
import { type Plan, wholePlan } from '../../pipeline/index.ts'
import { creditsPaid, isPaid, mayBePaid, receivePaid } from '../../run/index.ts'
import { type Claim, claimQuestions, type HeldClaim, resumeClaim, type Waiting } from '../answers/claims.ts'
import { answersFolder, refreshOf } from '../answers/folder.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { type Choice, checkRowBudget, chooseKnownRows, keyIssues } from '../prepare/reuse.ts'
import { changedCompaniesOf } from '../runs/event-store.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { assertAccount, assertMonth, mostCredits, withSpendingLock } from '../runs/spending.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
import { askedBefore, wasFetched } from './paid/asked-before.ts'
import { type Fetched, type Fetching, fetchPaid, isFetchable, storePaid } from './paid/fetch-paid.ts'
import { hasOpenJobs, isOpen, nextJobName, openRows } from './paid/unpaid-jobs.ts'
import { readablePlan } from './ports.ts'
import type { RunConnection } from './run-connection.ts'
import type { RunRecord } from './run-recorder.ts'
import type { ChosenEvent, RunSettings } from './run-settings.ts'

/** Limits of the pipeline, which another attempt would reach again. */
export const isRefusal = (error: unknown): error is FettleError =>
  FettleError.is(error) && (error.code === 'FETTLE_BUDGET_MONTH' || error.code === 'FETTLE_BUDGET_ACCOUNT')

export const chosenEventOf = ({ counts, parts, answers, bits, list, searches }: Choice): ChosenEvent => ({
  ...{ type: 'reuse.chosen', counts, sent: counts.sent, parts, ...(list ?? { inRegister: null }) },
  ...{ answers: answers ?? '', bits: bits ?? '' },
  ...(searches === null ? {} : { searches }),
})

/** A plan once its rows are chosen, as its journal has it. */
export const chosenPlan = (plan: Plan, { counts, sent, parts, answers, bits, searches, credits }: ChosenEvent): Plan => ({
  ...plan,
  ...{ sent, parts },
  budget: credits === undefined ? plan.budget : { ...plan.budget, credits },
  known: { sent: plan.sent, parts: plan.parts, rows: counts.known, answers, bits, ...(searches && { searches }) },
})

/** What the run that chooses its rows is about. */
export interface Choosing extends Pick<Fetching, 'guard' | 'grace' | 'left'> {
  readonly storage: StorageOptions
  /** Opens the service. */
  readonly connect: () => Promise<RunConnection>
}

/**
 * The rows that go up are chosen before the first request, and not again: neither time nor other runs change them. Only a run that
 * was stopped before it paid for all of them chooses again, with other jobs, where another one has answered some of its questions
 * meanwhile: the answers that it has paid are stored first. So does one that was stopped before its first request. Returns the claim on
 * the questions, which the caller releases; null without one.
 */
export async function chooseRowsOnce(
  record: RunRecord,
  directory: RunDirectory,
  settings: RunSettings,
  choosing: Choosing,
): Promise<HeldClaim | null> {
  const { state } = record
  // The rows of a merge were chosen for its shards.
  if (state === null || state.plan.reuse == null || state.plan.merged !== undefined) return null
  if (settings.chosen !== undefined) {
    await takeChoice(settings.chosen, record, directory)
    return null
  }
  const note = (text: string): void => settings.observers?.emit('onNote', text)
  const waiting = { clock: (settings.world ?? DEFAULT_RUNTIME).clock, signal: settings.signal, onWait: note }
  const folder = answersFolder(settings, state.args)
  const before = await choiceBefore(state, directory)
  if (before === null) return resumeClaim(folder, state.runId, waiting)
  const work: Work = { record, state, directory, settings, choosing, folder, waiting, note, before }
  const settled = await settle(work)
  const { held, mayChoose } = settled
  try {
    if (settled.looked !== null) {
      if (settled.looked.choice !== null) await recordChoice(settled.looked.choice, work, settled.paid)
      raiseIssues(settled.looked, work, settled.fetched)
    }
    return held
  } catch (error) {
    await held.release(!before.isPartlyPaid || mayChoose)
    throw error
  }
}

/** Rows that were chosen for the run elsewhere, with the whole list. */
async function takeChoice({ event, bytes }: Given, record: RunRecord, directory: RunDirectory): Promise<void> {
  const path = join(directory.path, KNOWN_BITS_FILE)
  if (!existsSync(path)) await writeAtomic(path, bytes)
  if (record.state?.plan.known === undefined) record.append(event)
}

type Given = NonNullable<RunSettings['chosen']>

/** What a run that was stopped has of its earlier choice. */
interface ChoiceBefore {
  /** Its jobs were requested, and are not all paid. */
  readonly hasJobs: boolean
  readonly isPartlyPaid: boolean
  /** The rows that are not paid; null where all are chosen in any case. */
  readonly sent: Awaited<ReturnType<typeof openRows>>
}

const NO_CHOICE: ChoiceBefore = { hasJobs: false, isPartlyPaid: false, sent: null }

/** Null where the choice stands. */
async function choiceBefore(state: RunState, directory: RunDirectory): Promise<ChoiceBefore | null> {
  if (state.plan.known === undefined) return NO_CHOICE
  if (!hasOpenJobs(state, directory)) return isBeforeRequests(state) ? NO_CHOICE : null
  const isPartlyPaid = state.jobs.some(isPaid)
  const sent = await openRows(state, directory)
  return isPartlyPaid && sent === null ? null : { hasJobs: true, isPartlyPaid, sent }
}

interface Work {
  readonly record: RunRecord
  readonly state: RunState
  readonly directory: RunDirectory
  readonly settings: RunSettings
  readonly choosing: Choosing
  readonly folder: string
  readonly waiting: Waiting
  readonly note: (text: string) => void
  readonly before: ChoiceBefore
}

/** What a look at the answers found. */
interface Looked {
  /** Null where the run keeps its jobs, or must not choose yet. */
  readonly choice: Choice | null
  /** No other run has answered a question that is not paid. */
  readonly isSame: boolean
  readonly askedBefore: ReadonlyMap<string, number>
}

/** Returns a function that looks which questions have an answer, and chooses if it may. `mayChoose`: what the run has paid is stored. */
async function looker({ state, directory, settings, choosing, folder, waiting, before }: Work) {
  const { plan, runId, args, startedAt, resumedAt } = state
  const readable = wholePlan(await readablePlan(plan, directory, choosing.storage))
  const usual = {
    ...{ ...settings, changedCompanies: changedCompaniesOf(directory, state), refresh: refreshOf(settings, args) },
    ...(resumedAt.length === 0 ? {} : { askedSince: Date.parse(startedAt) }),
  }
  return (mayChoose: boolean): Promise<{ readonly chosen: Looked; readonly held: HeldClaim }> => {
    const look = async (claim: Claim): Promise<Looked> => {
      const run = { ...state, startedAt: new Date(waiting.clock.now()).toISOString() }
      const all = { ...usual, claim }
      const open = before.sent && (await openRows(state, directory))
      const answered = open && (await chooseKnownRows(readable, run, null, { ...all, sentBefore: open })).counts.known
      const isSame = answered === 0
      const choice = isSame || !mayChoose ? null : await chooseKnownRows(readable, run, directory, all)
      claim.choice = (isSame ? plan.known?.bits : choice?.bits) ?? ''
      return { choice, isSame, askedBefore: claim.askedBefore }
    }
    // Until its answers are stored, what it has paid stays named.
    return claimQuestions(folder, runId, waiting, look, !before.isPartlyPaid || mayChoose)
  }
}

interface Settled {
  readonly held: HeldClaim
  /**
   * Null where the run keeps its jobs: the service has a paid job that the journal does not name, or nothing proves its answers
   * without the list.
   */
  readonly looked: Looked | null
  readonly mayChoose: boolean
  /** By the runs that asked some of the questions before. */
  readonly fetched: ReadonlyMap<string, Fetched>
  /** Credits of the jobs that are paid; null where the service gave no counts. */
  readonly paid: number | null
}

/** Looks until nothing is left to fetch from other runs, and what the run itself has paid is stored before it chooses again. */
async function settle(work: Work): Promise<Settled> {
  const { record, state, directory, settings, choosing, folder, before } = work
  const { storage, connect, ...limits } = choosing
  const lookAgain = await looker(work)
  let mayChoose = before.sent === null
  let { chosen, held } = await lookAgain(mayChoose)
  const fetched = new Map<string, Fetched>()
  let paid: number | null = 0
  for (;;) {
    const unfetched = [...chosen.askedBefore.keys()].filter(id => !fetched.has(id) && isFetchable(settings.runsDir, id))
    if (unfetched.length === 0 && (chosen.isSame || mayChoose)) return { held, looked: chosen, mayChoose, fetched, paid }
    if (unfetched.length === 0) {
      try {
        if (await hasPaidThere(state, connect)) return { held, looked: null, mayChoose, fetched, paid }
        if (before.isPartlyPaid) {
          paid = await receiveOwn(record, connect)
          const { refusal } = await storePaid(record.state ?? state, directory, { settings, folder })
          if (refusal !== null) return { held, looked: null, mayChoose, fetched, paid }
        }
      } catch (error) {
        await held.release(false)
        throw error
      }
      mayChoose = true
    }
    await held.release(unfetched.length > 0 && !before.isPartlyPaid)
    for (const id of unfetched) fetched.set(id, await fetchPaid(id, { ...limits, plan: state.plan, settings, storage, folder }))
    ;({ chosen, held } = await lookAgain(mayChoose))
  }
}

/** Holds the choice to the budgets, and records it. `paid`: credits of jobs that the run leaves. */
async function recordChoice(choice: Choice, work: Work, paid: number | null): Promise<void> {
  const { record, state, settings, waiting, note, before } = work
  const { clock } = waiting
  const { plan, runId } = state
  const event = {
    ...chosenEventOf(choice),
    ...(before.hasJobs ? { jobName: nextJobName(state) } : {}),
    ...(before.isPartlyPaid ? { paid } : {}),
  }
  checkRowBudget(plan, event.sent)
  const sent = chosenPlan(wholePlan(plan), event)
  await assertAccount(sent, settings)
  const reserve = (): void => void record.append(event)
  if (plan.budget.month === undefined) reserve()
  // What is recorded is reserved: another run cannot use the same rest.
  else
    await withSpendingLock(settings.runsDir, clock, () => {
      const most = mostCredits(sent)
      const own = (state.reuse?.paid ?? 0) + (paid ?? 0)
      const needed = { most: most === 0 ? 0 : most + own, except: runId }
      assertMonth(sent, settings.runsDir, state.identity, clock.now(), needed)
      reserve()
    })
  if (choice.lacksFacts)
    note(`the answers of other pipelines depend on their lists, and are not used in the first night of ${plan.name}`)
  if (before.hasJobs)
    note('other runs answered some of its questions meanwhile: its rows are chosen again, and its unpaid jobs are left')
}

/** Records each note and warning once, however often the run is resumed. */
function raiseIssues({ choice, askedBefore: asked }: Looked, { record, settings }: Work, fetched: Settled['fetched']): void {
  const found = [
    ...[...fetched].flatMap(([id, result]) => ('answers' in result ? [wasFetched(id, result.answers)] : [])),
    ...askedBefore(settings.runsDir, asked, fetched),
    ...keyIssues(choice?.unknownKeys ?? []),
  ]
  const known = new Set(record.state?.issues.map(({ message }) => message))
  for (const issue of found) if (!known.has(issue.message)) record.append({ type: 'issue.raised', issue })
}

/** The embedded service is free, and its jobs are in the run directory. */
async function hasPaidThere({ plan, jobs }: RunState, connect: Choosing['connect']): Promise<boolean> {
  if (plan.service.kind === 'embedded') return false
  const connection = await connect()
  try {
    return await mayBePaid(jobs.filter(isOpen), connection.ports)
  } finally {
    await connection.close().catch(() => {})
  }
}

/** Receives what the jobs of the run have paid. Returns its credits; null where the service gave no counts. */
async function receiveOwn(record: RunRecord, connect: Choosing['connect']): Promise<number | null> {
  const connection = await connect()
  try {
    await receivePaid({ recorder: record, ports: connection.ports })
  } finally {
    await connection.close().catch(() => {})
  }
  try {
    return record.state === null ? null : creditsPaid(record.state)
  } catch {
    return null
  }
}

/** Whether rows go up, and no request about them was made yet. */
const isBeforeRequests = ({ jobs }: RunState): boolean => jobs.length > 0 && jobs.every(({ requested }) => !requested)
