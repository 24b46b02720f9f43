/** Stores the answers of a run in its directory, one file for each class with an age: what later runs may use once the run is accounted for. */
import { join } from 'node:path'
import { removeFile } from '../../files/atomic-file.ts'
import { keyDigester, questionDigester } from '../../input/upload/question.ts'
import type { ListFacts } from '../../model/list-facts.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { Answer, AnsweredJob } from '../answers.ts'
import type { EnrichedColumns } from '../enriched-columns.ts'
import { answersFile } from '../file-names.ts'
import { fingerprinter, rowDigest } from '../row-fingerprint.ts'
import { type AnswerClass, AnswerFileWriter, type AnswerSource, classOf, isAnswerOutcome } from './answer-file.ts'
import { storedCells } from './full-run.ts'

const CLASSES = ['matched', 'review', 'unmatched'] as const satisfies readonly AnswerClass[]

export const keptAnswersPaths = (workDir: string): { readonly kind: AnswerClass; readonly path: string }[] =>
  CLASSES.map(kind => ({ kind, path: join(workDir, answersFile(kind)) }))

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class AnswerKeeper {
  readonly #plan: Plan
  readonly #scope: string
  readonly #jobs: readonly AnsweredJob[]
  readonly #writers: ReadonlyMap<AnswerClass, AnswerFileWriter>
  readonly #columns = new Map<number, EnrichedColumns>()
  readonly #byHand = new Set<number>()
  readonly #questionOf: (uploadRow: readonly string[]) => Buffer
  readonly #fingerprintOf: (uploadRow: readonly string[]) => string
  readonly #keyOf: (inputRow: readonly string[]) => Buffer | null

  /** `scope`: see AnswerFileFacts. */
  constructor(plan: Plan, scope: string, jobs: readonly AnsweredJob[], workDir: string) {
    this.#plan = plan
    this.#scope = scope
    this.#jobs = jobs
    this.#writers = new Map(keptAnswersPaths(workDir).map(({ kind, path }) => [kind, new AnswerFileWriter(path)]))
    this.#questionOf = questionDigester(plan)
    this.#keyOf = keyDigester(plan)
    this.#fingerprintOf = fingerprinter(plan)
  }

  /** Keeps the answer to a row that went up; any other is that of an earlier run or of an equal row. */
  async add({ raw }: Pick<Answer, 'raw'>, inputRow: readonly string[], uploadRow: readonly string[]): Promise<void> {
    if (raw === null || !isAnswerOutcome(raw.outcome)) return
    const { part, outcome, columns } = raw
    this.#columns.set(part, columns)
    if (outcome === 'manualMatched') this.#byHand.add(part)
    const question = this.#questionOf(uploadRow)
    const row = rowDigest(this.#fingerprintOf(uploadRow))
    await this.#writers
      .get(classOf(outcome))!
      .add({ question, key: this.#keyOf(inputRow), row, source: part, outcome, cells: storedCells(raw) })
  }

  async publish(): Promise<void> {
    const { reuse, name, enrich } = this.#plan
    const sources = this.#jobs.map(({ id, at }, part): AnswerSource => {
      const { header, added } = this.#columns.get(part) ?? { header: [], added: [] }
      const columns = added.map(index => header[index] ?? '')
      return { job: id, at, columns, ...(this.#byHand.has(part) ? { byHand: true } : {}) }
    })
    const newest = Math.max(...sources.map(({ at }) => Date.parse(at)))
    const list = factsOfAll(this.#jobs) ?? {}
    for (const [kind, writer] of this.#writers) {
      if (writer.count === 0) await removeFile(writer.path)
      else {
        const expires = newest + reuse![kind]
        const facts = { scope: this.#scope, pipeline: name, tags: enrich?.tags ?? [], expires, sources }
        await writer.publish({ ...facts, ...list })
      }
    }
  }

  async discard(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.discard()
  }
}

/** Null where a job names none. */
function factsOfAll(jobs: readonly AnsweredJob[]): ListFacts | null {
  const known = jobs.flatMap(({ inRegister }) => inRegister ?? [])
  if (known.length < jobs.length || known.length === 0) return null
  const isUnreliable = jobs.some(({ companyNumbers }) => companyNumbers === 'unreliable')
  return {
    inRegister: known.reduce((sum, one) => sum + one, 0) / known.length,
    companyNumbers: isUnreliable ? 'unreliable' : 'reliable',
  }
}
