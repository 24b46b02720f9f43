/** Chooses the rows of a run that go up. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError, type Issue, issue } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { KNOWN_BITS_FILE } from '../../input/upload/known-rows.ts'
import type { RunState } from '../../journal/index.ts'
import { type Plan, wholePlan } from '../../pipeline/index.ts'
import { creditsPaid, isPaid, mayBePaid, receivePaid } from '../../run/index.ts'
import { type Claim, claimQuestions, type HeldClaim, resumeClaim } from '../answers/claims.ts'
import { answersFolder, refreshOf } from '../answers/folder.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { type Choice, checkRowBudget, chooseKnownRows, keyIssues } from '../prepare/reuse.ts'
import { changedCompaniesOf } from '../runs/event-store.ts'
import { type RunDirectory, readRun } from '../runs/run-directory.ts'
import { assertAccount, assertMonth, mostCredits, withSpendingLock } from '../runs/spending.ts'
import type { StorageOptions } from '../staging/remote-files.ts'
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
  { storage, connect, ...limits }: Choosing,
): Promise<HeldClaim | null> {
  const { state } = record
  if (state === null) return null
  const { plan, runId, args, startedAt, resumedAt } = state
  // The rows of a merge were chosen for its shards.
  if (plan.reuse == null || plan.merged !== undefined) return null
  if (settings.chosen !== undefined) {
    const path = join(directory.path, KNOWN_BITS_FILE)
    if (!existsSync(path)) await writeAtomic(path, settings.chosen.bytes)
    if (plan.known === undefined) record.append(settings.chosen.event)
    return null
  }
  const { clock } = settings.world ?? DEFAULT_RUNTIME
  const { signal, observers } = settings
  const note = (text: string): void => observers?.emit('onNote', text)
  const waiting = { clock, signal, onWait: note }
  const folder = answersFolder(settings, args)
  const hasJobs = plan.known !== undefined && hasOpenJobs(state, directory)
  if (plan.known !== undefined && !hasJobs && !isBeforeRequests(state)) return resumeClaim(folder, runId, waiting)
  const isPartlyPaid = hasJobs && state.jobs.some(isPaid)
  const readable = wholePlan(await readablePlan(plan, directory, storage))
  const usual = {
    ...{ ...settings, changedCompanies: changedCompaniesOf(directory, state), refresh: refreshOf(settings, args) },
    ...(resumedAt.length === 0 ? {} : { askedSince: Date.parse(startedAt) }),
  }
  const sentBefore = hasJobs ? await openRows(state, directory) : null
  if (isPartlyPaid && sentBefore === null) return resumeClaim(folder, runId, waiting)
  let mayChoose = sentBefore === null
  /** `choice`: null where the run keeps its jobs. */
  const choose = () => {
    const look = async (claim: Claim) => {
      const run = { ...state, startedAt: new Date(clock.now()).toISOString() }
      const all = { ...usual, claim }
      const open = sentBefore && (await openRows(state, directory))
      const answered = open && (await chooseKnownRows(readable, run, null, { ...all, sentBefore: open })).counts.known
      const isSame = answered === 0
      const choice = isSame || !mayChoose ? null : await chooseKnownRows(readable, run, directory, all)
      return { choice, isSame, askedBefore: claim.askedBefore }
    }
    // Until its answers are stored, what it has paid stays named.
    return claimQuestions(folder, runId, waiting, look, !isPartlyPaid || mayChoose)
  }
  let { chosen, held } = await choose()
  const fetched = new Map<string, Fetched>()
  /** Credits of its jobs that are paid. */
  let paid: number | null = 0
  for (;;) {
    const unfetched = [...chosen.askedBefore.keys()].filter(id => !fetched.has(id) && isFetchable(settings.runsDir, id))
    if (unfetched.length === 0 && (chosen.isSame || mayChoose)) break
    if (unfetched.length === 0) {
      try {
        if (await hasPaidThere(state, connect)) return held
        if (isPartlyPaid) {
          paid = await receiveOwn(record, connect)
          await storePaid(record.state ?? state, directory, { settings, folder })
        }
      } catch (error) {
        await held.release(false)
        throw error
      }
      mayChoose = true
    }
    await held.release(unfetched.length > 0 && !isPartlyPaid)
    for (const id of unfetched) fetched.set(id, await fetchPaid(id, { ...limits, plan, settings, storage, folder }))
    ;({ chosen, held } = await choose())
  }
  try {
    if (chosen.choice !== null) {
      const event = {
        ...chosenEventOf(chosen.choice),
        ...(hasJobs ? { jobName: nextJobName(state) } : {}),
        ...(isPartlyPaid ? { paid } : {}),
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
          assertMonth(sent, settings.runsDir, state.identity, clock.now(), { most: most === 0 ? 0 : most + own, except: runId })
          reserve()
        })
      if (chosen.choice.lacksFacts)
        note(`the answers of other pipelines depend on their lists, and are not used in the first night of ${plan.name}`)
      if (hasJobs)
        note('other runs answered some of its questions meanwhile: its rows are chosen again, and its unpaid jobs are left')
    }
    const found = [
      ...[...fetched].flatMap(([id, result]) => ('answers' in result ? [wasFetched(id, result.answers)] : [])),
      ...askedBefore(settings.runsDir, chosen.askedBefore, fetched),
      ...keyIssues(chosen.choice?.unknownKeys ?? []),
    ]
    const known = new Set(record.state?.issues.map(({ message }) => message))
    for (const issue of found) if (!known.has(issue.message)) record.append({ type: 'issue.raised', issue })
    return held
  } catch (error) {
    await held.release(!isPartlyPaid || mayChoose)
    throw error
  }
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

const wasFetched = (runId: string, answers: number): Issue =>
  issue('FETTLE_ANSWERS_FETCHED', `${counted(answers, 'answer')} that the run ${runId} had paid: fetched from its jobs`, {
    severity: 'info',
  })

/** A warning for each run that may have paid for questions that are asked again: how many, and why its answers are not known. */
export function askedBefore(
  runsDir: string,
  questions: ReadonlyMap<string, number>,
  fetched: ReadonlyMap<string, Fetched> = new Map(),
): Issue[] {
  return [...questions].flatMap(([runId, count]) => {
    const result = fetched.get(runId)
    // What it has paid is known now, and of the rest it chooses again.
    if ((result !== undefined && 'answers' in result) || !mayHaveAsked(runsDir, runId)) return []
    const why = result !== undefined && 'why' in result ? result.why : null
    const message = `${counted(count, 'question')} may be paid twice: the unfinished run ${runId} asked ${count === 1 ? 'it' : 'them'} before`
    const more = why === null ? '' : `, and its answers cannot be fetched: ${why}`
    return [issue('FETTLE_ASKED_BEFORE', `${message}${more}`, { severity: 'warn' })]
  })
}

/**
 * Whether an unfinished run pays, or has paid, for its rows; a run of another folder, and a list in a queue, may have. Until it pays, a
 * run chooses its rows again where others have answered some of them.
 */
function mayHaveAsked(runsDir: string, runId: string): boolean {
  try {
    const { finished, plan, jobs } = readRun(runsDir, runId)
    return (!finished || plan.shard !== undefined) && jobs.some(({ enrichRequested }) => enrichRequested)
  } catch {
    return true
  }
}

/** Whether rows go up, and no request about them was made yet. */
const isBeforeRequests = ({ jobs }: RunState): boolean => jobs.length > 0 && jobs.every(({ requested }) => !requested)
