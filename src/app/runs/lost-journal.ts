/**
 * Explains a run directory whose journal cannot be read, from its file names: whether the run started, and how to continue without
 * a second job.
 */

import { existsSync, readdirSync } from 'node:fs'
import { action, FettleError } from '../../errors.ts'
import { isBeforeJournal, JOURNAL_FILE, QUEUE_FILE } from '../../results/file-names.ts'

/** Files that may be there before the journal is: those of a list in a queue, and the results that a merge starts from. */
const isEarlyFile = (name: string): boolean => name === QUEUE_FILE || isBeforeJournal(name)

/** Files that are written only after the journal has its first line; temporary files prove nothing. */
const signsIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path)
        .filter(name => name !== JOURNAL_FILE && !name.startsWith('.') && !isEarlyFile(name))
        .sort()
    : []

/** A run that cannot be read, as files of its directory. */
interface Unread {
  readonly id: string
  readonly path: string
  readonly journal: string
}

/**
 * Explains why the journal of a run cannot be read: FETTLE_JOURNAL_DAMAGED, with the way out, also for an empty or missing journal
 * beside files of a started run; any other error unchanged.
 */
export function explainUnread(error: unknown, { id, path, journal }: Unread): unknown {
  if (!FettleError.is(error)) return error
  const isEmpty = error.code === 'FETTLE_RUN_EMPTY'
  const signs = isEmpty || error.code === 'FETTLE_RUN_UNKNOWN' ? signsIn(path) : []
  if (error.code !== 'FETTLE_JOURNAL_DAMAGED' && signs.length === 0) return error
  const lost = `the journal ${journal} ${isEmpty ? 'has no whole line' : 'is missing'}, but the run began: its directory has ${signs.join(', ')}`
  return new FettleError('FETTLE_JOURNAL_DAMAGED', signs.length === 0 ? error.message : lost, {
    hint: `Without a backup, look for the job fettle-${id} at the service: a new run would create another, charged job. With a backup, restore ${journal}, then resume the run.`,
    action: action('resume', id),
    at: error.at ?? { file: journal, line: 1, column: 1 },
    cause: error,
  })
}
