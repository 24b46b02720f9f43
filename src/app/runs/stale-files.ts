/**
 * What killed processes left among the runs of a pipeline: temporary files beside a run at its end, and directories of runs that
 * were killed before their first line. Only what no process and no run can need is removed.
 */

import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { FettleError } from '../../errors.ts'
import { sweepFolder } from '../../files/stale-temp-files.ts'
import { isBeforeJournal, JOURNAL_FILE, PLAN_FILE } from '../../results/file-names.ts'
import { listRunIds, type RunDirectory, readRun, removeIfPossible, runDirectory } from './run-directory.ts'

/** What a run makes before its first line is recorded; nothing was sent until then. A journal on its way is of one restored. */
const isFirstFile = (name: string): boolean =>
  name === JOURNAL_FILE ||
  name === PLAN_FILE ||
  isBeforeJournal(name) ||
  (name.startsWith(`.${PLAN_FILE}.`) && name.endsWith('.tmp'))

/**
 * Removes what the killed left in the directories of earlier runs of a pipeline. The lock of the pipeline passed from each of
 * them to this run, so no process makes an earlier directory any more.
 */
export async function removeLeftovers({ id, path }: RunDirectory, pipeline: string): Promise<void> {
  const runsDir = dirname(path)
  for (const older of listRunIds(runsDir, pipeline).filter(one => one < id)) {
    const directory = runDirectory(runsDir, older)
    if (recordedNothing(runsDir, older)) removeIfPossible(directory.path)
    else await sweepFolder(directory.path)
  }
}

/** Not a line, and no file that comes after the first one: a journal that was lost since leaves those behind. */
function recordedNothing(runsDir: string, id: string): boolean {
  try {
    if (!readdirSync(runDirectory(runsDir, id).path).every(isFirstFile)) return false
    readRun(runsDir, id)
    return false
  } catch (error) {
    return FettleError.is(error) && (error.code === 'FETTLE_RUN_EMPTY' || error.code === 'FETTLE_RUN_UNKNOWN')
  }
}
