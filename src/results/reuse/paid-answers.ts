/**
 * Keeps the answers of an unfinished run without its list, which may be another one by now: each row of a received file repeats the cells
 * that were sent, and so its question.
 */
import { FettleError } from '../../errors.ts'
import { questionDigester } from '../../input/upload/question.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { AnsweredJob } from '../answers.ts'
import type { EnrichedColumns } from '../enriched-columns.ts'
import { openEnriched, outcomeReader } from '../enriched-file.ts'
import { receivedPath } from '../file-names.ts'
import { AnswerKeeper } from './answer-keeper.ts'

interface PaidJob {
  readonly part: number
  readonly job: AnsweredJob
  /** See AnswerFileFacts. */
  readonly scope: string
  /** Only these questions are kept: a cell that the service changed makes another one. */
  readonly isAsked: (question: Buffer) => boolean
}

/** Writes the files of `keptAnswersPaths`, and returns the questions that they answer. Throws FETTLE_LEDGER, FETTLE_OUTPUT_WRITE. */
export async function keepPaidAnswers(
  plan: Plan,
  workDir: string,
  { part, job, scope, isAsked }: PaidJob,
): Promise<readonly Buffer[]> {
  const file = await openEnriched(plan, workDir, part)
  if (file === null) throw new FettleError('FETTLE_LEDGER', `${receivedPath(workDir, part)} is missing`)
  const keeper = new AnswerKeeper(plan, scope, [job], workDir)
  try {
    const { columns, rows } = file
    const outcomeOf = outcomeReader(columns)
    const sentRow = repeatedCells(plan, columns)
    const questionOf = questionDigester(plan)
    const kept: Buffer[] = []
    for (let number = 1; ; number++) {
      const { value: row, done } = await rows.next()
      if (done) break
      const sent = sentRow(row)
      const question = questionOf(sent)
      if (!isAsked(question)) continue
      await keeper.add({ raw: { row, columns, outcome: outcomeOf(row, number), number, part: 0 } }, sent, sent)
      kept.push(question)
    }
    await keeper.publish()
    return kept
  } finally {
    await keeper.discard()
    await file.close()
  }
}

/** The mapped cells of the row that was sent, and its key, by an enriched row. */
function repeatedCells(
  { mappings, key }: Pick<Plan, 'mappings' | 'key'>,
  { own }: EnrichedColumns,
): (enriched: readonly string[]) => readonly string[] {
  const indexes = [...mappings.map(({ index }) => index), ...(key === null ? [] : [key.index])]
  const constants = new Map(mappings.flatMap(({ index, value }) => (value === undefined ? [] : [[index, value]])))
  return enriched => {
    const row: string[] = []
    for (const index of indexes) row[index] = constants.get(index) ?? enriched[own[index]?.[0] ?? -1] ?? ''
    return row
  }
}
