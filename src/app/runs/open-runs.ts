/** Unfinished runs of one name: which of them `status`, `resume` and `collect` mean, and which one the same command continues. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, FettleError } from '../../errors.ts'
import type { RunState } from '../../journal/index.ts'
import { isSameWork, lineOf, type Plan } from '../../pipeline/index.ts'
import { QUEUE_FILE } from '../../results/file-names.ts'
import { shellCommand } from '../../shell-command.ts'
import { findRunId, lastRun, listRunIds, newestRun, readRun, runDirectory } from './run-directory.ts'
import { parseRunId } from './run-id.ts'

/** As in a line of the journal; quotes inside of a value are escaped there. */
const DETACHED = '"type":"run.detached"'

const journalText = (runsDir: string, id: string): string => readFileSync(runDirectory(runsDir, id).journal, 'utf8')

/** Whether the list of the run is in a queue, without a journal here. */
const isQueued = (runsDir: string, id: string): boolean =>
  !existsSync(runDirectory(runsDir, id).journal) && existsSync(join(runsDir, id, QUEUE_FILE))

/** Whether `collect` finishes the run: it was detached, or its list is in a queue. */
export const isCollected = (runsDir: string, id: string): boolean =>
  isQueued(runsDir, id) || (existsSync(runDirectory(runsDir, id).journal) && journalText(runsDir, id).includes(DETACHED))

/**
 * The unfinished runs of a pipeline or shard, newest first: the newest of all, and each one that was detached or put into a queue. One
 * that was stopped and followed by another is not among them. A journal that cannot be read counts as unfinished.
 */
export function openRunIds(runsDir: string, line: string): string[] {
  return listRunIds(runsDir, line).filter((id, at) => {
    if (isQueued(runsDir, id)) return true
    if (!existsSync(runDirectory(runsDir, id).journal)) return false
    return (at === 0 || journalText(runsDir, id).includes(DETACHED)) && !isFinished(runsDir, id)
  })
}

function isFinished(runsDir: string, id: string): boolean {
  try {
    return readRun(runsDir, id).finished
  } catch (error) {
    if (FettleError.is(error)) return error.code === 'FETTLE_RUN_EMPTY'
    throw error
  }
}

const SUBMIT = shellCommand(action('run', 'PIPELINE', '--queue', 'URL'))
const ELSEWHERE = `A list that another folder put into a queue is known there only: repeat its command here (${SUBMIT} …).`

/**
 * The id of the run to look at or to finish: as findRunId, but the name of a pipeline means its unfinished run. Throws
 * FETTLE_RUN_UNKNOWN, and FETTLE_RUN_AMBIGUOUS when several are unfinished.
 */
export function findOpenRunId(runsDir: string, wanted: string | undefined): string {
  const id = findRunId(runsDir, wanted, ELSEWHERE)
  if (parseRunId(id)?.line !== wanted) return id
  const open = openRunIds(runsDir, wanted!)
  if (open.length < 2) return open[0] ?? id
  throw new FettleError('FETTLE_RUN_AMBIGUOUS', `${open.length} runs of ${wanted} are unfinished: ${open.join(', ')}`)
}

/**
 * The run that decides whether a plan continues: an earlier unfinished run of the same work that was detached, or has the same run key,
 * when only runs of other work began after it; otherwise the last run. Throws as lastRun.
 */
export function runToContinue(
  plan: Plan,
  { runsDir, runKey = null }: { readonly runsDir: string; readonly runKey?: string | null },
  isOurs: (state: RunState) => boolean = () => true,
): RunState | null {
  const line = lineOf(plan)
  const last = lastRun(runsDir, line)
  if (last === null || isSameWork(last.plan, plan)) return last
  const marks = [DETACHED, ...(runKey === null ? [] : [`"runKey":${JSON.stringify(runKey)}`])]
  const isMarked = (id: string): boolean => marks.some(mark => journalText(runsDir, id).includes(mark))
  const isSame = (state: RunState): boolean => isSameWork(state.plan, plan) && isOurs(state)
  const earlier = newestRun(runsDir, line, state => !state.finished && isSame(state), { before: last.runId, isRead: isMarked })
  if (earlier === null) return last
  const newestOfSame = newestRun(runsDir, line, isSame)
  return newestOfSame?.runId === earlier.runId ? earlier : last
}
