/** Estimates that send nothing: of a run from the last good one, and of the match rate and credits of a list from a sample. */
import { realClock } from '../client/clock.ts'
import type { Credentials, Env } from '../env/environment.ts'
import { findIdentity } from '../env/identity.ts'
import type { RunKey } from '../env/run-key.ts'
import type { Issue } from '../errors.ts'
import { sentRows } from '../input/index.ts'
import { countRows } from '../input/upload/asked-rows.ts'
import type { ReuseCounts } from '../model/results.ts'
import { type Change, changesOf, type InputRef, isSameWork, leastRequests, type Plan } from '../pipeline/index.ts'
import { registersHere } from '../prepare/registers.ts'
import { isBusy } from '../reuse/answer-folder.ts'
import { type Chosen, keyIssues, prepareChoice } from '../reuse/choose.ts'
import type { ReuseSettings } from '../reuse/settings.ts'
import { finishedRunOfKey, readRowsBefore } from '../runs/run-queries.ts'
import { lastGoodRun, runToContinue } from '../runs/run-store.ts'
import { type ShareEstimate, shareInterval } from '../share-interval.ts'
import { mostCredits, mostQuestions, mostTreeRuns, provenSearches, spentInMonth } from './spending.ts'

/** A run before it is one; what cannot be known is null. */
export interface RunEstimate {
  readonly rows: number
  /** Empty rows, which are not sent. */
  readonly skipped: number
  readonly different: number | null
  readonly sent: number
  readonly jobs: number
  readonly requests: number
  /** The most that the run may cost, in all. */
  readonly most: number
  /** A credit for each row that is found: all that are sent at most; `expected` by the share of the last good run. */
  readonly credits: { readonly most: number; readonly expected: number | null; readonly budget: number | null }
  /** With `budget.month`: what the account's runs spent or reserved so far, and the most that this one may add; `spent` is null without credentials. */
  readonly month: { readonly limit: number; readonly month: string; readonly spent: number | null; readonly most: number } | null
  /** Companies that may be added to a portfolio, at most, and by the last good run; null for none. Each company counts once. */
  readonly portfolio: { readonly most: number; readonly expected: number | null } | null
  /** AML searches, one credit each; null for none. `most` is within the budget; `known` are those that an earlier run paid. */
  /** `oldest`: when the oldest of the known searches was made. */
  readonly screening:
    | (RunEstimate['credits'] & {
        readonly known: number | null
        readonly oldest: string | null
        /** Of the known, those that are made again where an entry of the lists changed that may concern them. */
        readonly unproven: number
        /** Searches for directors come on top; null where there are none. `expected`: by the last good run. */
        readonly directors: { readonly expected: number | null } | null
      })
    | null
  /** Questions for candidates, a credit each, at most; `known` are those that an earlier run paid. Null for none. */
  readonly candidates: { readonly most: number; readonly known: number | null } | null
  /** Runs of a decision tree of the service, a credit each, at most; null for none. */
  readonly tree: { readonly most: number; readonly budget: number | null } | null
  readonly against: { readonly runId: string; readonly startedAt: string; readonly changes: readonly Change[] } | null
  /** The unfinished run of this plan that `run` would resume. */
  readonly unfinished: string | null
  /** Rows with an earlier answer, and the others by reason; null without reuse, and without credentials. `sent` and `jobs` are then of those that are sent. */
  readonly reuse: ReuseCounts | null
  /** What the choice of rows warns of. */
  readonly issues: readonly Issue[]
  /** The run key, what it is from, and the finished run that `run` would report again; null without a key. */
  readonly runKey: (RunKey & { readonly finished: string | null }) | null
}

export interface EstimateContext extends ReuseSettings {
  readonly root: string
  readonly env: Env
  readonly credentials: () => Credentials
  readonly runKey: RunKey | null
}

async function chooseRows(plan: Plan, identity: string | null, { root, ...settings }: EstimateContext): Promise<Chosen | null> {
  if (plan.reuse == null || identity === null) return null
  const all = { ...settings, cwd: root, rowsBefore: await readRowsBefore(plan, { identity }, settings.runsDir) }
  const { choose } = await prepareChoice([{ plan, workDir: null }], { identity }, all, realClock.now)
  const chosen = await choose([])
  return isBusy(chosen) ? null : chosen[0]!
}

