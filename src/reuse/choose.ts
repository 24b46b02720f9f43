/** Chooses the rows of a run that are sent: those without an answer of an earlier run that may be used. */
import { counted } from '../counted.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import { DigestIndex } from '../files/digest-index.ts'
import type { RunState } from '../journal/index.ts'
import type { Fit } from '../model/list.ts'
import { type KnownSearches, type Plan, partsOf } from '../pipeline/index.ts'
import { AnswerFolder, type AskedKeys, type Busy, type HeldLock, isBusy, type Waiting } from './answer-folder.ts'
import { type ChosenRows, chooseRows, type RowBefore } from './choose-rows.ts'
import type { KnownAnswers } from './known-answers.ts'
import { searchCounter } from './searches.ts'
import { answersFolder, NO_REFRESH, type ReuseSettings, readFit, scopeOf } from './settings.ts'

/** The run that rows are chosen for; without an id one that is planned. */
type Chooser = Pick<RunState, 'identity'> & Partial<Pick<RunState, 'args' | 'runId'>>

/** What is chosen: `parts` are the remote jobs of the rows that are sent. */
export interface Chosen extends ChosenRows {
  readonly parts: Plan['parts']
  readonly fit: Fit | null
  /** Searches about the rows with an answer that an earlier run paid; null where none are used again. */
  readonly searches: KnownSearches | null
}

export interface ChooseSettings extends ReuseSettings {
  readonly cwd: string
  /** The rows of the last good run; null where they are not known. */
  readonly rowsBefore: (() => AsyncIterable<RowBefore>) | null
  readonly signal?: AbortSignal
}

/** A list, or its shards in turn: a key that several of them have is sent with the first. `workDir`: null writes nothing. */
export type ChosenPlans = readonly { readonly plan: Plan; readonly workDir: string | null }[]

/** Prepares a choice: the folder of its answers, and how to choose by them. `now`: milliseconds since 1970. */
export async function prepareChoice(runs: ChosenPlans, run: Chooser, settings: ChooseSettings, now: () => number) {
  const { plan } = runs[0]!
  const { reuse, key, enrich } = plan
  const { identity, args = {} } = run
  const { refresh = NO_REFRESH, changedCompanies, cwd: root, signal, rowsBefore } = settings
  if (reuse == null) throw new TypeError('the plan uses no earlier answers')
  if (refresh.keys.length > 0 && key === null)
    throw new FettleError('FETTLE_USAGE', 'rows to refresh are named by their key, and the pipeline names no input.key')
  const answers = answersFolder(settings, args)
  // A service of ours fits again when everything is asked again.
  const fit = refresh.all ? null : readFit(answers, plan, identity)
  const folder = new AnswerFolder(answers, scopeOf(plan, identity, fit), now)

  const chooseBy = async (known: KnownAnswers, others: readonly AskedKeys[]): Promise<readonly Chosen[] | Busy> => {
    const sent = runs.length === 1 ? null : new DigestIndex()
    const rules = { ages: reuse, now: now(), refresh, changedCompanies }
    const chosen: Chosen[] = []
    for (const { plan, workDir } of runs) {
      const counter = searchCounter(plan, identity, { answers, now, refreshes: refresh.all })
      try {
        const context = { root, signal, rowsBefore, sent, others, onKnown: counter?.add }
        const rows = await chooseRows(plan, known, rules, workDir, context)
        if (isBusy(rows)) return rows
        chosen.push({ ...rows, parts: partsOfSent(plan, rows.counts.sent), fit, searches: counter?.counts ?? null })
      } finally {
        counter?.close()
      }
    }
    // A shard that is started by itself sees its own rows only.
    const isPart = runs.length === 1 && plan.shard !== undefined
    const unknownKeys = isPart ? [] : refresh.keys.filter(cell => chosen.every(rows => rows.unknownKeys.includes(cell)))
    return chosen.map(rows => ({ ...rows, unknownKeys }))
  }
  const choose = async (others: readonly AskedKeys[]): Promise<readonly Chosen[] | Busy> => {
    const known = folder.open(enrich?.tags ?? [], now())
    try {
      return await chooseBy(known, others)
    } finally {
      known.close()
    }
  }
  return { folder, choose }
}

/** Chooses, and names what is asked, so that no other run pays for it: the caller releases the lock. Waits for runs that ask the same. */
export async function chooseAndAsk(
  runs: ChosenPlans,
  run: Chooser & Pick<RunState, 'runId'>,
  settings: ChooseSettings,
  waiting: Waiting,
): Promise<{ readonly folder: AnswerFolder; readonly chosen: readonly Chosen[]; readonly held: HeldLock }> {
  for (;;) {
    const { folder, choose } = await prepareChoice(runs, run, settings, waiting.clock.now.bind(waiting.clock))
    const asked = await folder.ask(run.runId, waiting, async others => {
      const chosen = await choose(others)
      return isBusy(chosen) ? chosen : { chosen, keys: chosen.flatMap(({ keys }) => keys) }
    })
    if (asked !== null) return { folder, chosen: asked.chosen.chosen, held: asked.held }
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

/** Throws FETTLE_INPUT_BUDGET when more rows would be sent than `budget.rows` allows. */
export function checkRowBudget({ budget }: Plan, sent: number): void {
  if (budget.rows === null || sent <= budget.rows) return
  throw new FettleError('FETTLE_INPUT_BUDGET', `${counted(sent, 'row')} would be sent, budget.rows allows ${budget.rows}`)
}
