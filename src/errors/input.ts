/** The input is missing, unreadable or unusable; nothing was sent. */
import { action, entry, notice } from './entry.ts'

// biome-ignore format: a table reads best with one row a line
export const INPUT = {
  FETTLE_INPUT_READ: entry('input', 'The input cannot be read.', 'Check the path and the permissions; the input is a regular file.'),
  FETTLE_INPUT_KIND: entry('input', 'The input is not a delimited text file.', 'Save it as CSV UTF-8.'),
  FETTLE_INPUT_EMPTY: entry('input', 'The input has no rows.', 'Set input.empty: skip if an empty file is normal.'),
  FETTLE_INPUT_ENCODING: entry('input', 'The input is not in the encoding that it is read in.', 'Name the encoding: input.encoding: windows-1252.'),
  FETTLE_INPUT_DELIMITER: entry('input', 'The delimiter of the input cannot be detected.', 'Set it: input.delimiter: ";".'),
  FETTLE_INPUT_QUOTE: entry('input', 'A quote in the input is never closed, or is in a place where quotes are not allowed.', 'Fix the line named; for bare quotes inside cells set input.quotes: relaxed.'),
  FETTLE_INPUT_FIELDS: entry('input', 'Rows of the input have more or fewer cells than its header.', 'Fix the lines named.'),
  FETTLE_INPUT_NUL: entry('input', 'The input contains NUL bytes.', 'Export it again as text.'),
  FETTLE_INPUT_LIMIT: entry('input', 'A record or the header of the input is larger than the limit.', 'Look for an unclosed quote near the place named.'),
  FETTLE_INPUT_HEADER: entry('input', 'A header that the pipeline names is missing in the input, or occurs twice.', 'Compare the mapping with the headers of the file.'),
  FETTLE_INPUT_LINES: entry('input', 'The input has lines around its table, such as a title or a total, that are no rows; or input.skip leaves out a row.', 'Set input.skip: auto, or name the lines: { head: 3, tail: 1 }; with { head: 0, tail: 0 } they are rows.'),
  FETTLE_INPUT_ROWS: entry('input', 'The number of rows is outside input.rows.', 'Check that the extract is complete; if it is, change input.rows.'),
  FETTLE_IMPORT_SHRINKS: entry('input', 'An import would leave less than half of the present register or list.', 'Check that the file is complete; if it is, force the import.'),
  FETTLE_INPUT_BUDGET: entry('input', 'The input has more rows than budget.rows or job.split allows.', 'Raise the limit, or send fewer rows.'),
  FETTLE_INPUT_SHEET: entry('input', 'The Excel file has no sheet of this name, or has several and the pipeline names none.', 'Name one: input.sheet: Companies, or by its number: input.sheet: 2.'),
  FETTLE_INPUT_COLUMNS: entry('input', 'The columns of the company cannot be detected with certainty, and fettle does not guess.', 'Map at least the column of the company name.', action('init', 'FILE', '--map', 'name=HEADER')),
  FETTLE_INPUT_CHANGED: entry('input', 'The input changed since the run was planned.', 'Start a new run, or restore the planned file and resume the run.', action('resume')),
  FETTLE_INPUT_SUSPECT: entry('input', 'The input has an unusual value that may be a mistake.', 'Check the rows named; ignore this when the values are intended.'),
  FETTLE_DECISIONS: entry('input', 'The decisions file cannot be used.', 'It needs the columns fingerprint and decision (accept, reject or undo), and a company for accept; see docs/review.md.'),
  FETTLE_VERIFY: entry('input', 'A file of a run is not as the run wrote it.', 'Restore the file named from a backup; the other documents of a run are made again from its journal by `fettle report`.'),
  FETTLE_INPUT_SHRUNK: entry('input', 'The list, or a column of it, lost more than half of what it had in the last good run.', 'Check the extract. If the list is right, accept it once; checks.rows and checks.filled set other bounds.', action('run', '--accept-list', 'PIPELINE')),
  FETTLE_DECISIONS_UNDONE: notice('input', 'Decisions that the last good run applied apply no longer.', 'Set review.undone: warn, add a line `undo` for each row, or decide about the rows again.'),
  FETTLE_DECISIONS_OTHER: notice('input', 'A decisions file that the run does not apply decides about rows of the list.', 'Name it in review.decisions for every run, or apply it to this one.'),
  FETTLE_DECISIONS_LOST: entry('input', 'The run would undo decisions that the last run applied.', 'Restore the decisions file; the run directory of the last run has a copy. To undo them, run without them.', action('run', '--drop-decisions', 'PIPELINE')),
} as const