/** Estimates a run. Throws what reading the input or a damaged journal throws. */
export async function estimateRun(whole: Plan, { kind }: InputRef, context: EstimateContext): Promise<RunEstimate> {
  const { runsDir, root, credentials, runKey } = context
  const identity = findIdentity(whole.service, credentials)
  const chosen = kind === 'file' ? await chooseRows(whole, identity, context) : null
  const searches = chosen?.searches ?? undefined
  const known = { sent: whole.sent, parts: whole.parts, rows: 0, choice: '', searches }
  const plan = chosen === null ? whole : { ...whole, sent: chosen.counts.sent, parts: chosen.parts, known }
  const before = lastGoodRun(runsDir, { plan, identity })
  const last = runToContinue(plan, identity, runsDir)
  const most = plan.enrich === null ? 0 : plan.sent
  const outcomes = before?.outcomes
  const found = outcomes == null ? null : sum(outcomes.matched, outcomes.manualMatched, outcomes.duplicates)
  const { portfolio = null, screen = null, candidates = null } = plan
  const companies = { most: plan.rows - (plan.skipped ?? 0), expected: before?.companies?.listed ?? null }
  const within = (count: number): number => Math.min(count, screen?.budget ?? count)
  const finished = runKey && identity !== null ? finishedRunOfKey(plan, { ...context, runKey: runKey.key, identity }) : null
  return {
    rows: plan.rows,
    skipped: plan.skipped ?? 0,
    different: plan.collapse
      ? whole.sent
      : kind !== 'file'
        ? null
        : (await countRows({ ...plan, collapse: true }, root)).all.sent,
    sent: plan.sent,
    jobs: plan.sent === 0 ? 0 : plan.parts.length,
    requests: leastRequests(plan),
    most: mostCredits(plan),
    credits: {
      most,
      expected:
        before === null || found === null || before.plan.rows === 0 ? null : Math.round((most * found) / before.plan.rows),
      budget: plan.budget.credits,
    },
    month: estimateMonth(plan, runsDir, identity),
    portfolio: portfolio && companies,
    screening: screen && {
      most: within(companies.most - provenSearches(searches)),
      expected: companies.expected === null ? null : within(Math.max(0, companies.expected - (searches?.screen ?? 0))),
      budget: screen.budget,
      known: searches?.screen ?? null,
      oldest: searches?.oldest ?? null,
      unproven: searches?.unproven ?? 0,
      directors: screen.people === undefined ? null : { expected: before?.screening?.directors?.searches ?? null },
    },
    candidates: candidates && { most: mostQuestions(plan), known: searches?.candidates ?? null },
    tree: plan.tree === undefined ? null : { most: mostTreeRuns(plan), budget: plan.tree.budget },
    against: before === null ? null : { runId: before.runId, startedAt: before.startedAt, changes: changesOf(plan, before.plan) },
    reuse: chosen?.counts ?? null,
    issues: keyIssues(chosen?.unknownKeys ?? []),
    unfinished: last !== null && !last.finished && isSameWork(last.plan, plan) ? last.runId : null,
    runKey: runKey && { ...runKey, finished: finished?.runId ?? null },
  }
}

function estimateMonth(plan: Plan, runsDir: string, identity: string | null): RunEstimate['month'] {
  const limit = plan.budget.month
  if (limit === undefined) return null
  const now = realClock.now()
  const month = new Date(now).toISOString().slice(0, 7)
  const spent = identity === null ? null : spentInMonth(runsDir, identity, now).credits
  return { limit, month, most: mostCredits(plan), spent }
}

const sum = (...counts: readonly (number | null)[]): number | null =>
  counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0)

export interface CreditsEstimate {
  /** Rows that are sent. */
  readonly list: number
  readonly sample: Readonly<Record<'rows' | 'matched' | 'review' | 'unmatched', number>>
  /** Rows for which a company is found. */
  readonly matched: ShareEstimate
  readonly review: ShareEstimate
  /** One for each row that is found; null when the pipeline enriches nothing. `low` and `high` with 95 % certainty. */
  readonly credits: (Record<'likely' | 'low' | 'high', number> & { readonly budget: number | null }) | null
  readonly registers: readonly { readonly name: string; readonly companies: number; readonly snapshotDate: string }[]
}

export interface EstimateOptions {
  readonly env: Env
  readonly cwd: string
  /** Rows of the sample. */
  readonly rows: number
  /** Null for the registers of the plan, or every imported one. */
  readonly registers: readonly string[] | null
}

/** Throws FETTLE_REGISTER_NONE without a register, FETTLE_REGISTER_UNKNOWN, FETTLE_INPUT_READ. */
export async function estimateCredits(plan: Plan, { env, cwd, rows, registers }: EstimateOptions): Promise<CreditsEstimate> {
  const { matchSample } = await import('../service/data-cleaning/processing/list-sample.ts')
  const chosen = await registersHere(plan, { env, register: registers })
  const { registers: used, ...sample } = await matchSample(() => sentRows(plan, cwd), rows, chosen)
  const list = plan.sent
  const matched = shareInterval(sample.matched, sample.rows, list)
  const credits = plan.enrich && {
    likely: Math.round(matched.share * list),
    low: Math.floor(matched.low * list),
    high: Math.ceil(matched.high * list),
    budget: plan.budget.credits,
  }
  return { list, sample, matched, review: shareInterval(sample.review, sample.rows, list), credits, registers: used }
}
