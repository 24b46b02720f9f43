/**
 * Chooses the rows that go up: those without an earlier answer, each different question once. The answers of the others are copied
 * into the run directory, so that neither time nor other runs change what this run sends and writes.
 */
import { join } from 'node:path'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import { digestOf } from '../../files/file-chunks.ts'
import type { FileContext } from '../../files/open-input.ts'
import { verifyPlanned } from '../../input/table/verify-unchanged.ts'
import { askedRows } from '../../input/upload/asked-rows.ts'
import { KnownBits } from '../../input/upload/known-rows.ts'
import { keyDigester, questionDigester } from '../../input/upload/question.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import type { ReuseCounts } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { REUSED_FILE } from '../file-names.ts'
import { fingerprinter } from '../row-fingerprint.ts'
import type { AnswerOutcome } from './answer-file.ts'
import type { FoundAnswer, KnownAnswers } from './known-answers.ts'
import { type Rules, SEND_REASONS, verdictOf } from './verdict.ts'

const BATCH = 500

export interface ChosenRows {
  readonly counts: ReuseCounts
  /** Digests of the two files; null where none were written. */
  readonly answers: string | null
  readonly bits: string | null
  /** Keys to refresh that no row has. */
  readonly unknownKeys: readonly string[]
}

export interface ChoiceContext extends FileContext {
  /** The rows of the last good run, by key. */
  readonly rowsBefore?: (() => AsyncIterable<RowBefore>) | null
  /**
   * Questions of shards before this one, to which its own are added. If absent, all questions before a shard are left to the shards
   * before it, which have or get an answer.
   */
  readonly sent?: DigestIndex
  /** Called for each question that goes up; it may throw. `isAgain`: it has an answer, and is asked again. */
  readonly onSent?: (question: Buffer, isAgain: boolean) => void
  /** Only rows that an earlier choice sends are looked at. */
  readonly sentBefore?: Pick<KnownBits, 'fate'>
  /** Called for each row with an answer. */
  readonly onKnown?: (row: KnownRow) => void
}

export interface KnownRow {
  readonly outcome: AnswerOutcome
  readonly company: { readonly id: string; readonly name: string }
  readonly uploadRow: readonly string[]
}

/**
 * Writes `reused.jsonl` and `known.bits` to `workDir`; neither where it is null. Throws FETTLE_INPUT_CHANGED, FETTLE_OUTPUT_WRITE.
 */
export async function chooseRows(
  plan: Plan,
  known: KnownAnswers,
  rules: Rules,
  workDir: string | null,
  { root, signal, rowsBefore, sent: sentByOthers, sentBefore, onKnown, onSent }: ChoiceContext,
): Promise<ChosenRows> {
  const verifyUnchanged = await verifyPlanned(plan.input, { ...(root === undefined ? {} : { root }) })
  const questionOf = questionDigester(plan)
  const keyOf = keyDigester(plan)
  const bits = new KnownBits()
  const unknown = rowsBefore == null ? null : new UnknownRows()
  const fingerprintOf = fingerprinter(plan)
  const unknownKeys = new Set(rules.refresh.keys)
  const counts: Record<keyof ReuseCounts, number> = { asked: 0, known: 0, sent: 0, repeated: 0, ...zeroes() }
  const writer = workDir === null ? null : await ReusedWriter.open(join(workDir, REUSED_FILE), known)
  const sent = sentByOthers ?? new DigestIndex()
  const left = sentByOthers === undefined && (plan.shard?.from ?? 0) > 0 ? new DigestIndex() : null
  const leave = left === null ? undefined : (uploadRow: readonly string[]) => void left.add(questionOf(uploadRow))
  try {
    for await (const { inputRow, uploadRow } of askedRows(plan, root, leave, known.count > plan.rows / 2)) {
      if (++counts.asked % 1000 === 0) signal?.throwIfAborted()
      if (sentBefore !== undefined && sentBefore.fate(counts.asked - 1) !== 'sent') continue
      const question = questionOf(uploadRow)
      const found = known.find(question)
      const key = plan.key === null ? null : (inputRow[plan.key.index] ?? '')
      if (key !== null && unknownKeys.size > 0) unknownKeys.delete(key)
      const hasKey = (): boolean => {
        const digest = keyOf(inputRow)
        return digest !== null && known.hasKey(digest)
      }
      const verdict = verdictOf(found, key, hasKey, rules)
      if (verdict === 'known' && found !== null) {
        bits.add('known')
        counts.known++
        onKnown?.({ outcome: found.outcome, company: { id: found.company(), name: found.companyName() }, uploadRow })
        await writer?.add(found, found.line())
        continue
      }
      const isNamed = verdict === 'refreshed' && key !== null && rules.refresh.keys.includes(key)
      const { size } = sent
      const isRepeated = (!isNamed && left !== null && left.find(question) !== -1) || sent.add(question) < size
      bits.add(isRepeated ? 'repeated' : 'sent')
      if (isRepeated) counts.repeated++
      else {
        counts.sent++
        onSent?.(question, verdict === 'refreshed')
        const reason = verdict === 'known' ? 'fresh' : verdict
        counts[reason]++
        if (reason === 'fresh' && key !== null && key !== '') unknown?.add(key, fingerprintOf(uploadRow))
      }
    }
    const changed = unknown === null || unknown.size === 0 ? 0 : await unknown.changedSince(rowsBefore!())
    counts.changed += changed
    counts.fresh -= changed
    await verifyUnchanged('read')
    const answers = (await writer?.publish()) ?? null
    return { counts, answers, bits: workDir === null ? null : await bits.write(workDir), unknownKeys: [...unknownKeys] }
  } finally {
    await writer?.discard()
  }
}

