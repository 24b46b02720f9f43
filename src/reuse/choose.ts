/**
 * Chooses the rows of a run that are sent: those without an earlier answer that may be used, each different key once. The answers of the
 * others are copied into the choice of the run.
 */
import { listSome } from '../counted.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import type { HeldLock } from '../files/process-lock.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { askedRows } from '../input/upload/asked-rows.ts'
import type { RunState } from '../journal/index.ts'
import type { Fit } from '../model/list.ts'
import type { ReuseCounts } from '../model/results.ts'
import { type KnownSearches, type Plan, type PlannedReuse, splitIntoParts } from '../pipeline/index.ts'
import { fingerprinter } from '../results/row-fingerprint.ts'
import { AnswerFolder, type AskedKeys, type Busy, isBusy, type Waiting } from './answer-folder.ts'
import { type AnswerOutcome, classifyOutcome } from './files/answers.ts'
import { ChoiceWriter } from './files/choice.ts'
import { rowKeyMaker } from './files/row-key.ts'
import type { FoundAnswer, KnownAnswers } from './known-answers.ts'
import { type SearchCounter, searchCounter } from './searches.ts'
import { answersFolder, NO_REFRESH, type Refresh, type ReuseSettings, readFit, scopeOf } from './settings.ts'

/** Why a row is sent: its cells were never asked, the last good run had its key with other cells, its answer is too old, lacks tags, or is wanted again. */
export const SEND_REASONS = ['fresh', 'changed', 'tooOld', 'lacking', 'refreshed'] as const
export type SendReason = (typeof SEND_REASONS)[number]

export interface Rules {
  readonly ages: PlannedReuse
  /** Milliseconds since 1970. */
  readonly now: number
  readonly refresh: Refresh
  /** When events of companies were read last, by connectId, in milliseconds: an earlier answer about one of them is too old. */
  readonly changedCompanies?: ReadonlyMap<string, number> | undefined
}

/** `key`: the cell of the key, null without one. */
export function verdictOf(earlier: Known | null, key: string | null, rules: Rules): 'known' | Exclude<SendReason, 'changed'> {
  if (earlier === null) return 'fresh'
  const { refresh, ages, now, changedCompanies } = rules
  const kind = classifyOutcome(earlier.outcome)
  const at = Date.parse(earlier.source.at)
  if (refresh.all || refresh.outcomes.includes(kind) || (key !== null && refresh.keys.includes(key))) return 'refreshed'
  // A time in the future is of a clock that was set back since: its age is unknown.
  const age = now - at
  if (earlier.isExpired || !(age >= 0 && age < ages[kind])) return 'tooOld'
  if (changedCompanies !== undefined && changedCompanies.size > 0) {
    const changedAt = changedCompanies.get(earlier.company().id)
    if (changedAt !== undefined && at < changedAt) return 'tooOld'
  }
  if (!earlier.isWide) return 'lacking'
  // Whether the first row of its company would be matched by hand is unknown.
  return earlier.outcome === 'duplicate' && earlier.source.byHand === true ? 'lacking' : 'known'
}

export interface Chosen {
  readonly counts: ReuseCounts
  /** The digest of the choice; '' where none was written. */
  readonly choice: string
  /** The keys that are sent. */
  readonly keys: readonly Buffer[]
  /** The remote jobs of the rows that are sent. */
  readonly parts: Plan['parts']
  readonly fit: Fit | null
  /** Searches about the rows with an answer that an earlier run paid; null where none are used again. */
  readonly searches: KnownSearches | null
  /** Cells of the key to refresh that no row has. */
  readonly unknownKeys: readonly string[]
  /** How many of the keys are also asked by runs without a process. */
  readonly askedBefore: ReadonlyMap<string, number>
}

export interface ChooseSettings extends ReuseSettings {
  readonly cwd: string
  /** The rows of the last good run, by key; null where they are not known. */
  readonly rowsBefore: (() => AsyncIterable<RowBefore>) | null
  readonly signal?: AbortSignal
}

interface ChoiceContext extends ChooseSettings {
  readonly known: KnownAnswers
  readonly fit: Fit | null
  /**
   * Keys of shards before this one, to which its own are added. If null, all keys before a shard are left to the shards before it, which
   * have or get an answer.
   */
  readonly sentBefore: DigestIndex | null
  /** What other runs ask. */
  readonly others: readonly AskedKeys[]
  readonly counter: SearchCounter | null
}

