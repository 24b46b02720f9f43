/**
 * What a decision tree of the service is asked about the rows, and what it decided: both are files of the run directory. A row without a
 * company, or without a value for a field of the tree, is referred and not asked about.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Decision, referWithout } from '../decide/decide.ts'
import { sentValueReader } from '../decide/values.ts'
import { FettleError } from '../errors.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import { JsonLinesWriter, readJsonLines, readJsonLinesFrom, writeJsonLines } from '../files/json-lines.ts'
import type { TreeAnswer, TreeQuestion } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { RowDecision } from './changes/row-states.ts'
import { cellReader, type DecidedRow, dayOf, ReadCells } from './decide-rows.ts'
import { firstCell, isFound } from './decisions/apply-decisions.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { RULED_FILE, TREE_FILE } from './file-names.ts'
import type { JoinedRow, RowSink } from './row-sink.ts'

const COMPANY = 'general.connectId'

/** Returns the question about a row, or why it is referred without one; `readCells` gets what it is made from. */
function questionMaker(plan: Plan, readCells: ReadCells | null) {
  const { name: tree, fields } = plan.tree!
  const read = Object.entries(fields).map(([name, field]) => ({
    ...{ name, field, columns: [field.from ?? name].flat(), toValue: sentValueReader(field, dayOf(plan)) },
  }))
  let last: EnrichedColumns | null = null
  let readers: readonly ReturnType<typeof cellReader>[] = []
  return (row: DecidedRow): TreeQuestion | Decision => {
    const { result } = row
    const company = isFound(result) ? firstCell(result, [COMPANY]) : ''
    readCells?.add(company, false)
    if (company === '') return referWithout(tree, COMPANY, {}, undefined)
    if (result.columns !== last) {
      last = result.columns
      readers = read.map(({ columns }) => cellReader(plan, columns, result.columns, null))
    }
    const inputs: Record<string, string | number> = {}
    for (const [at, { name, field, toValue }] of read.entries()) {
      const { isOfList, read: readCell } = readers[at]!
      const cell = readCell(row)
      readCells?.add(cell, isOfList)
      if (cell === undefined || cell.trim() === '') return referWithout(tree, name, field, undefined)
      const value = toValue(cell)
      if (value === null) return referWithout(tree, name, field, cell)
      inputs[name] = value
    }
    const id = createHash('sha256')
      .update(JSON.stringify([company, inputs]))
      .digest('hex')
      .slice(0, 32)
    return { id, company, inputs }
  }
}

/** Stores the different questions about the rows. */
export class TreeLister implements RowSink {
  readonly #questionAbout: ReturnType<typeof questionMaker>
  readonly #writer: JsonLinesWriter<TreeQuestion>
  readonly #known = new DigestIndex()

  constructor(plan: Plan, workDir: string) {
    this.#questionAbout = questionMaker(plan, null)
    this.#writer = new JsonLinesWriter(join(workDir, TREE_FILE))
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  async add(row: JoinedRow): Promise<void> {
    const question = row.result.outcome === 'skipped' ? null : this.#questionAbout(row)
    if (question === null || !('id' in question)) return
    const known = this.#known.size
    if (this.#known.add(digestOf(question.id)) === known) await this.#writer.add(question)
  }

  count = (): number => this.#known.size
  /** Throws FETTLE_OUTPUT_WRITE. */
  publish = (): Promise<void> => this.#writer.publish()
  discard = (): Promise<void> => this.#writer.discard()
}

/** The questions from number `from` (from 0) on. Throws FETTLE_OUTPUT_WRITE when there are not `listed` of them. */
export async function* readTreeQuestions(workDir: string, listed: number, from = 0): AsyncGenerator<TreeQuestion> {
  const path = join(workDir, TREE_FILE)
  const count = yield* readJsonLinesFrom<TreeQuestion>(path, from)
  if (count !== listed) throw new FettleError('FETTLE_OUTPUT_WRITE', `${path} has ${count} questions, but ${listed} were listed`)
}

export type TreeAnswers = ReadonlyMap<string, TreeAnswer>
type Line = TreeAnswer & { readonly question: string }

/** Stores what the tree decided; `publish` decides by it from then on. Throws FETTLE_OUTPUT_WRITE. */
export const storeRuled = (workDir: string, answers: readonly (readonly [string, TreeAnswer])[]): Promise<void> =>
  writeJsonLines(
    join(workDir, RULED_FILE),
    answers.map(([question, answer]): Line => ({ question, ...answer })),
  )

/** By question; null before the tree was asked. */
export async function readRuled(workDir: string): Promise<TreeAnswers | null> {
  const path = join(workDir, RULED_FILE)
  if (!existsSync(path)) return null
  const found = new Map<string, TreeAnswer>()
  for await (const { question, ...answer } of readJsonLines<Line>(path)) found.set(question, answer)
  return found
}

/** Returns what decides about a row by these answers. */
export function treeDecider(plan: Plan, answers: TreeAnswers): (row: DecidedRow) => RowDecision | null {
  const readCells = new ReadCells()
  const questionAbout = questionMaker(plan, readCells)
  return row => {
    if (row.result.outcome === 'skipped') return null
    const question = questionAbout(row)
    const read = readCells.digests()
    if (!('id' in question)) return { ...question, read }
    const answer = answers.get(question.id)
    if (answer !== undefined) return { ...answer, missing: null, read }
    return { decision: 'refer', rule: plan.tree!.name, why: 'the service was not asked about this company', missing: null, read }
  }
}
