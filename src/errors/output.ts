/** Files of this machine that cannot be written or read. */
import { action, entry, notice } from './entry.ts'

// biome-ignore format: a table reads best with one row a line
export const OUTPUT = {
  FETTLE_OUTPUT_WRITE: entry('output', 'A file cannot be written.', 'Check permissions and free space, then run the same command again: an unfinished run is resumed.'),
  FETTLE_RECORD: notice('output', 'The recording of the run is incomplete; the run continued without it.', 'Check free space, then record a new run of fewer rows.'),
  FETTLE_OUTPUT_KEPT: notice('output', 'A check failed, so the outputs of the last good run were not replaced.', 'Compare the rejected files with the earlier ones; set output.onFail: replace to write over them in any case.'),
  FETTLE_OUTPUT_GONE: entry('output', 'A finished run is asked for again, and one of its output files is missing or changed.', 'Restore the file, or start a new run.', action('run', '--new', 'PIPELINE')),
  FETTLE_OUTPUT_LIMIT: entry('output', 'The output would be larger than an Excel file can be.', 'Set output.format: csv, which has no such limit.'),
  FETTLE_FORGET_LEFT: entry('output', 'A file still has something of a row that was forgotten.', 'Remove it from the file that the message names, or the file, then run the same command again.'),
  FETTLE_JOURNAL_WRITE: entry('output', 'The journal of the run cannot be written.', 'Check permissions and free space, then resume the run.', action('resume')),
  FETTLE_JOURNAL_DAMAGED: entry('output', 'The journal of the run is damaged.', 'Without a backup, look for the job of the run at the service before you start a new run. With a backup, restore the journal and resume the run.', action('resume')),
} as const
