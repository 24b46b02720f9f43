/** Collects the answers of a run in its directory, in a file for each age: later runs use them once the run is accounted for. */
import { join } from 'node:path'
import { counted } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { removeFile } from '../files/atomic-file.ts'
import { byOutcome, type Outcomes } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { Answer, AnsweredJob } from '../results/answers.ts'
import type { EnrichedColumns } from '../results/enriched-columns.ts'
import { openEnriched, outcomeReader } from '../results/enriched-file.ts'
import { answersFile, receivedPath } from '../results/file-names.ts'
import { storedCells } from '../results/full-run.ts'
import { fingerprinter, rowDigest } from '../results/row-fingerprint.ts'
import { orderProof } from '../results/row-order.ts'
import type { JoinedRow, RowSink } from '../results/row-sink.ts'
import type { AnswerFolder } from './answer-folder.ts'
import { type AnswerClass, type AnswerSource, AnswersWriter, classifyOutcome, isAnswerOutcome } from './files/answers.ts'
import { keyOwner, rowKeyMaker } from './files/row-key.ts'

const CLASSES = ['matched', 'review', 'unmatched'] as const satisfies readonly AnswerClass[]

/** The files of answers of a run until they are kept: one for each age. */
export const draftPaths = ({ reuse }: Pick<Plan, 'reuse'>, workDir: string): string[] =>
  reuse == null ? [] : [...new Set(CLASSES.map(kind => reuse[kind]))].map(age => draftPath(workDir, age))

const draftPath = (workDir: string, age: number): string => join(workDir, answersFile(String(age)))

interface SentRow extends Pick<JoinedRow, 'inputRow' | 'uploadRow'> {
  readonly result: Pick<Answer, 'raw'>
}

interface SinkPlace {
  readonly runId: string
  readonly folder: Pick<AnswerFolder, 'facts'>
  readonly workDir: string
}

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class AnswerSink implements RowSink {
  readonly #plan: Plan
  readonly #runId: string
  readonly #folder: Pick<AnswerFolder, 'facts'>
  readonly #jobs: readonly AnsweredJob[]
  readonly #writers: ReadonlyMap<number, AnswersWriter>
  readonly #columns = new Map<number, EnrichedColumns>()
  readonly #byHand = new Set<number>()
  readonly #rowKey: (uploadRow: readonly string[]) => Buffer
  readonly #fingerprintOf: (uploadRow: readonly string[]) => string

  constructor(plan: Plan, { runId, folder, workDir }: SinkPlace, jobs: readonly AnsweredJob[]) {
    this.#plan = plan
    this.#runId = runId
    this.#folder = folder
    this.#jobs = jobs
    this.#writers = new Map(CLASSES.map(kind => [plan.reuse![kind], new AnswersWriter(draftPath(workDir, plan.reuse![kind]))]))
    this.#rowKey = rowKeyMaker(plan)
    this.#fingerprintOf = fingerprinter(plan)
  }

  /** Adds the answer to a row that was sent; any other is from an earlier run or an equal row. */
  async add({ result: { raw }, inputRow, uploadRow }: SentRow): Promise<void> {
    if (raw === null || !isAnswerOutcome(raw.outcome)) return
    const { part, outcome, columns } = raw
    const { key: keyColumn, reuse } = this.#plan
    this.#columns.set(part, columns)
    if (outcome === 'manualMatched') this.#byHand.add(part)
    const cell = keyColumn === null ? '' : (inputRow[keyColumn.index] ?? '')
    await this.#writers.get(reuse![classifyOutcome(outcome)])!.add({
      key: this.#rowKey(uploadRow),
      owner: cell === '' ? null : keyOwner(cell),
      row: rowDigest(this.#fingerprintOf(uploadRow)),
      ...{ source: part, outcome, cells: storedCells(raw) },
    })
  }

  async publish(): Promise<void> {
    const sources = this.#jobs.map(({ id, at }, part): AnswerSource => {
      const { header, added } = this.#columns.get(part) ?? { header: [], added: [] }
      const columns = added.map(index => header[index] ?? '')
      return { run: this.#runId, job: id, at, columns, byHand: this.#byHand.has(part) ? true : undefined }
    })
    const tags = [...(this.#plan.enrich?.tags ?? [])]
    for (const [age, writer] of this.#writers)
      if (writer.count === 0) await removeFile(writer.path)
      else await writer.publish(this.#folder.facts({ age, tags, sources }))
  }

  async discard(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.discard()
  }
}

/** The received file of a job, and what it must prove. */
export interface PaidPart {
  readonly part: number
  /** The keys of the whole run. */
  readonly keys: readonly Buffer[]
  /** Throws where the counts of the service contradict these. */
  readonly accept: (outcomes: Outcomes) => void
}

/** Adds the answers of a part to a sink. Throws FETTLE_LEDGER and FETTLE_ROW_ORDER for a file that proves less, and FETTLE_OUTPUT_WRITE. */
export async function addProved(sink: AnswerSink, plan: Plan, workDir: string, { part, keys, accept }: PaidPart): Promise<void> {
  const file = await openEnriched(plan, workDir, part)
  if (file === null) throw ledger(`${receivedPath(workDir, part)} is missing`)
  try {
    if (file.problem !== null) throw file.problem
    const { columns, rows } = file
    const readOutcome = outcomeReader(columns)
    const readSent = sentRowReader(plan, columns)
    const rowKey = rowKeyMaker(plan)
    const { from, rows: count } = plan.parts[part]!
    const proof = orderProof(plan, columns, { rowsBefore: from, rows: count })
    const counts = byOutcome(() => 0)
    let number = 0
    for (;;) {
      const { value: row, done } = await rows.next()
      if (done) break
      if (number === count) throw ledger(`${counted(number, 'row')} sent and more came back`)
      const key = keys[from + number++]
      const sent = readSent(row)
      proof.check(from + number, row, sent)
      if (key === undefined || !rowKey(sent).equals(key))
        throw new FettleError(
          'FETTLE_ROW_ORDER',
          `row ${number} of the enriched file does not repeat the cells that were sent in row ${number}`,
        )
      const outcome = readOutcome(row, number)
      counts[outcome === 'duplicate' ? 'duplicates' : outcome]++
      await sink.add({ result: { raw: { row, columns, outcome, number, part } }, inputRow: sent, uploadRow: sent })
    }
    if (number < count) throw ledger(`${counted(count, 'row')} sent and ${number} came back`)
    proof.end()
    accept(counts)
  } finally {
    await file.close()
  }
}

const ledger = (message: string): FettleError => new FettleError('FETTLE_LEDGER', message)

/** Reads the row that was sent, constants included, from the enriched row that repeats it. */
function sentRowReader(
  { mappings }: Pick<Plan, 'mappings'>,
  { own }: EnrichedColumns,
): (enriched: readonly string[]) => readonly string[] {
  const constants = new Map(mappings.flatMap(({ index, value }) => (value === undefined ? [] : [[index, value]])))
  return enriched => {
    const row = own.map(([place]) => enriched[place ?? -1] ?? '')
    for (const [index, value] of constants) row[index] = value
    return row
  }
}
