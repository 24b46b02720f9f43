/**
 * The rows that a person is to look at or has decided about, kept beside the run while its review lasts. What may stand among
 * them is settled by the pipeline's report settings before.
 */
import { join } from 'node:path'
import { JsonLinesWriter, readJsonLines } from '../../files/json-lines.ts'
import type { SampleRow } from '../row-totals.ts'

const pathIn = (workDir: string): string => join(workDir, 'review.jsonl')

/** Writes the rows of a run. */
export const reviewWriter = (workDir: string): JsonLinesWriter<SampleRow> => new JsonLinesWriter(pathIn(workDir))

/** The rows kept in a run directory, in the order of the input; none where there are none. */
export const readReview = (workDir: string): AsyncGenerator<SampleRow> => readJsonLines(pathIn(workDir))
