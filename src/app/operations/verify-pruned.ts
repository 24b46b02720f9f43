/** What is left of a run that was removed: its line in the record of removed runs, and its outputs. */
import { existsSync } from 'node:fs'
import { RUN_OUTPUT } from '../../pipeline/index.ts'
import { prunedPath, type RunSpending, readPruned } from '../runs/pruned-runs.ts'
import { runDirectory } from '../runs/run-directory.ts'
import { type Findings, verifyOutputs } from './verify-files.ts'

/** Whether the record can be read to its end. */
export function verifyRecord(runsDir: string, { files, fault }: Findings): boolean {
  const path = prunedPath(runsDir)
  if (!existsSync(path)) return true
  files.push(path)
  const { fault: found } = readPruned(runsDir)
  if (found !== null) fault(path, `is not as it was written: ${found.why}`, found.line)
  return found === null
}

/** What the removal took is named, and is no fault. */
export async function verifyPruned(
  run: RunSpending,
  { runsDir, cwd, head }: { readonly runsDir: string; readonly cwd: string; readonly head: string | null },
  findings: Findings,
): Promise<void> {
  const { runId, prunedAt, journal, outputs } = run
  const { notes } = findings
  notes.push(`it was removed on ${prunedAt?.slice(0, 10)}: its journal, reports and received rows are gone`)
  if (existsSync(runDirectory(runsDir, runId).path))
    notes.push('its removal was interrupted: the next removal of runs completes it')
  if (head !== null && head !== journal)
    notes.push(`${head} cannot be compared: its journal is gone, whose last head was ${journal}`)
  if (outputs === undefined) notes.push('it was removed by an earlier version: its outputs cannot be compared')
  // A result in the run directory went with it.
  const left = outputs?.filter(({ path }) => path !== RUN_OUTPUT) ?? []
  await verifyOutputs({ state: { outputs: left, forgotten: [] }, runsDir, cwd, id: runId }, findings)
}