/** A row of the last good run: a digest of its key, as hexadecimal digits, and of its question. */
export interface RowBefore {
  readonly id: string
  readonly question: string
}

/** Rows without an answer: those whose key the last good run had with another question are changed, and not new. */
class UnknownRows {
  readonly #keys = new DigestIndex()
  /** The first eight bytes of the digest of each question. */
  #questions: Buffer = Buffer.alloc(8 * 64)

  get size(): number {
    return this.#keys.size
  }

  add(key: string, fingerprint: string): void {
    const at = this.#keys.add(digestOf(key)) * 8
    if (at === this.#questions.length) this.#questions = Buffer.concat([this.#questions, Buffer.alloc(at)])
    this.#questions.write(fingerprint.slice(1, 17), at, 'hex')
  }

  async changedSince(before: AsyncIterable<RowBefore>): Promise<number> {
    const isChanged = new Uint8Array(this.size)
    for await (const { id, question } of before) {
      const at = this.#keys.find(Buffer.from(id, 'hex'))
      if (at === -1) continue
      isChanged[at] = this.#questions.toString('hex', at * 8, at * 8 + 8) === question.slice(1, 17) ? 0 : 1
    }
    return isChanged.reduce((sum, one) => sum + one, 0)
  }
}

const zeroes = () => Object.fromEntries(SEND_REASONS.map(reason => [reason, 0])) as Record<(typeof SEND_REASONS)[number], number>

/** First a line with the sources, then one for each row: number of the source, outcome, cells. */
class ReusedWriter {
  readonly #sink: Sink
  #batch: string[] = []

  private constructor(sink: Sink) {
    this.#sink = sink
  }

  static async open(path: string, { sources }: KnownAnswers): Promise<ReusedWriter> {
    const writer = new ReusedWriter(await openSink(path))
    writer.#batch.push(`${JSON.stringify({ sources })}\n`)
    return writer
  }

  async add({ sourceNumber, outcome }: FoundAnswer, line: Buffer): Promise<void> {
    this.#batch.push(`[${sourceNumber},"${outcome}",${line.toString('utf8', 0, line.length - 1)}]\n`)
    if (this.#batch.length >= BATCH) await this.#flush()
  }

  async publish(): Promise<string> {
    await this.#flush()
    const sha256 = await this.#sink.finish()
    await this.#sink.publish()
    return sha256
  }

  discard(): Promise<void> {
    return this.#sink.discard()
  }

  async #flush(): Promise<void> {
    await this.#sink.write(Buffer.from(this.#batch.join('')))
    this.#batch = []
  }
}
