/**
 * Which companies were found before, over the parts of a run: a service tells of a row whose company an earlier row of the same
 * job has, and cannot know of those of another job. So the result is the same however the rows were shared among jobs.
 */

import { digestOf } from '../files/file-chunks.ts'
import { DigestIndex } from '../input/upload/row-dedupe.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { Answer } from './answers.ts'
import { foundIds } from './decisions/apply-decisions.ts'

/** True for an answer whose company an answer to an earlier row names already, though the service calls it a first one. */
export function crossJobDuplicates({ parts }: Pick<Plan, 'parts'>): (answer: Answer) => boolean {
  if (parts.length === 1) return () => false
  const seen = new DigestIndex()
  return answer => {
    const { outcome } = answer
    if (outcome !== 'matched' && outcome !== 'duplicate') return false
    const [id] = foundIds(answer)
    if (id === undefined) return false
    const { size } = seen
    const isNew = seen.add(digestOf(id)) === size
    return !isNew && outcome === 'matched'
  }
}
