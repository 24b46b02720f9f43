/** Removes the rows of a key from the files of one finished run. Repeating it after a kill completes it. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeFile } from '../../files/atomic-file.ts'
import { digestContent, openJournal, writeContents } from '../../journal/index.ts'
import { removeStates } from '../../results/changes/row-states.ts'
import { removeReviewRows } from '../../results/decisions/review-rows.ts'
import { APPLIED_FILE } from '../../results/file-names.ts'
import { requireDecisions, writeDecisions } from '../../results/index.ts'
import { writeReports } from '../runs/report-files.ts'
import { readRun, runDirectory } from '../runs/run-directory.ts'
import { reportOfRun } from '../runs/run-queries.ts'
import { forgetInContents, isOfRows } from './forget-contents.ts'
import { forgottenRows, isOfState, isWholeFile, type RunRows } from './forget-scan.ts'

/** `id` marks this removal in the journal. Throws FETTLE_OUTPUT_WRITE. */
export async function forgetInRun(
  runsDir: string,
  one: RunRows,
  { id, at, key }: { readonly id: string; readonly at: string; readonly key: string },
): Promise<void> {
  const directory = runDirectory(runsDir, one.runId)
  const { path } = directory
  const forgotten = forgottenRows(key, one)
  const { contents } = forgetInContents(directory.journal, forgotten)
  if (!readRun(runsDir, one.runId).forgotten.some(before => before.id === id)) {
    const journal = openJournal(directory.journal, () => Date.parse(at), 'existing')
    const digests = Object.fromEntries([...contents].map(([line, content]) => [line, digestContent(content)]))
    journal.append({ type: 'rows.forgotten', id, contents: digests })
    journal.close()
  }
  // A kill before this leaves the contents as they were, whose digests are in the journal as well.
  await writeContents(directory.journal, contents)
  await removeStates(path, state => isOfState(state, key, forgotten.fingerprints))
  await removeReviewRows(path, row => isOfRows(row, forgotten))
  const decisions = join(path, APPLIED_FILE)
  if (existsSync(decisions)) {
    const lines = await requireDecisions(decisions)
    await writeDecisions(
      decisions,
      lines.filter(({ fingerprint }) => !forgotten.fingerprints.has(fingerprint)),
      { isShared: false },
    )
  }
  for (const name of readdirSync(path).filter(isWholeFile)) await removeFile(join(path, name))
  // They are made from the journal, report.json last.
  await writeReports(directory, reportOfRun(runsDir, one.runId), readRun(runsDir, one.runId))
}
