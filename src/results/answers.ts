/**
 * Reads the service's answers to the uploaded rows: the enriched files of all parts in order, row by row. For collapsed rows an answer
 * can be read again from its file, so that memory holds eight bytes a row.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { FettleError } from '../errors.ts'
import { parserOptions } from '../input/table/records.ts'
import type { ProposedCompany } from '../model/requests.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { acceptMatch, BANDING, type Evidence, PATTERN } from './accept.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { type EnrichedFile, noFile, openEnriched, outcomeReader, type RowOutcome } from './enriched-file.ts'
import { enrichedPath } from './file-names.ts'
import { NO_PROOF, type OrderProof, orderProof } from './row-order.ts'

/** `row` is a row of an enriched file with `columns`; `outcome` is that of the uploaded row, by the rules of `accept`. */
export interface Answer {
  readonly row: readonly string[]
  readonly columns: EnrichedColumns
  readonly outcome: RowOutcome
  /** What the service made of the row. */
  readonly serviceOutcome: RowOutcome
  /** Why the outcome is not that of the service; '' when it is. */
  readonly reason: string
  /** Companies that the service proposed when it was asked about the row. */
  readonly proposed: readonly ProposedCompany[]
}

export const evidenceOf = ({ row, columns }: Pick<Answer, 'row' | 'columns'>): Evidence => ({
  banding: row[columns.find(BANDING)] ?? '',
  pattern: row[columns.find(PATTERN)] ?? '',
})

/** Called before the answers of a part; `namesOutcome`: the file has the outcome in a column. */
type OnPart = (columns: EnrichedColumns, namesOutcome: boolean) => Promise<void>

/** The folder of the enriched files, and the parts without one because their job failed. */
export interface AnswerPlace {
  readonly workDir: string
  readonly failed: ReadonlySet<number>
}

interface Open {
  readonly file: EnrichedFile
  readonly outcomeOf: (row: readonly string[], number: number) => RowOutcome
  readonly proof: OrderProof
}

const FAILED: ReturnType<typeof outcomeReader> = { namesOutcome: true, of: () => 'failed' }

/** Reads answers in the order of the uploaded rows. Throws FETTLE_LEDGER, FETTLE_ROW_ORDER and FETTLE_OUTPUT_WRITE. */
export class Answers {
  count = 0
  readonly #plan: Plan
  readonly #from: AnswerPlace
  readonly #onPart: OnPart
  readonly #offsets: AnswerOffsets | null
  readonly #parts: Open[] = []

  constructor(plan: Plan, from: AnswerPlace, onPart: OnPart) {
    this.#plan = plan
    this.#from = from
    this.#onPart = onPart
    this.#offsets = plan.collapse ? new AnswerOffsets(plan.sent, from.workDir) : null
  }

  /** Opens the first part, whose columns decide those of the outputs; false without one. */
  async begin(): Promise<boolean> {
    return this.#parts.length > 0 || this.#openNext()
  }

  /** The next answer, which must belong to this row; null after the last one. */
  async next(uploadRow: readonly string[]): Promise<Answer | null> {
    const row = await this.#nextRow()
    if (row === null) return null
    const { file, outcomeOf, proof } = this.#parts.at(-1)!
    this.#offsets?.add(file)
    proof.check(++this.count, row, uploadRow)
    return this.#answer(file.columns, row, outcomeOf(row, this.count))
  }

  /** Answer `number` (from 0) again, for a row with the same dedupe key: a match of the first row is a duplicate now. */
  async again(number: number): Promise<Answer> {
    if (this.#offsets === null) throw new TypeError('answers are read again only where rows were collapsed')
    const part = this.#offsets.partOf(number)
    const { file, outcomeOf } = this.#parts[part]!
    const row = this.#from.failed.has(part) ? [] : await this.#offsets.read(number)
    const answer = this.#answer(file.columns, row, outcomeOf(row, number + 1))
    return answer.outcome === 'matched' || answer.outcome === 'manualMatched' ? { ...answer, outcome: 'duplicate' } : answer
  }

  #answer(columns: EnrichedColumns, row: readonly string[], serviceOutcome: RowOutcome): Answer {
    const whole = { row, columns, outcome: serviceOutcome, serviceOutcome, reason: '', proposed: [] }
    if (serviceOutcome !== 'matched' && serviceOutcome !== 'duplicate') return whole
    const { outcome, reason } = acceptMatch(this.#plan.accept ?? null, evidenceOf(whole))
    return outcome === 'matched' ? whole : { ...whole, outcome, reason }
  }

  /** Throws FETTLE_LEDGER when answers are missing or left over. */
  async finish(): Promise<void> {
    const { sent } = this.#plan
    if (this.count !== sent) throw new FettleError('FETTLE_LEDGER', `${sent} rows were sent and ${this.count} came back`)
    if ((await this.#nextRow()) !== null) throw new FettleError('FETTLE_LEDGER', `${sent} rows were sent and more came back`)
  }

  async close(): Promise<void> {
    await this.#parts.at(-1)?.file.close()
    await this.#offsets?.close()
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
    this.#offsets?.begin(part, file)
    const { namesOutcome, of } = isFailed ? FAILED : outcomeReader(file.columns)
    const proof = isFailed ? NO_PROOF : orderProof(this.#plan, file.columns, this.count)
    this.#parts.push({ file, outcomeOf: of, proof })
    await this.#onPart(file.columns, namesOutcome)
    return true
  }
}

interface PlacedPart {
  /** The number of its first row, from 0. */
  readonly first: number
  readonly header: number
  readonly delimiter: string
  handle: FileHandle | null
}

class AnswerOffsets {
  readonly #workDir: string
  readonly #ends: Float64Array
  readonly #parts: PlacedPart[] = []
  #count = 0

  constructor(rows: number, workDir: string) {
    this.#ends = new Float64Array(rows)
    this.#workDir = workDir
  }

  begin(part: number, { place, delimiter }: EnrichedFile): void {
    this.#parts[part] = { first: this.#count, header: place(), delimiter, handle: null }
  }

  add({ place }: EnrichedFile): void {
    this.#ends[this.#count++] = place()
  }

  partOf(number: number): number {
    return this.#parts.findLastIndex(({ first }) => first <= number)
  }

  /** Reads row `number` (from 0) again. Throws FETTLE_OUTPUT_WRITE when the file cannot be read back. */
  async read(number: number): Promise<readonly string[]> {
    const part = this.partOf(number)
    const found = this.#parts[part]!
    const path = enrichedPath(this.#workDir, part)
    try {
      found.handle ??= await open(path)
      const from = number === found.first ? found.header : this.#ends[number - 1]!
      const bytes = Buffer.alloc(this.#ends[number]! - from)
      await found.handle.read(bytes, 0, bytes.length, from)
      const [row] = parse(bytes, parserOptions(found.delimiter, 'relaxed')) as string[][]
      if (row === undefined) throw new Error(`row ${number + 1} is no longer there`)
      return row
    } catch (cause) {
      throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${(cause as Error).message}`, { cause })
    }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#parts) await handle?.close()
  }
}