type Known = FoundAnswer & { readonly outcome: AnswerOutcome }
export const isRow = (found: FoundAnswer | null): found is Known => found !== null && found.outcome !== 'searched'

/**
 * Writes the choice to `workDir`; nothing where it is null. Returns the run to wait for where it asks some of the keys just now. Throws
 * FETTLE_INPUT_CHANGED, FETTLE_OUTPUT_WRITE.
 */
async function chooseRows({ plan, workDir }: ChosenPlan, rules: Rules, context: ChoiceContext): Promise<Chosen | Busy> {
  const { known, fit, cwd: root, signal, rowsBefore, sentBefore, others, counter } = context
  const verifyUnchanged = await verifyPlanned(plan.input, { root })
  const rowKey = rowKeyMaker(plan)
  const fingerprintOf = fingerprinter(plan)
  const unknown = rowsBefore === null ? null : { keys: new DigestIndex(), rows: new DigestIndex() }
  const unknownKeys = new Set(rules.refresh.keys)
  const counts = noRows()
  const keys: Buffer[] = []
  const askedBefore = new Map<string, number>()
  const sent = sentBefore ?? new DigestIndex()
  const left = sentBefore === null && (plan.shard?.from ?? 0) > 0 ? new DigestIndex() : null
  const leave = left === null ? undefined : (uploadRow: readonly string[]) => void left.add(rowKey(uploadRow))
  const writer = workDir === null ? null : await ChoiceWriter.open(workDir, known.sources)
  try {
    for await (const { inputRow, uploadRow } of askedRows(plan, root, leave, known.count > plan.rows / 2)) {
      if (++counts.asked % 1000 === 0) signal?.throwIfAborted()
      const key = rowKey(uploadRow)
      const found = known.find(key)
      const answer = isRow(found) ? found : null
      const cell = plan.key === null ? null : (inputRow[plan.key.index] ?? '')
      if (cell !== null && unknownKeys.size > 0) unknownKeys.delete(cell)
      const verdict = verdictOf(answer, cell, rules)
      if (verdict === 'known') {
        counts.known++
        counter?.add({ outcome: answer!.outcome, company: answer!.company(), uploadRow })
        await writer?.addKnown(answer!.sourceNumber, answer!.outcome, answer!.text())
        continue
      }
      const isNamed = verdict === 'refreshed' && cell !== null && rules.refresh.keys.includes(cell)
      const { size } = sent
      if ((!isNamed && left !== null && left.find(key) !== -1) || sent.add(key) < size) {
        counts.repeated++
        writer?.addFate('repeated')
        continue
      }
      for (const { runId, keys: asked, isAtWork } of verdict === 'refreshed' ? [] : others) {
        if (asked.find(key) === -1) continue
        if (isAtWork) return { waitFor: runId }
        askedBefore.set(runId, (askedBefore.get(runId) ?? 0) + 1)
      }
      counts.sent++
      counts[verdict]++
      keys.push(key)
      writer?.addSent(key)
      if (unknown === null || verdict !== 'fresh' || cell === null || cell === '') continue
      const id = digestOf(cell)
      unknown.keys.add(id)
      unknown.rows.add(rowOfKey(id.toString('hex'), fingerprintOf(uploadRow)))
    }
    const changed = unknown === null || unknown.keys.size === 0 ? 0 : await countChanged(unknown, rowsBefore!())
    counts.changed += changed
    counts.fresh -= changed
    await verifyUnchanged('read')
    const choice = (await writer?.publish()) ?? ''
    const parts = counts.sent === 0 ? [] : splitIntoParts(counts.sent, plan.parts.length > 1 ? plan.parts[0]!.rows : null)
    const searches = counter?.counts ?? null
    return { counts, choice, keys, parts, fit, searches, unknownKeys: [...unknownKeys], askedBefore }
  } finally {
    await writer?.discard()
  }
}

/** The counts of no rows. */
export const noRows = () => {
  const reasons = Object.fromEntries(SEND_REASONS.map(reason => [reason, 0])) as Record<SendReason, number>
  return { asked: 0, known: 0, sent: 0, repeated: 0, ...reasons }
}

