/** The files that a run needs while it is executed. */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSource } from '../input/index.ts'
import type { RunState } from '../journal/index.ts'
import { nameLine, type Plan, recordedInput } from '../pipeline/index.ts'
import { pruneRuns } from '../privacy/prune.ts'
import { EVENTS_FILE, isAnswersFile } from '../results/file-names.ts'
import { openResults } from '../results/index.ts'
import { type RunDirectory, removeIfPossible } from '../runs/run-directory.ts'
import { tidyRuns } from '../runs/run-store.ts'
import { removeStaged } from '../staging/staged-input.ts'
import { removeRecordingKey } from './recording.ts'

/**
 * Removes the work files of a finished run: input rows, state of the embedded service. Files that cannot be removed are harmless;
 * the next resume tries again. Returns which runs `retention` could not remove.
 */
export async function removeWorkFiles(state: RunState, directory: RunDirectory, root: string): Promise<readonly string[]> {
  const { plan, status, finished } = state
  if (!finished) return []
  removeIfPossible(directory.service)
  removeRecordingKey(directory)
  removeIfPossible(join(directory.path, EVENTS_FILE))
  const results = openResults(plan, directory.path, { root })
  await results.removeCompanies()
  await openSource(plan, directory.path, { root })
    .remove()
    .catch(() => {})
  const runsDir = dirname(directory.path)
  removeStaged(runsDir, recordedInput(plan.input).kind, `${plan.input.sha256}.csv`)
  await tidyRuns(directory, state, plan.retention !== undefined)
  const unremoved = await pruneOld(plan, runsDir)
  // After an error the file is evidence, and as long as rows can be decided about outputs are made of it again.
  // What came back for a shard is its result, until the next run of that shard.
  if (plan.shard !== undefined) return unremoved
  if (status !== 'error' && !hasReview(state) && !hasUnmatched(state)) await results.remove()
  for (const name of readdirSync(directory.path).filter(isAnswersFile)) removeIfPossible(join(directory.path, name))
  return unremoved
}

/** Removes the runs that are too old, and returns which could not be removed. */
async function pruneOld(plan: Plan, runsDir: string): Promise<readonly string[]> {
  if (plan.retention === undefined) return []
  try {
    const { failed } = await pruneRuns(runsDir, { olderThanMs: plan.retention, line: nameLine(plan) })
    return failed.map(({ runId, why }) => `retention: could not remove ${runId}: ${why}`)
  } catch (error) {
    return [`retention: could not remove old runs: ${(error as Error).message}`]
  }
}

/** Whether it keeps rows without a company, about which a person may decide. */
const hasUnmatched = ({ plan, outcomes }: Pick<RunState, 'plan' | 'outcomes'>): boolean =>
  plan.report.rows === 'all' && (outcomes?.unmatched ?? 0) > 0

/** Whether a person has rows or hits to decide about, or decided about some. */
export const hasReview = ({
  plan,
  outcomes,
  decisions,
  screening,
}: Pick<RunState, 'plan' | 'outcomes' | 'decisions' | 'screening'>): boolean =>
  (outcomes?.review ?? 0) > 0 ||
  (decisions !== null && decisions.accepted + decisions.rejected + decisions.overruled > 0) ||
  (plan.screen?.decisions !== undefined && (screening?.hits ?? 0) > 0)
