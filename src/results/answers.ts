/**
 * The answers to the rows that went up: the enriched files of all parts, one after the other, row by row. Where rows were
 * collapsed an answer can be read again for a later row, from its file, so that memory holds places and no answers.
 */
import { FettleError } from '../errors.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { AnswerOffsets } from './answer-offsets.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { type EnrichedFile, noFile, openEnriched, outcomeReader, type RowOutcome } from './enriched-file.ts'
import { NO_PROOF, type OrderProof, orderProof } from './row-order.ts'

/** One row of an enriched file, the columns of that file, and what became of the row that was sent. */
export interface Answer {
  readonly row: readonly string[]
  readonly columns: EnrichedColumns
  readonly outcome: RowOutcome
}

/** Called as the answers of a part begin; `isTold` says whether they name the outcome. */
type OnPart = (columns: EnrichedColumns, isTold: boolean) => Promise<void>

/** Where the files are, and which parts have none because their job failed. */
export interface AnswerPlace {
  readonly workDir: string
  readonly failed: ReadonlySet<number>
}

/** A part at hand. */
interface Open {
  readonly file: EnrichedFile
  readonly outcomeOf: (row: readonly string[], number: number) => RowOutcome
  readonly proof: OrderProof
}

const FAILED: ReturnType<typeof outcomeReader> = { isTold: true, of: () => 'failed' }

/** Reads answers in the order of the rows that were sent. Its errors are FETTLE_LEDGER, FETTLE_ROW_ORDER and FETTLE_OUTPUT_WRITE. */
export class Answers {
  /** So many were read. */
  count = 0
  readonly #plan: Plan
  readonly #from: AnswerPlace
  readonly #onPart: OnPart
  readonly #places: AnswerOffsets | null
  readonly #parts: Open[] = []

  constructor(plan: Plan, from: AnswerPlace, onPart: OnPart) {
    this.#plan = plan
    this.#from = from
    this.#onPart = onPart
    this.#places = plan.collapse ? new AnswerOffsets(plan.sent, from.workDir) : null
  }

  /** The next answer, which must be the one to this row; null when there are no more. */
  async next(sent: readonly string[]): Promise<Answer | null> {
    const row = await this.#nextRow()
    if (row === null) return null
    const { file, outcomeOf, proof } = this.#parts.at(-1)!
    this.#places?.add(file)
    proof.check(++this.count, row, sent)
    return { row, columns: file.columns, outcome: outcomeOf(row, this.count) }
  }

  /** Answer `number` (from 0) once more, to a row that asks the same: who was found for the first is now found twice. */
  async again(number: number): Promise<Answer> {
    if (this.#places === null) throw new TypeError('answers are read again only where rows were collapsed')
    const part = this.#places.partOf(number)
    const { file, outcomeOf } = this.#parts[part]!
    const row = this.#from.failed.has(part) ? [] : await this.#places.read(number)
    const outcome = outcomeOf(row, number + 1)
    return { row, columns: file.columns, outcome: outcome === 'matched' || outcome === 'manualMatched' ? 'duplicate' : outcome }
  }

  /** Throws when there is an answer left that no row asked for. */
  async finish(): Promise<void> {
    const { sent } = this.#plan
    if (this.count !== sent) throw new FettleError('FETTLE_LEDGER', `${sent} rows were sent and ${this.count} came back`)
    if ((await this.#nextRow()) !== null) throw new FettleError('FETTLE_LEDGER', `${sent} rows were sent and more came back`)
  }

  /** Lets go of all files; safe to call at any time. */
  async close(): Promise<void> {
    await this.#parts.at(-1)?.file.close()
    await this.#places?.close()
  }

  async #nextRow(): Promise<readonly string[] | null> {
    for (;;) {
      const file = this.#parts.at(-1)?.file
      const next = await file?.rows.next()
      if (next !== undefined && !next.done) return next.value
      await file?.close()
      if (!(await this.#openNext())) return null
    }
  }

  async #openNext(): Promise<boolean> {
    const part = this.#parts.length
    const isFailed = this.#from.failed.has(part)
    const file = isFailed ? noFile(this.#plan.parts[part]!.rows) : await openEnriched(this.#plan, this.#from.workDir, part)
    if (file === null) return false
    this.#places?.begin(part, file)
    const { isTold, of } = isFailed ? FAILED : outcomeReader(file.columns)
    const proof = isFailed ? NO_PROOF : orderProof(this.#plan, file.columns, this.count)
    this.#parts.push({ file, outcomeOf: of, proof })
    await this.#onPart(file.columns, isTold)
    return true
  }
}
