/**
 * Chooses the rows that are sent: those without an earlier answer, each different key once. The answers of the others are copied into the
 * choice of the run.
 */
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { askedRows } from '../input/upload/asked-rows.ts'
import type { ReuseCounts } from '../model/results.ts'
import type { Plan, PlannedReuse } from '../pipeline/model/types.ts'
import { fingerprinter } from '../results/row-fingerprint.ts'
import type { AskedKeys, Busy } from './answer-folder.ts'
import { type AnswerOutcome, classifyOutcome } from './files/answers.ts'
import { ChoiceWriter } from './files/choice.ts'
import { rowKeyMaker } from './files/row-key.ts'
import type { FoundAnswer, KnownAnswers } from './known-answers.ts'
import type { Refresh } from './settings.ts'

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

interface Earlier {
  readonly outcome: AnswerOutcome
  readonly source: { readonly at: string; readonly byHand?: true | undefined }
  readonly isWide: boolean
  /** Too old by the age that it was stored with. */
  readonly isExpired: boolean
  readonly company: () => { readonly id: string }
}

/** `key`: the cell of the key, null without one. */
export function verdictOf(earlier: Earlier | null, key: string | null, rules: Rules): 'known' | Exclude<SendReason, 'changed'> {
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

export interface ChosenRows {
  readonly counts: ReuseCounts
  /** The digest of the choice; '' where none was written. */
  readonly choice: string
  /** The keys that are sent. */
  readonly keys: readonly Buffer[]
  /** Cells of the key to refresh that no row has. */
  readonly unknownKeys: readonly string[]
  /** How many of the keys are also asked by runs without a process. */
  readonly askedBefore: ReadonlyMap<string, number>
}

export interface ChoiceContext {
  readonly root: string
  readonly signal: AbortSignal | undefined
  /** The rows of the last good run, by key; null where they are not known. */
  readonly rowsBefore: (() => AsyncIterable<RowBefore>) | null
  /**
   * Keys of shards before this one, to which its own are added. If null, all keys before a shard are left to the shards before it, which
   * have or get an answer.
   */
  readonly sent: DigestIndex | null
  /** What other runs ask. */
  readonly others: readonly AskedKeys[]
  /** Called for each row with an answer. */
  readonly onKnown: ((row: KnownRow) => void) | undefined
}

export interface KnownRow {
  readonly outcome: AnswerOutcome
  readonly company: { readonly id: string; readonly name: string }
  readonly uploadRow: readonly string[]
}

type Known = FoundAnswer & { readonly outcome: AnswerOutcome }
export const isRow = (found: FoundAnswer | null): found is Known => found !== null && found.outcome !== 'searched'

/**
 * Writes the choice to `workDir`; nothing where it is null. Returns the run to wait for where it asks some of the keys just now. Throws
 * FETTLE_INPUT_CHANGED, FETTLE_OUTPUT_WRITE.
 */
export async function chooseRows(
  plan: Plan,
  known: KnownAnswers,
  rules: Rules,
  workDir: string | null,
  { root, signal, rowsBefore, sent: sentByOthers, others, onKnown }: ChoiceContext,
): Promise<ChosenRows | Busy> {
  const verifyUnchanged = await verifyPlanned(plan.input, { root })
  const rowKey = rowKeyMaker(plan)
  const fingerprintOf = fingerprinter(plan)
  const unknown = rowsBefore === null ? null : new UnknownRows()
  const unknownKeys = new Set(rules.refresh.keys)
  const counts = { asked: 0, known: 0, sent: 0, repeated: 0, ...zeroes() }
  const keys: Buffer[] = []
  const askedBefore = new Map<string, number>()
  const sent = sentByOthers ?? new DigestIndex()
  const left = sentByOthers === null && (plan.shard?.from ?? 0) > 0 ? new DigestIndex() : null
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
        onKnown?.({ outcome: answer!.outcome, company: answer!.company(), uploadRow })
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
      if (verdict === 'fresh' && cell !== null && cell !== '') unknown?.add(cell, fingerprintOf(uploadRow))
    }
    const changed = unknown === null || unknown.size === 0 ? 0 : await unknown.changedSince(rowsBefore!())
    counts.changed += changed
    counts.fresh -= changed
    await verifyUnchanged('read')
    return { counts, choice: (await writer?.publish()) ?? '', keys, unknownKeys: [...unknownKeys], askedBefore }
  } finally {
    await writer?.discard()
  }
}

const zeroes = () => Object.fromEntries(SEND_REASONS.map(reason => [reason, 0])) as Record<(typeof SEND_REASONS)[number], number>

/** A row of the last good run: a digest of its key, as hexadecimal digits, and of its cells. */
export interface RowBefore {
  readonly id: string
  readonly question: string
}

/** Rows without an answer: those whose key the last good run had with other cells are changed, and not new. */
class UnknownRows {
  readonly #keys = new DigestIndex()
  /** The first eight bytes of the digest of the cells of each. */
  #rows: Buffer = Buffer.alloc(8 * 64)

  get size(): number {
    return this.#keys.size
  }

  add(key: string, fingerprint: string): void {
    const at = this.#keys.add(digestOf(key)) * 8
    if (at === this.#rows.length) this.#rows = Buffer.concat([this.#rows, Buffer.alloc(at)])
    this.#rows.write(fingerprint.slice(1, 17), at, 'hex')
  }

  async changedSince(before: AsyncIterable<RowBefore>): Promise<number> {
    const isChanged = new Uint8Array(this.size)
    for await (const { id, question } of before) {
      const at = this.#keys.find(Buffer.from(id, 'hex'))
      if (at === -1) continue
      isChanged[at] = this.#rows.toString('hex', at * 8, at * 8 + 8) === question.slice(1, 17) ? 0 : 1
    }
    return isChanged.reduce((sum, flag) => sum + flag, 0)
  }
}
