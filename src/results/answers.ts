/**
 * Reads the service's answers: to the uploaded rows from the enriched files of all parts, in order, and answers of earlier runs. For
 * equal rows an answer can be read again from its file.
 */

import type { FileHandle } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { counted } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { openContentOf } from '../files/file-chunks.ts'
import { parserOptions } from '../input/table/records.ts'
import type { ProposedCompany } from '../model/requests.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { Choice, type KnownAnswer, placeFinder, readFates } from '../reuse/files/choice.ts'
import { rowKeyMaker } from '../reuse/files/row-key.ts'
import { acceptMatch, BANDING, type Evidence, PATTERN } from './accept.ts'
import { addedColumns, type EnrichedColumns, NO_COLUMNS } from './enriched-columns.ts'
import { companyIn, type EnrichedFile, noFile, openEnriched, outcomeReader, type RowOutcome } from './enriched-file.ts'
import { cannotReadBack, receivedPath } from './file-names.ts'
import { FullRun, type RawAnswer } from './full-run.ts'
import { NO_PROOF, type OrderProof, orderProof } from './row-order.ts'

/** `row` is a row of an enriched file with `columns`; `outcome` is the outcome of the uploaded row, by the rules of `accept`. */
export interface Answer {
  readonly row: readonly string[]
  readonly columns: EnrichedColumns
  readonly outcome: RowOutcome
  /** What the service made of the row. */
  readonly serviceOutcome: RowOutcome
  /** Why the outcome differs from the service's; '' when it does not. */
  readonly reason: string
  /** Companies that the service proposed when it was asked about the row. */
  readonly proposed: readonly ProposedCompany[]
  readonly given: GivenAnswer
  /** As it came back, for the row that was sent; null for any other row. */
  readonly raw: (RawAnswer & { readonly part: number }) | null
}

/** When and by which job a row was answered. */
interface GivenAnswer {
  readonly at: string
  readonly job: string
  readonly reused: boolean
}

/** In place of the answer to a row that was not sent. */
export const NOT_SENT: Answer = {
  row: [],
  columns: NO_COLUMNS,
  outcome: 'skipped',
  serviceOutcome: 'skipped',
  reason: '',
  proposed: [],
  given: { at: '', job: '', reused: false },
  raw: null,
}

export const evidenceOf = ({ row, columns }: Pick<Answer, 'row' | 'columns'>): Evidence => ({
  banding: row[columns.find(BANDING)] ?? '',
  pattern: row[columns.find(PATTERN)] ?? '',
})

/** Called before the answers of a part. */
type OnPart = (columns: EnrichedColumns) => Promise<void>

/** The folder of the enriched files, and the parts without one because their job failed. */
export interface AnswerPlace {
  readonly workDir: string
  readonly failed: ReadonlySet<number>
  /** The jobs of the parts; unknown where there are none. */
  readonly jobs?: readonly AnsweredJob[]
}

/** A remote job, and when it answered. */
export interface AnsweredJob {
  readonly id: string
  readonly at: string
}

interface Open {
  readonly file: EnrichedFile
  readonly outcomeOf: (row: readonly string[], number: number) => RowOutcome
  readonly proof: OrderProof
  /** Rows before its own. */
  readonly before: number
}

const FAILED: ReturnType<typeof outcomeReader> = () => 'failed'

/** Reads answers in the order of the rows. Throws FETTLE_LEDGER, FETTLE_ROW_ORDER and FETTLE_OUTPUT_WRITE. */
export class Answers {
  /** Rows that were read of those that were sent. */
  count = 0
  readonly #plan: Plan
  readonly #from: AnswerPlace
  readonly #onPart: OnPart
  readonly #offsets: AnswerOffsets | null
  /** Earlier answers are read again, too. */
  readonly #placesKnown: boolean
  #known: Choice | null = null
  readonly #knownColumns = new Map<KnownAnswer['source'], EnrichedColumns>()
  #fullRun: FullRun | null
  readonly #parts: Open[] = []
  readonly #seen = new Set<EnrichedColumns>()

  constructor(plan: Plan, from: AnswerPlace, onPart: OnPart) {
    const { known, collapse, sent, merged } = plan
    this.#plan = plan
    this.#placesKnown = collapse || merged !== undefined
    this.#from = from
    this.#onPart = onPart
    this.#fullRun = known === undefined ? null : new FullRun(known)
    const rows = this.#placesKnown ? (known?.sent ?? sent) : sent
    this.#offsets = collapse || known !== undefined ? new AnswerOffsets(rows, from.workDir) : null
  }

