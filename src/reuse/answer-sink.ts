/** Collects the answers of a run in its directory, in a file for each age: later runs use them once the run is accounted for. */
import { join } from 'node:path'
import { removeFile } from '../files/atomic-file.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { Answer, AnsweredJob } from '../results/answers.ts'
import type { EnrichedColumns } from '../results/enriched-columns.ts'
import { answersFile } from '../results/file-names.ts'
import { storedCells } from '../results/full-run.ts'
import { fingerprinter, rowDigest } from '../results/row-fingerprint.ts'
import type { JoinedRow, RowSink } from '../results/row-sink.ts'
import type { AnswerFolder } from './answer-folder.ts'
import { type AnswerClass, type AnswerSource, AnswersWriter, classOf, isAnswerOutcome } from './files/answers.ts'
import { keyOwner, rowKeyMaker } from './files/row-key.ts'

const CLASSES = ['matched', 'review', 'unmatched'] as const satisfies readonly AnswerClass[]

/** The files of answers of a run until they are kept: one for each age. */
export const draftPaths = ({ reuse }: Pick<Plan, 'reuse'>, workDir: string): string[] =>
  reuse == null ? [] : [...new Set(CLASSES.map(kind => reuse[kind]))].map(age => draftPath(workDir, age))

const draftPath = (workDir: string, age: number): string => join(workDir, answersFile(String(age)))

interface SentRow extends Pick<JoinedRow, 'inputRow' | 'uploadRow'> {
  readonly result: Pick<Answer, 'raw'>
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

  constructor(
    plan: Plan,
    {
      runId,
      folder,
      workDir,
    }: { readonly runId: string; readonly folder: Pick<AnswerFolder, 'facts'>; readonly workDir: string },
    jobs: readonly AnsweredJob[],
  ) {
    this.#plan = plan
    this.#runId = runId
    this.#folder = folder
    this.#jobs = jobs
    this.#writers = new Map(CLASSES.map(kind => [plan.reuse![kind], new AnswersWriter(draftPath(workDir, plan.reuse![kind]))]))
    this.#rowKey = rowKeyMaker(plan)
    this.#fingerprintOf = fingerprinter(plan)
  }

  /** Adds the answer to a row that was sent; any other is that of an earlier run or of an equal row. */
  async add({ result: { raw }, inputRow, uploadRow }: SentRow): Promise<void> {
    if (raw === null || !isAnswerOutcome(raw.outcome)) return
    const { part, outcome, columns } = raw
    const { key: keyColumn, reuse } = this.#plan
    this.#columns.set(part, columns)
    if (outcome === 'manualMatched') this.#byHand.add(part)
    const cell = keyColumn === null ? '' : (inputRow[keyColumn.index] ?? '')
    await this.#writers.get(reuse![classOf(outcome)])!.add({
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
