/** Stores the rows to review, and those with a decision, in the run directory; settings of the report decide which cells they show. */

import { JsonLinesWriter, readJsonLines, writeJsonLines } from '../../files/json-lines.ts'
import type { RowSample } from '../../model/results.ts'
import { reviewPath } from '../file-names.ts'

export type ReviewRow = Required<Omit<RowSample, 'file'>> & Pick<RowSample, 'file'>

export const reviewWriter = (workDir: string): JsonLinesWriter<ReviewRow> => new JsonLinesWriter(reviewPath(workDir))

/** The stored rows in the order of the input; empty without such a file. */
export const readReview = (workDir: string): AsyncGenerator<ReviewRow> => readJsonLines(reviewPath(workDir))

/** Writes the rows again without some of them. Throws FETTLE_OUTPUT_WRITE. */
export async function removeReviewRows(workDir: string, isGone: (row: ReviewRow) => boolean): Promise<void> {
  async function* left(): AsyncGenerator<ReviewRow> {
    for await (const row of readReview(workDir)) if (!isGone(row)) yield row
  }
  await writeJsonLines(reviewPath(workDir), left())
}