  /** Opens the first part, whose columns decide the columns of the outputs; without a part, an earlier answer does. False without both. */
  async begin(): Promise<boolean> {
    if (this.#parts.length > 0 || this.#seen.size > 0 || (await this.#openNext())) return true
    const first = this.#choice()?.peek() ?? null
    if (first !== null) await this.#beginReused(first)
    return first !== null
  }

  /** The next answer, which must belong to this row, the row `asked` (from 0) with a question; null after the last one. */
  async next(uploadRow: readonly string[], asked: number): Promise<Answer | null> {
    const row = await this.#nextRow()
    if (row === null) return null
    const part = this.#parts.length - 1
    const { file, proof, before } = this.#parts[part]!
    proof.check(++this.count, row, uploadRow)
    if (file.problem !== null) throw file.problem
    this.#offsets?.add(part, this.count - before, file)
    return this.#answer(this.#readRaw(part, row, this.count - before), this.#describeJob(part), asked, part)
  }

  /** The next earlier answer. */
  async known(asked: number): Promise<Answer> {
    const found = this.#choice()!.next()
    await this.#beginReused(found)
    if (this.#placesKnown) this.#offsets?.addPlace(REUSED, found.from, found.length)
    return this.#reused(found, asked)
  }

  /** Answer `number` (from 0) again, for an equal row. */
  async again(number: number, asked: number): Promise<Answer> {
    if (this.#offsets === null) throw new TypeError('answers are read again only where rows were collapsed')
    const { part, from, length, number: own } = this.#offsets.place(number)
    if (part === REUSED) return this.#reused(this.#choice()!.again(from, length), asked)
    const row = this.#from.failed.has(part) ? [] : this.#parts[part]!.file.clean(await this.#offsets.read(number))
    return this.#answer(this.#readRaw(part, row, own), this.#describeJob(part), asked)
  }

  #readRaw(part: number, row: readonly string[], number: number): RawAnswer {
    const { file, outcomeOf, before } = this.#parts[part]!
    return { row, columns: file.columns, outcome: outcomeOf(row, before + number), number }
  }

  #describeJob(part: number): GivenAnswer {
    const { id = '', at = '' } = this.#from.jobs?.[part] ?? {}
    return { job: id, at, reused: false }
  }

  #choice(): Choice | null {
    const { known } = this.#plan
    if (known !== undefined) this.#known ??= Choice.open(this.#from.workDir, known.choice)
    return this.#known
  }

