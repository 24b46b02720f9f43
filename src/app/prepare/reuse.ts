/** Chooses the rows of a run that go up: those without an answer of an earlier run that may be used. */
import { counted } from '../../counted.ts'
import { FettleError, type Issue, issue } from '../../errors.ts'
import type { KnownBits } from '../../input/upload/known-rows.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import type { RunState } from '../../journal/index.ts'
import type { ListFacts } from '../../model/list-facts.ts'
import { type KnownSearches, type Plan, partsOf } from '../../pipeline/index.ts'
import { headOf, readStates } from '../../results/changes/row-states.ts'
import { AnswersReplaced } from '../../results/reuse/answer-file.ts'
import { openAnswers } from '../../results/reuse/answer-store.ts'
import { type ChosenRows, chooseRows, type RowBefore } from '../../results/reuse/choose-rows.ts'
import { NO_REFRESH } from '../../results/reuse/verdict.ts'
import type { Claim } from '../answers/claims.ts'
import { answersFolder, type ReuseSettings, scopeOf } from '../answers/folder.ts'
import { searchCounter } from '../answers/searches.ts'
import type { Env } from '../env/environment.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { baselineOf, lastGoodRun } from '../runs/run-queries.ts'
import { listFacts } from './registers.ts'

/** The run that rows are chosen for; without an id one that is planned. */
type Chosen = Pick<RunState, 'identity' | 'startedAt'> & Partial<Pick<RunState, 'args' | 'runId'>>

/** The rows of the last good run by their keys; null where they are not known. */
async function rowsBefore(
  { shard, ...plan }: Plan,
  identity: string,
  runsDir: string,
  runId: string | undefined,
): Promise<(() => AsyncIterable<RowBefore>) | null> {
  if (plan.key === null) return null
  // A shard is compared with the runs of its list, which have other names.
  const before = baselineOf(runsDir, lastGoodRun(runsDir, { plan, identity }, shard === undefined ? runId : undefined))
  const states = before === null ? null : await readStates(before.workDir)
  return states === null || states.head.by !== headOf(plan).by ? null : states.rows
}

/** What is chosen: `parts` and `list` are for the remote jobs. */
export interface Choice extends ChosenRows {
  readonly parts: Plan['parts']
  readonly list: ListFacts | null
  /** Answers of other pipelines depend on their lists, and what they rest on is not known of this list yet. */
  readonly lacksFacts: boolean
  /** Searches about the rows with an answer that an earlier run paid; null where none are used again. */
  readonly searches: KnownSearches | null
}

interface ChoiceSettings extends ReuseSettings {
  readonly env: Env
  readonly cwd: string
  readonly signal?: AbortSignal
  /** Which questions go up, beside those of other runs. */
  readonly claim?: Claim
  /** For a run that is resumed: an answer since its start is not asked again, also with `refresh`. */
  readonly askedSince?: number
  /** Looks only at the rows that an earlier choice sends. */
  readonly sentBefore?: Pick<KnownBits, 'fate'>
}

/** Chooses the rows that go up, and copies the answers of the others into the run directory; nothing is written where that is null. */
export async function chooseKnownRows(
  plan: Plan,
  run: Chosen,
  directory: RunDirectory | null,
  settings: ChoiceSettings,
): Promise<Choice> {
  const [choice] = await chooseForAll([{ plan, workDir: directory?.path ?? null }], run, settings)
  return choice!
}

/** Chooses for each shard of a list in turn: a question that several of them have goes up with the first. */
export function chooseForShards(
  shards: readonly { readonly plan: Plan; readonly workDir: string }[],
  run: Chosen,
  settings: ChoiceSettings,
): Promise<Choice[]> {
  return chooseForAll(shards, run, settings, () => new DigestIndex())
}

type ChosenRuns = readonly { readonly plan: Plan; readonly workDir: string | null }[]

/** Chooses again where another process replaced answers meanwhile. */
async function chooseForAll(
  runs: ChosenRuns,
  run: Chosen,
  settings: ChoiceSettings,
  makeSent: () => DigestIndex | undefined = () => undefined,
): Promise<Choice[]> {
  for (;;) {
    settings.signal?.throwIfAborted()
    try {
      return await chooseWithKnown(runs, run, settings, makeSent())
    } catch (error) {
      if (!(error instanceof AnswersReplaced)) throw error
    }
  }
}

