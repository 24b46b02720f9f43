/** Refuses a run that would undo decisions which the last run of the pipeline applied. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Action, action, FettleError } from '../../errors.ts'
import { decisionsFileOf, lineOf, type Plan } from '../../pipeline/index.ts'
import { counted } from '../../report/words.ts'
import { APPLIED_FILE } from '../../results/file-names.ts'
import { shellCommand } from '../../shell-command.ts'
import { listRunIds, runDirectory } from '../runs/run-directory.ts'
import { findRun } from '../runs/run-store.ts'
import { dayOf } from './decisions.ts'

/** What a plan has for a pipeline file when `clean` made the pipeline. */
const CLEAN = `${shellCommand(action('clean'))} `

interface KeptOptions {
  readonly runsDir: string
  readonly cwd: string
  readonly dropDecisions?: boolean
}

/** The command that runs a plan again with this flag. */
export const runAgainWith = (flag: string, { file }: Plan): Action =>
  file.startsWith(CLEAN) ? action('clean', flag, file.slice(CLEAN.length)) : action('run', flag, file)

/**
 * Compares the decisions file of the plan with the decisions that the last run with outputs applied. A row without any line is lost:
 * a line `undo` takes a decision back. `undo` is the command of the hint. Throws FETTLE_DECISIONS_LOST, FETTLE_DECISIONS.
 */
export async function assertDecisionsKept(
  plan: Plan,
  options: KeptOptions,
  now: number,
  undo = runAgainWith('--drop-decisions', plan),
): Promise<void> {
  const { runsDir, cwd, dropDecisions = false } = options
  if (dropDecisions || plan.output === null) return
  const before = findRun(runsDir, listRunIds(runsDir, lineOf(plan)), ({ outputs }) => outputs.length > 0)
  if (before === null) return
  const copy = join(runDirectory(runsDir, before.runId).path, APPLIED_FILE)
  if (!existsSync(copy)) return
  const { requireDecisions } = await import('../../results/index.ts')
  const today = dayOf(now)
  const applied = (await requireDecisions(copy)).filter(({ expires }) => expires === '' || expires >= today)
  // `clean` looks for the file by the name of the list.
  const path = plan.decisions ?? (plan.file.startsWith(CLEAN) ? decisionsFileOf(plan.name) : null)
  const exists = path !== null && existsSync(resolve(cwd, path))
  const kept = new Set(exists ? (await requireDecisions(path, cwd)).map(({ fingerprint }) => fingerprint) : [])
  const lost = new Set(applied.map(({ fingerprint }) => fingerprint).filter(fingerprint => !kept.has(fingerprint)))
  if (lost.size === 0) return
  const rows = counted(lost.size, 'row')
  const why =
    path === null
      ? 'the pipeline names no decisions file'
      : exists
        ? `${path} has no line about ${lost.size === 1 ? 'it' : 'them'}`
        : `there is no file ${path}`
  const advice =
    path === null
      ? `Add  review: { decisions: ${before.plan.decisions ?? decisionsFileOf(plan.name)} }  to the pipeline.`
      : `Restore it: ${copy} is a copy of what was applied.`
  throw new FettleError(
    'FETTLE_DECISIONS_LOST',
    `the run ${before.runId} applied decisions about ${rows} that this run would undo: ${why}`,
    {
      hint: `${advice} To undo them, run without them.`,
      action: undo,
    },
  )
}
