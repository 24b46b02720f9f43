/** Reads the answer to each row: what came back for it or for an equal row, or that of an earlier run. */
import { DigestIndex } from '../files/digest-index.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { placeFinder, readFates } from '../reuse/files/choice.ts'
import { rowKeyMaker } from '../reuse/files/row-key.ts'
import type { Answer, Answers } from './answers.ts'

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
  const fates = await readFates(plan, workDir)
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