/** A row of the last good run: a digest of its key, as hexadecimal digits, and of its cells. */
export interface RowBefore {
  readonly id: string
  readonly question: string
}

/** How many keys of the rows without an answer the last good run had with other cells. `rows`: see `rowOfKey`. */
async function countChanged(
  { keys, rows }: { readonly keys: DigestIndex; readonly rows: DigestIndex },
  before: AsyncIterable<RowBefore>,
): Promise<number> {
  const changed = new DigestIndex()
  for await (const { id, question } of before) {
    const key = Buffer.from(id, 'hex')
    if (keys.find(key) !== -1 && rows.find(rowOfKey(id, question)) === -1) changed.add(key)
  }
  return changed.size
}

/** `id`: the digest of a key, as hexadecimal digits; the first eight bytes of the digest of the cells count. */
const rowOfKey = (id: string, question: string): Buffer => digestOf(`${id} ${question.slice(1, 17)}`)

/** The run that rows are chosen for; without an id one that is planned. */
type Chooser = Pick<RunState, 'identity'> & Partial<Pick<RunState, 'args' | 'runId'>>

interface ChosenPlan {
  readonly plan: Plan
  /** Null writes nothing. */
  readonly workDir: string | null
}

/**
 * Prepares a choice: the folder of its answers, and how to choose by them. `runs`: a list, or its shards in turn; a key that several of them
 * have is sent with the first. `now`: milliseconds since 1970.
 */
export async function prepareChoice(runs: readonly ChosenPlan[], run: Chooser, settings: ChooseSettings, now: () => number) {
  const { plan } = runs[0]!
  const { reuse, key, enrich } = plan
  const { identity, args = {} } = run
  const { refresh = NO_REFRESH, changedCompanies } = settings
  if (reuse == null) throw new TypeError('the plan uses no earlier answers')
  if (refresh.keys.length > 0 && key === null)
    throw new FettleError('FETTLE_USAGE', 'rows to refresh are named by their key, and the pipeline names no input.key')
  const answers = answersFolder(settings, args)
  // A service of ours fits again when everything is asked again.
  const fit = refresh.all ? null : readFit(answers, plan, identity)
  const folder = new AnswerFolder(answers, scopeOf('row', plan, identity, fit), now)

  const choose = async (others: readonly AskedKeys[]): Promise<readonly Chosen[] | Busy> => {
    const sentBefore = runs.length === 1 ? null : new DigestIndex()
    const rules = { ages: reuse, now: now(), refresh, changedCompanies }
    const chosen: Chosen[] = []
    const known = folder.open(enrich?.tags ?? [], now())
    try {
      for (const run of runs) {
        const counter = searchCounter(run.plan, identity, { answers, now, refreshes: refresh.all })
        const rows = await chooseRows(run, rules, { ...settings, known, fit, sentBefore, others, counter }).finally(
          counter?.close,
        )
        if (isBusy(rows)) return rows
        chosen.push(rows)
      }
    } finally {
      known.close()
    }
    // A shard that is started by itself sees its own rows only.
    const isPart = runs.length === 1 && plan.shard !== undefined
    const unknownKeys = isPart ? [] : refresh.keys.filter(cell => chosen.every(rows => rows.unknownKeys.includes(cell)))
    return chosen.map(rows => ({ ...rows, unknownKeys }))
  }
  return { folder, choose }
}

/** Chooses, and names what is asked, so that no other run pays for it: the caller releases the lock. Waits for runs that ask the same. */
export async function chooseAndAsk(
  runs: readonly ChosenPlan[],
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

/** A warning about keys to refresh that no row has; none without such keys. */
export function keyIssues(keys: readonly string[]): Issue[] {
  if (keys.length === 0) return []
  const shown = listSome(
    keys.map(key => JSON.stringify(key)),
    5,
  )
  const [noun, verb] = keys.length === 1 ? ['key', 'was'] : ['keys', 'were']
  const message = `no row has the ${noun} ${shown}, which ${verb} to be asked again`
  return [issue('FETTLE_REFRESH_KEY', message, { severity: 'warn' })]
}