  #readColumns({ source }: KnownAnswer): EnrichedColumns {
    const columns = this.#knownColumns.get(source) ?? addedColumns(source.columns)
    this.#knownColumns.set(source, columns)
    return columns
  }

  #reused(found: KnownAnswer, asked: number): Answer {
    const { cells: row, outcome, source } = found
    const given = { job: source.job, at: source.at, reused: true }
    return this.#answer({ row, columns: this.#readColumns(found), outcome, number: 0 }, given, asked)
  }

  /** `part`: the row's part, if it was sent. */
  #answer(came: RawAnswer, given: GivenAnswer, asked: number, part: number | null = null): Answer {
    const { columns } = came
    const { row, outcome: serviceOutcome } =
      this.#fullRun === null ? came : this.#fullRun.answerTo(asked, came, companyIn(came.row, columns))
    const raw = part === null ? null : { row: came.row, columns, outcome: came.outcome, number: came.number, part }
    const whole: Answer = { row, columns, outcome: serviceOutcome, serviceOutcome, reason: '', proposed: [], given, raw }
    if (serviceOutcome !== 'matched' && serviceOutcome !== 'duplicate') return whole
    const { outcome, reason } = acceptMatch(this.#plan.accept ?? null, evidenceOf(whole))
    return outcome === 'matched' ? whole : { ...whole, outcome, reason }
  }

  /** Throws FETTLE_LEDGER when answers are missing or left over. */
  async finish(): Promise<void> {
    const { sent } = this.#plan
    if (this.count !== sent) throw new FettleError('FETTLE_LEDGER', `${counted(sent, 'row')} sent and ${this.count} came back`)
    if ((await this.#nextRow()) !== null)
      throw new FettleError('FETTLE_LEDGER', `${counted(sent, 'row')} sent and more came back`)
    this.#choice()?.finish()
    // What follows needs memory, too.
    this.#fullRun = null
  }

  async close(): Promise<void> {
    await this.#parts.at(-1)?.file.close()
    await this.#offsets?.close()
    this.#known?.close()
  }

  async #beginReused(found: KnownAnswer): Promise<void> {
    const columns = this.#readColumns(found)
    if (this.#seen.has(columns)) return
    this.#seen.add(columns)
    await this.#onPart(columns)
  }

  async #nextRow(): Promise<readonly string[] | null> {
    for (;;) {
      const file = this.#parts.at(-1)?.file
      const next = await file?.rows.next()
      if (next !== undefined && !next.done) return next.value
      this.#parts.at(-1)?.proof.end()
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
    const outcomeOf = isFailed ? FAILED : outcomeReader(file.columns)
    const { rows } = this.#plan.parts[part] ?? { rows: 0 }
    const proof = isFailed ? NO_PROOF : orderProof(this.#plan, file.columns, { rowsBefore: this.count, rows })
    this.#parts.push({ file, outcomeOf, proof, before: this.count })
    await this.#onPart(file.columns)
    return true
  }
}

/** The part of an earlier answer, which is in no enriched file. */
const REUSED = 65_535

interface PlacedPart {
  readonly delimiter: string
  /** The end of the last row. */
  end: number
  handle: FileHandle | null
}

/** Where answers are in their files, so that one can be read again for an equal row: eighteen bytes of memory for each. */
class AnswerOffsets {
  readonly #workDir: string
  readonly #froms: Float64Array
  readonly #lengths: Uint32Array
  readonly #partOf: Uint16Array
  /** The number of the row in its job, from 1. */
  readonly #numbers: Uint32Array
  readonly #parts: PlacedPart[] = []
  #count = 0

  constructor(rows: number, workDir: string) {
    this.#froms = new Float64Array(rows)
    this.#lengths = new Uint32Array(rows)
    this.#partOf = new Uint16Array(rows)
    this.#numbers = new Uint32Array(rows)
    this.#workDir = workDir
  }

  begin(part: number, { place, delimiter }: EnrichedFile): void {
    this.#parts[part] = { end: place(), delimiter, handle: null }
  }

  /** The next row of a part. */
  add(part: number, number: number, { place }: EnrichedFile): void {
    const found = this.#parts[part]!
    const end = place()
    this.#numbers[this.#count] = number
    this.addPlace(part, found.end, end - found.end)
    found.end = end
  }

  addPlace(part: number, from: number, length: number): void {
    this.#froms[this.#count] = from
    this.#lengths[this.#count] = length
    this.#partOf[this.#count++] = part
  }

  place(at: number): { readonly part: number; readonly from: number; readonly length: number; readonly number: number } {
    return { part: this.#partOf[at]!, from: this.#froms[at]!, length: this.#lengths[at]!, number: this.#numbers[at]! }
  }

  /** Reads row `number` (from 0) of an enriched file again. Throws FETTLE_OUTPUT_WRITE when the file cannot be read back. */
  async read(number: number): Promise<readonly string[]> {
    const { part, from, length } = this.place(number)
    const found = this.#parts[part]!
    const path = receivedPath(this.#workDir, part)
    try {
      found.handle ??= await openContentOf(path)
      const bytes = Buffer.alloc(length)
      await found.handle.read(bytes, 0, length, from)
      const [row] = parse(bytes, parserOptions(found.delimiter, 'relaxed')) as string[][]
      if (row === undefined) throw new Error(`row ${number + 1} is no longer there`)
      return row
    } catch (cause) {
      throw cannotReadBack(path, cause as Error)
    }
  }

  async close(): Promise<void> {
    for (const found of this.#parts) await found?.handle?.close()
  }
}

export interface AnsweredRow {
  readonly answer: Answer
  /** The row is collapsed: a match of the first row is a duplicate now. */
  readonly isRepeat: boolean
}

/** Returns the answer to the next row that has a key; null after the last one. */
export type AnswerReader = (uploadRow: readonly string[]) => Promise<AnsweredRow | null>

export async function answerReader(plan: Plan, answers: Answers, workDir: string): Promise<AnswerReader> {
  const rowKey = rowKeyMaker(plan)
  const dedupeIndex = plan.collapse ? new DigestIndex() : null
  const fates = readFates(plan, workDir)
  const placeOf = fates === null ? () => 'next' as const : placeFinder(plan, fates)
  let asked = 0
  return async uploadRow => {
    const number = dedupeIndex?.add(rowKey(uploadRow)) ?? asked
    if (number < asked) return { answer: asDuplicate(await answers.again(number, number)), isRepeat: true }
    const place = placeOf(uploadRow)
    const at = asked++
    const answer =
      place === 'known'
        ? await answers.known(at)
        : place === 'next'
          ? await answers.next(uploadRow, at)
          : await answers.again(place, at)
    return answer && { answer, isRepeat: false }
  }
}

const asDuplicate = (answer: Answer): Answer =>
  answer.outcome === 'matched' || answer.outcome === 'manualMatched' ? { ...answer, outcome: 'duplicate' } : answer