async function chooseWithKnown(
  runs: ChosenRuns,
  { identity, startedAt, args = {}, runId }: Chosen,
  settings: ChoiceSettings,
  sent: DigestIndex | undefined,
): Promise<Choice[]> {
  const { plan } = runs[0]!
  const { reuse, key, name, enrich } = plan
  const { refresh = NO_REFRESH, changedCompanies, env, cwd, signal, claim, askedSince, sentBefore } = settings
  if (reuse == null) throw new TypeError('the plan uses no earlier answers')
  if (refresh.keys.length > 0 && key === null)
    throw new FettleError('FETTLE_USAGE', 'rows to refresh are named by their key, and the pipeline names no input.key')
  const now = Date.parse(startedAt)
  const scope = scopeOf(plan, identity)
  const { appliedShare } = await import('../../service/list-facts.ts')
  const facts = await listFacts(plan, env, cwd)
  const wanted = { scope, tags: enrich?.tags ?? [], pipeline: name, hasKeys: key !== null, facts, appliedShare, now }
  const folder = answersFolder(settings, args)
  const search = { folder, env, now: () => now, refreshes: refresh.all }
  claim?.begin(scope)
  const known = await openAnswers(folder, wanted)
  if (known.lacksFacts) claim?.waitOnlyFor(name)
  try {
    const place = {
      root: cwd,
      rowsBefore: await rowsBefore(plan, identity, settings.runsDir, runId),
      ...(sent === undefined ? {} : { sent }),
      ...(signal === undefined ? {} : { signal }),
      ...(sentBefore === undefined ? {} : { sentBefore }),
      ...(claim === undefined
        ? {}
        : { onSent: (question: Buffer, isAgain: boolean) => claim.add(question, isAgain && askedSince === undefined) }),
    }
    const rules = {
      ...{ ages: reuse, now, refresh },
      ...(changedCompanies === undefined ? {} : { changedCompanies }),
      ...(askedSince === undefined ? {} : { askedSince }),
    }
    const chosen: ChosenRows[] = []
    const searches: (KnownSearches | null)[] = []
    for (const { plan, workDir } of runs) {
      const counter = await searchCounter(plan, identity, search)
      try {
        chosen.push(await chooseRows(plan, known, rules, workDir, { ...place, ...(counter && { onKnown: counter.add }) }))
        searches.push(counter?.counts ?? null)
      } finally {
        counter?.close()
      }
    }
    // A shard that is started by itself sees its own rows only.
    const isPart = runs.length === 1 && plan.shard !== undefined
    const unknownKeys = isPart ? [] : refresh.keys.filter(key => chosen.every(one => one.unknownKeys.includes(key)))
    const isUsed = chosen.some(({ counts }) => counts.known > 0)
    // Where no answer is used, a service that estimates the facts does so again.
    const list = facts ?? (isUsed ? known.facts : null)
    return chosen.map((one, at) => ({
      ...one,
      unknownKeys,
      parts: partsOfSent(runs[at]!.plan, one.counts.sent),
      list,
      lacksFacts: known.lacksFacts,
      searches: searches[at] ?? null,
    }))
  } finally {
    known.close()
  }
}

function partsOfSent({ parts }: Plan, sent: number): Plan['parts'] {
  return sent === 0 ? [] : partsOf(sent, parts.length > 1 ? parts[0]!.rows : null)
}

const SHOWN_KEYS = 5

/** A warning about keys to refresh that no row has; none without such keys. */
export function keyIssues(keys: readonly string[]): Issue[] {
  if (keys.length === 0) return []
  const shown = keys.slice(0, SHOWN_KEYS).map(key => JSON.stringify(key))
  const more = keys.length > SHOWN_KEYS ? ` and ${keys.length - SHOWN_KEYS} more` : ''
  const [noun, verb] = keys.length === 1 ? ['key', 'was'] : ['keys', 'were']
  const message = `no row has the ${noun} ${shown.join(', ')}${more}, which ${verb} to be asked again`
  return [issue('FETTLE_REFRESH_KEY', message, { severity: 'warn' })]
}

/** Throws FETTLE_INPUT_BUDGET when more rows would go up than `budget.rows` allows. */
export function checkRowBudget({ budget }: Plan, sent: number): void {
  if (budget.rows === null || sent <= budget.rows) return
  throw new FettleError('FETTLE_INPUT_BUDGET', `${counted(sent, 'row')} would be sent, budget.rows allows ${budget.rows}`)
}
