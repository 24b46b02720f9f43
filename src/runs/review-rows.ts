/** The rows of a run that a person is to look at or has decided about, as reports give them. It writes nothing. */

import type { RunState } from '../journal/index.ts'
import type { HitToDecide } from '../model/results.ts'
import { isUnmatched, type Sample, samplesIn } from '../report/index.ts'
import { readHitsToDecide, readReview } from '../results/index.ts'
import type { RunDirectory } from './run-directory.ts'

const BATCH = 500

export interface ReviewRow extends Sample {
  readonly outcome: 'review' | 'unmatched' | 'manualMatched'
}

/** The rows in the order of the input, those without a company last, the first `most` of them; null where the run kept none. */
export async function reviewRows(
  { plan, samples }: RunState,
  directory: RunDirectory,
  most = Number.POSITIVE_INFINITY,
): Promise<ReviewRow[] | null> {
  if (plan.report.rows === 'none') return []
  const rows: ReviewRow[] = []
  const unmatched: ReviewRow[] = []
  let batch: (typeof samples)[number][] = []
  const flush = (): void => {
    for (const [at, sample] of samplesIn(plan, batch).entries()) {
      const row = { ...sample, outcome: batch[at]!.outcome }
      ;(isUnmatched(row) ? unmatched : rows).push(row)
    }
    batch = []
  }
  for await (const row of readReview(directory.path)) {
    batch.push(row)
    if (batch.length === BATCH) flush()
  }
  flush()
  const all = [...rows, ...unmatched].slice(0, most)
  return all.length === 0 ? null : all
}

/** The hits of a run that a person decides about. */
export const hitsOfRun = async ({ plan }: RunState, { path }: RunDirectory): Promise<readonly HitToDecide[]> =>
  plan.report.rows === 'none' ? [] : readHitsToDecide(path)
