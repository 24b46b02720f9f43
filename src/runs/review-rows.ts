/** The rows of a run that a person is to look at or has decided about, as reports give them. It writes nothing. */

import type { RunState } from '../journal/index.ts'
import type { HitToDecide } from '../model/results.ts'
import { type Sample, samplesIn } from '../report/index.ts'
import { readHitsToDecide, readReview } from '../results/index.ts'
import type { RunDirectory } from './run-directory.ts'

const BATCH = 500

export interface ReviewRow extends Sample {
  readonly outcome: 'review' | 'unmatched' | 'manualMatched'
}

/** The rows in the order of the input, the first `most` of them; null where the run kept none. */
export async function reviewRows(
  { plan, samples }: RunState,
  directory: RunDirectory,
  most = Number.POSITIVE_INFINITY,
): Promise<ReviewRow[] | null> {
  if (plan.report.rows === 'none') return []
  const rows: ReviewRow[] = []
  let batch: (typeof samples)[number][] = []
  const flush = (): void => {
    rows.push(...samplesIn(plan, batch).map((sample, at) => ({ ...sample, outcome: batch[at]!.outcome })))
    batch = []
  }
  for await (const row of readReview(directory.path)) {
    batch.push(row)
    if (rows.length + batch.length >= most) break
    if (batch.length === BATCH) flush()
  }
  flush()
  return rows.length === 0 ? null : rows
}

/** The hits of a run that a person decides about. */
export const hitsOfRun = async ({ plan }: RunState, { path }: RunDirectory): Promise<readonly HitToDecide[]> =>
  plan.report.rows === 'none' ? [] : readHitsToDecide(path)
