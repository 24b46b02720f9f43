/**
 * Finds matches that repeat a company of an earlier part. A service reports duplicates within one job only; with this the result does
 * not depend on how rows were split into jobs.
 */

import { digestOf } from '../files/file-chunks.ts'
import { DigestIndex } from '../input/upload/row-dedupe.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { Answer } from './answers.ts'
import { foundIds } from './decisions/apply-decisions.ts'

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
