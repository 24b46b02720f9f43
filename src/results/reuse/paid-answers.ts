/**
 * Keeps the answers of an unfinished run without its list, which may be a different one by now: the proof of order of the join, and
 * every row repeats the cells that were sent in its place, as the run recorded them.
 */
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { questionDigester } from '../../input/upload/question.ts'
import { byOutcome, type Outcomes } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { AnsweredJob } from '../answers.ts'
import type { EnrichedColumns } from '../enriched-columns.ts'
import { openEnriched, outcomeReader } from '../enriched-file.ts'
import { receivedPath } from '../file-names.ts'
import { orderProof } from '../row-order.ts'
import { AnswerKeeper } from './answer-keeper.ts'

interface PaidJob {
  readonly part: number
  readonly job: AnsweredJob
  /** See AnswerFileFacts. */
  readonly scope: string
  /** The questions of its rows, in the order in which they were sent. */
  readonly questions: readonly Buffer[]
  /** Throws where the counts of the service contradict these. */
  readonly accept: (outcomes: Outcomes) => void
}

/**
 * Writes the files of `keptAnswersPaths`. Throws FETTLE_LEDGER and FETTLE_ROW_ORDER for a file that proves less and is then not
 * kept, and FETTLE_OUTPUT_WRITE.
 */
export async function keepPaidAnswers(
  plan: Plan,
  workDir: string,
  { part, job, scope, questions, accept }: PaidJob,
): Promise<void> {
  const file = await openEnriched(plan, workDir, part)
  if (file === null) throw new FettleError('FETTLE_LEDGER', `${receivedPath(workDir, part)} is missing`)
  if (file.problem !== null) {
    await file.close()
    throw file.problem
  }
  const keeper = new AnswerKeeper(plan, scope, [job], workDir)
  try {
    const { columns, rows } = file
    const readOutcome = outcomeReader(columns)
    const readSent = sentRowReader(plan, columns)
    const digestQuestion = questionDigester(plan)
    const { from, rows: count } = plan.parts[part]!
    const proof = orderProof(plan, columns, { rowsBefore: from, rows: count })
    const counts = byOutcome(() => 0)
    let number = 0
    for (;;) {
      const { value: row, done } = await rows.next()
      if (done) break
      if (number === questions.length) throw ledger(`${counted(number, 'row')} sent and more came back`)
      const question = questions[number++]!
      const sent = readSent(row)
      proof.check(from + number, row, sent)
      if (!digestQuestion(sent).equals(question))
        throw new FettleError(
          'FETTLE_ROW_ORDER',
          `row ${number} of the enriched file does not repeat the cells that were sent in row ${number}`,
        )
      const outcome = readOutcome(row, number)
      counts[outcome === 'duplicate' ? 'duplicates' : outcome]++
      await keeper.add({ raw: { row, columns, outcome, number, part: 0 } }, sent, sent)
    }
    if (number < questions.length) throw ledger(`${counted(questions.length, 'row')} sent and ${number} came back`)
    proof.end()
    accept(counts)
    await keeper.publish()
  } finally {
    await keeper.discard()
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
