/** The table of error codes with text, hint and kind, and the exit codes. */

/** Exit codes of the process; the table in README "Exit codes" is checked against it. */
export const EXIT = {
  ok: 0,
  checks: 1,
  usage: 2,
  input: 65,
  bug: 70,
  output: 73,
  retryable: 75,
  rejected: 76,
  denied: 77,
  sigint: 130,
  sigterm: 143,
} as const

/** The family an error belongs to, to switch on; it fixes the exit code. */
export type ErrorKind = Exclude<keyof typeof EXIT, 'ok'>

/** A row of the table of codes. */
export interface Entry<K extends ErrorKind> {
  readonly kind: K
  /** What it means, one sentence. */
  readonly text: string
  /** What to do, as an imperative; the command line appends `action` to it. */
  readonly hint: string
  readonly action: Action | null
  /** Only ever a note or a warning: no command ends with it. */
  readonly isNotice?: true
}

/** What to do next, as a command of fettle: `{ command: 'resume', args: ['20260101T…'] }`. The command line prints it for a shell. */
export interface Action {
  readonly command: string
  readonly args: readonly string[]
}

/** Builds an action: `action('resume', runId)`. */
export const action = (command: string, ...args: readonly string[]): Action => ({ command, args })

/** Writes a row. */
const entry = <K extends ErrorKind>(kind: K, text: string, hint: string, next: Action | null = null): Entry<K> => ({
  kind,
  text,
  hint,
  action: next,
})

/** Writes a row that is only ever a note or a warning. */
const notice = <K extends ErrorKind>(...row: Parameters<typeof entry<K>>): Entry<K> => ({
  ...entry(...row),
  isNotice: true,
})

/** Every error code, by area. Codes are stable: scripts may compare them. */
// biome-ignore format: a table reads best with one row a line
export const ERRORS = {
  // -- Everything worked, the data did not pass.
  FETTLE_CHECK_FAILED: entry('checks', 'A threshold of `checks:` was not met.', 'Look at the rows named in the report, or change the threshold.'),
  FETTLE_FEW_MATCHED: notice('checks', 'No row was matched, or fewer than one in twenty of at least twenty rows.', 'Check that the mappings name the right columns and that the registers hold companies of these countries.'),
  FETTLE_BUDGET_CREDITS: entry('checks', 'Enriching would cost more credits than `budget.credits` allows; it was not started.', 'Raise budget.credits and run again, which repeats the matching; or send fewer rows.'),
  FETTLE_BUDGET_MONTH: entry('checks', 'The run could exceed `budget.month` together with the other runs of the month; nothing was sent.', 'Limit the run with budget.credits, raise budget.month, or wait for the next month.', action('costs', '--month', 'this', '--by', 'run')),
  FETTLE_BUDGET_ACCOUNT: entry('checks', 'The run could need more than the account of the service has left; nothing was sent.', 'Limit the run with budget.credits, ask the service for more, or remove budget.account.', action('plan', 'PIPELINE')),
  FETTLE_BUDGET_SCREEN: entry('checks', 'Screening all companies would cost more credits than `screen.budget` allows; screening stopped at the budget.', 'Raise screen.budget before the next run; finished searches stay at the service.'),
  FETTLE_BUDGET_DECIDE: entry('checks', 'Deciding about all companies would cost more credits than `decide.budget` allows; their rows are referred.', 'Raise decide.budget before the next run.'),
  FETTLE_EVENTS_UNMARKED: notice('checks', 'Events were not marked as processed at the service.', 'Later runs do not write them again. Set events.mark: false if the service has no such operation.'),
  FETTLE_PORTFOLIO_KEPT: notice('checks', 'Companies that are gone from the list were not removed from the portfolio.', 'Check that the list is complete; if it is, raise portfolio.remove.max.'),
  FETTLE_MONITOR_KEPT: notice('checks', 'Companies that are gone from the list stay under AML monitoring.', 'Check that the list is complete; if it is, raise screen.monitor.remove.max.'),
  FETTLE_CANDIDATES: entry('checks', 'Candidates were not requested for all rows: a limit or a budget was reached.', 'Raise candidates.limit or candidates.budget.'),

  // -- Command line, pipeline file or settings; nothing was sent.
  FETTLE_USAGE: entry('usage', 'The command line is not valid.', 'Read the help of the command.', action('--help')),
  FETTLE_SETTINGS: entry('usage', 'A setting from the environment is missing or wrong.', 'See docs/command-line.md, "Settings".'),
  FETTLE_CREDENTIALS: entry('usage', 'User name or password for the service is not set.', 'Set FETTLE_USERNAME, and FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.'),
  FETTLE_SERVICE_ORIGIN: entry('usage', 'The credentials are not for the service that the pipeline names.', 'Set FETTLE_URL to the service that your credentials are for, or list its origin in FETTLE_SERVICE_ORIGINS.'),
  FETTLE_UNTRUSTED: entry('usage', 'An untrusted pipeline names an address, or a file outside the checkout.', 'If you trust the pipeline, set FETTLE_UNTRUSTED=0.'),
  FETTLE_PIPELINE_READ: entry('usage', 'The pipeline file cannot be read.', 'Check the path; pipelines are .yml, .yaml or .json files up to 256 KiB, in UTF-8.'),
  FETTLE_PIPELINE_EMPTY: entry('usage', 'The pipeline file contains no pipeline.', 'Add name, input and mappings.'),
  FETTLE_PIPELINE_SYNTAX: entry('usage', 'The pipeline file is not valid YAML or JSON.', 'Fix the line named.'),
  FETTLE_PIPELINE_DEPTH: entry('usage', 'The pipeline file is nested deeper than 64 levels.', 'Flatten the file: a pipeline needs four levels.'),
  FETTLE_PIPELINE_KEY: entry('usage', 'The pipeline file has a key that does not exist.', 'Correct or remove the key; docs/pipeline.md lists all keys.'),
  FETTLE_PIPELINE_DUPLICATE: entry('usage', 'The pipeline file has the same key twice.', 'Keep one of them.'),
  FETTLE_PIPELINE_MISSING: entry('usage', 'The pipeline file lacks a required key.', 'Add the key.'),
  FETTLE_PIPELINE_VALUE: entry('usage', 'A value in the pipeline file is not of the expected form.', 'Write what is expected; docs/pipeline.md shows every key.'),
  FETTLE_PIPELINE_TEXT: entry('usage', 'A number or a boolean is given where text is expected; YAML may have changed it.', 'Put it in quotes.'),
  FETTLE_PIPELINE_TAG: entry('usage', 'YAML tags and merge keys are not allowed in a pipeline.', 'Write the value without tag or merge key.'),
  FETTLE_PIPELINE_SECRET: entry('usage', 'The pipeline file contains a password or token.', 'Leave the key out and set FETTLE_PASSWORD or FETTLE_PASSWORD_FILE, or use ${NAME}.'),
  FETTLE_PIPELINE_VARIABLE: entry('usage', 'A ${…} in the pipeline file has no value or is not well formed.', 'Set the variable, or give a default: ${NAME:-default}.'),
  FETTLE_PIPELINE_URL: entry('usage', 'The address of the service is not valid.', 'Give https://host/v1 without credentials, query or fragment.'),
  FETTLE_PIPELINE_PATH: entry('usage', 'A path in the pipeline file is not allowed.', 'Use a path relative to the working directory and inside it.'),
  FETTLE_PIPELINE_MAPPING: entry('usage', 'The mappings are not enough to match on.', 'Map name or an identifier, and the country if the input has one.'),
  FETTLE_PIPELINE_UNSUPPORTED: entry('usage', 'The pipeline uses a feature that this version does not have.', 'Leave the key out, or use a newer fettle.'),
  FETTLE_PRECISION: entry('usage', 'The service does not accept a precision.', 'Remove the precision, and choose matches of this service by accept; or match with the embedded service.'),
  FETTLE_REGISTER_SAMPLE: notice('usage', 'The rows are matched against the sample register of invented companies.', 'Import a register of real companies.', action('register', 'import', 'csv', 'FILE')),
  FETTLE_SCREENING_SAMPLE: notice('usage', 'The made-up sample list is used for screening, because no list was imported.', 'Import a screening list.', action('screening', 'import', 'opensanctions', 'FILE')),
  FETTLE_SCREENING_OLD: entry('usage', 'A screening list is older than `screen.lists.age`, or none was imported.', 'Import the list again from a new file, or raise screen.lists.age.', action('screening', 'list')),
  FETTLE_SCREENING_PROOF: entry('usage', 'A limit of `screen.verify` holds: searches do not find what the imported lists have.', 'See what is missed, and import another list or correct the limit.', action('screening', 'verify')),
  FETTLE_SCREENING_CHANGED: notice('usage', 'A screening list was imported again between the AML searches of a run.', 'To search for all companies in the same lists, run the pipeline again after this run.', action('run', 'PIPELINE')),
  FETTLE_SCREENING_PROVED: notice('usage', 'The imported screening lists were proved, as `screen.verify` asks for.', 'Nothing to do.'),
  FETTLE_SCREENING_UNKNOWN: entry('usage', 'No screening list has this name.', 'List the screening lists.', action('screening', 'list')),
  FETTLE_REFRESH_KEY: notice('usage', 'No row of the list has a key that should be looked up again.', 'Check the key: it is a whole cell of the column that `input.key` names.'),
  FETTLE_SUPERSEDED: entry('usage', 'A later run replaced this run, or sent its rows, before this run had paid for all of them.', 'Run the pipeline again: what was paid is used.', action('run', 'PIPELINE')),
  FETTLE_FINGERPRINT: entry('usage', 'The pipeline changed since this run started.', 'Undo the change, then resume the run: its jobs at the service are kept.', action('resume', 'RUN')),
  FETTLE_REVIEW: entry('usage', 'The run cannot be reviewed.', 'Review the newest finished run of the pipeline; `report.rows: none` keeps rows out of reviews.'),
  FETTLE_DIFF: entry('usage', 'Two runs or outputs cannot be compared.', 'Name two runs whose rows are kept, or two outputs with a column of the company.'),
  FETTLE_MERGE: entry('usage', 'The runs are not all the shards of one list.', 'Run the missing shards, name each shard once, and merge again.'),
  FETTLE_RUN_UNKNOWN: entry('usage', 'There is no such run.', 'List the runs.', action('runs')),
  FETTLE_RUN_AMBIGUOUS: entry('usage', 'Several unfinished runs of different series have this name.', 'Pass the id of one of them.'),
  FETTLE_RUN_EMPTY: entry('usage', 'The run recorded nothing: there is nothing to resume.', 'Start the run again.', action('run', 'PIPELINE')),
  FETTLE_JOURNAL_NEWER: entry('usage', 'The journal was written by a newer fettle.', 'Resume it with that version.'),
  FETTLE_QUEUE_MISSING: entry('usage', 'The packages for queues are not installed.', 'Install them next to fettle: `npm install bullmq ioredis`.'),
  FETTLE_QUEUE_SETTINGS: entry('usage', 'Redis is not configured to keep a queue.', 'See docs/workers.md, "Redis", then check the queue.', action('doctor', '--queue', 'redis://host')),
  FETTLE_QUEUE_SIGNATURE: entry('usage', 'An entry in Redis is not signed by this account and version.', 'Use the same FETTLE_URL, user, password or FETTLE_QUEUE_KEY, and version for workers and submitters; see docs/workers.md, "What is signed".'),
  FETTLE_PROJECT: entry('usage', 'The project file fettle.yml is not valid.', 'Fix the lines named; docs/project.md lists all keys.'),
  FETTLE_TARGET: entry('usage', 'The target is missing, unknown, or contradicts the pipeline.', 'Name a target of fettle.yml; see docs/project.md, "Targets".'),
  FETTLE_DECISION_TABLE: entry('usage', 'A decision table is not valid, or one of its tests fails.', 'Fix what the message names; see docs/decide.md.'),
  FETTLE_TEST_FILE: entry('usage', 'A test file of a pipeline is not valid.', 'Fix what the message names; see docs/testing.md.'),
  FETTLE_REGISTER_NONE: entry('usage', 'No register was imported, so there is nothing to match against.', 'To try fettle with invented companies, choose the register sample (FETTLE_REGISTER=sample). To match real ones, import a register.', action('register', 'import', 'csv', 'FILE')),
  FETTLE_REGISTER_COUNTRY: entry('usage', 'The registers have no company in some of the countries of the list.', 'Import a register of these countries, or choose a different register.'),
  FETTLE_REGISTER_CHANGED: notice('usage', 'A register was imported again after the run was planned.', 'To match all rows against the new register, run the pipeline again after this run.', action('run', 'PIPELINE')),
  FETTLE_REGISTER_ROWS: notice('usage', 'Rows of the list that is the register have no name, or the id of an earlier row.', 'Correct the rows, or name other columns in register.map.'),
  FETTLE_REGISTER_UNUSED: notice('usage', 'The pipeline names registers, but its remote service has its own.', 'Use the embedded service to match against registers of this machine.'),
  FETTLE_REUSE_UNUSED: notice('usage', 'The pipeline reuses answers, but the embedded service is free.', 'Name a remote service to reuse answers, or remove reuse.'),
  FETTLE_REGISTER_UNKNOWN: entry('usage', 'No register has this name.', 'List the registers.', action('register', 'list')),

  // -- The input is missing, unreadable or unusable; nothing was sent.
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
  FETTLE_INPUT_LINES: entry('input', 'The input has lines around its table that are not rows, such as a title; or input.skip leaves out a row.', 'Set input.skip: auto, or name the lines: { head: 3, tail: 1 }; with { head: 0, tail: 0 } they are rows.'),
  FETTLE_INPUT_ROWS: entry('input', 'The number of rows is outside input.rows.', 'Check that the extract is complete; if it is, change input.rows.'),
  FETTLE_IMPORT_SHRINKS: entry('input', 'An import would leave less than half of the present register or list.', 'Check that the file is complete; if it is, force the import.'),
  FETTLE_INPUT_BUDGET: entry('input', 'The input has more rows than budget.rows or job.split allows.', 'Raise the limit, or send fewer rows.'),
  FETTLE_INPUT_SHEET: entry('input', 'The Excel file has no sheet of this name, or has several and the pipeline names none.', 'Name one: input.sheet: Companies, or input.sheet: 2.'),
  FETTLE_INPUT_COLUMNS: entry('input', 'The columns of the company cannot be detected with certainty.', 'Map at least the column of the company name.', action('init', 'FILE', '--map', 'name=HEADER')),
  FETTLE_TRUTH: entry('input', 'The right answers of a list cannot be used.', 'Name the column of the right companies, or decisions about rows of the list.'),
  FETTLE_INPUT_CHANGED: entry('input', 'The input changed since the run was planned.', 'Start a new run, or restore the planned file and resume the run.', action('resume')),
  FETTLE_INPUT_SUSPECT: entry('input', 'The input has an unusual value that may be a mistake.', 'Check the rows named; ignore this when the values are intended.'),
  FETTLE_DECISIONS: entry('input', 'The decisions file cannot be used.', 'It needs the columns fingerprint and decision (accept, reject or undo), and a company for accept; see docs/review.md.'),
  FETTLE_VERIFY: entry('input', 'A file of a run has changed since the run wrote it.', 'Restore the file named from a backup; the other documents of a run are made again from its journal by `fettle report`.'),
  FETTLE_INPUT_SHRUNK: entry('input', 'The list, or a column of it, lost more than half of its cells since the last good run.', 'Check the extract. If the list is right, accept it once; checks.rows and checks.filled set other bounds.', action('run', '--accept-list', 'PIPELINE')),
  FETTLE_INPUT_REJECTS: entry('input', 'Rows of the input cannot be read: more than `input.rejects.max` allows, or it is not proved which lines they have.', 'Correct the rows that are named, or raise input.rejects.max.'),
  FETTLE_INPUT_DRIFT: entry('input', 'The columns of the list differ from the columns in the last good run.', 'Check the extract. If the columns are right, accept the list once, or set input.columns.expect: open.', action('run', '--accept-list', 'PIPELINE')),
  FETTLE_DECISIONS_UNDONE: notice('input', 'Decisions that the last good run applied no longer apply.', 'Set review.undone: warn, add a line `undo` for each row, or decide about the rows again.'),
  FETTLE_DECISIONS_OTHER: notice('input', 'A decisions file that the run does not apply decides about rows of the list.', 'Name it in review.decisions for every run, or apply it to this one.'),
  FETTLE_DECISIONS_LOST: entry('input', 'The run would undo decisions that the last run applied.', 'Restore the decisions file; the run directory of the last run has a copy. To undo them, run without them.', action('run', '--drop-decisions', 'PIPELINE')),

  // -- Files of this machine that cannot be written or read.
  FETTLE_OUTPUT_WRITE: entry('output', 'A file cannot be written.', 'Check permissions and free space, then run the same command again: an unfinished run is resumed.'),
  FETTLE_RECORD: notice('output', 'The recording of the run is incomplete; the run continued without it.', 'Check free space, then record a new run of fewer rows.'),
  FETTLE_OUTPUT_KEPT: notice('output', 'A check failed, so the outputs of the last good run were not replaced.', 'Compare the rejected files with the earlier ones; output.onFail: replace replaces them in any case.'),
  FETTLE_OUTPUT_GONE: entry('output', 'A finished run was requested again, and one of its output files is missing or changed.', 'Restore the file, or start a new run.', action('run', '--new', 'PIPELINE')),
  FETTLE_OUTPUT_LIMIT: entry('output', 'The output would be larger than an Excel file can be.', 'Name a .csv file as output, which has no such limit.'),
  FETTLE_FORGET_LEFT: entry('output', 'A file still contains data of a forgotten row.', 'Remove the data or the file, then run the same command again.'),
  FETTLE_JOURNAL_WRITE: entry('output', 'The journal of the run cannot be written.', 'Check permissions and free space, then resume the run.', action('resume')),
  FETTLE_JOURNAL_DAMAGED: entry('output', 'The journal of the run is damaged.', 'Without a backup, look for the job of the run at the service before you start a new run. With a backup, restore the journal and resume the run.', action('resume')),

  // -- another attempt may succeed
  FETTLE_NETWORK: entry('retryable', 'The service cannot be reached.', 'Check service.url and the network, then resume the run.', action('resume')),
  FETTLE_TIMEOUT: entry('retryable', 'The service did not answer in time.', 'Resume the run.', action('resume')),
  FETTLE_THROTTLED: entry('retryable', 'The service asks for a pause longer than the time left.', 'After the time named, resume the run.', action('resume')),
  FETTLE_UNAVAILABLE: entry('retryable', 'The service answers with server errors.', 'Resume the run.', action('resume')),
  FETTLE_UNANSWERED: entry('retryable', 'A request was sent and its result is unknown.', 'Resume the run, which checks the result before it sends anything.', action('resume')),
  FETTLE_DEADLINE: entry('retryable', 'The time limit of the run passed; the remote job continues.', 'Resume the run to wait for the job.', action('resume')),
  FETTLE_LOCKED: entry('retryable', 'Another process holds the lock of the pipeline or of the data directory.', 'Wait for that process, or stop it.'),
  FETTLE_SHARD: entry('retryable', 'A shard is not finished, so the shards cannot be merged yet.', 'Resume the shard.', action('resume')),
  FETTLE_FORGET: entry('retryable', 'A key cannot be removed while a run that may have it is not finished.', 'Resume the run, then run the same command again.', action('resume')),
  FETTLE_QUEUE: entry('retryable', 'The queue cannot be reached, or a shard in it is not done.', 'Check the address and Redis, then run the same command again: it uses the same shards.'),
  FETTLE_DOWNLOAD_CUT: entry('retryable', 'The enriched file arrived incomplete on every attempt.', 'Resume the run, which downloads the file again.', action('resume')),

  // -- the service's verdict
  FETTLE_REJECTED: entry('rejected', 'The service rejected the request.', 'Read the message of the service.'),
  FETTLE_NOT_FOUND: entry('rejected', 'The service does not have the requested object.', 'Check service.url; if the job was deleted, start a new run.'),
  FETTLE_TLS: entry('rejected', 'The certificate of the service could not be verified.', 'For a private certificate authority set NODE_EXTRA_CA_CERTS.'),
  FETTLE_ANSWER: notice('rejected', 'A field of an answer of the service could not be read and was left out.', 'If you need it, ask the support of the service.'),
  FETTLE_CONTRACT: entry('rejected', 'The response of the service does not have the documented form.', 'Check that service.url is the API itself, not a portal or a proxy page.'),
  FETTLE_REDIRECT: entry('rejected', 'The service answered with a redirect that is not followed.', 'Check service.url; for download hosts see service.fileHosts.'),
  FETTLE_FILE_LINK: entry('rejected', 'The link to the enriched file is not allowed.', 'Ask the support of the service for an https link to one of its public hosts.'),
  FETTLE_JOB_FAILED: entry('rejected', 'The job ended in an error status.', 'Start a new run. For support, pass on the message of the service and the correlation id.'),
  FETTLE_JOB_STATUS: notice('rejected', 'The job has a status that this version does not recognise.', 'The run continues to wait; a newer fettle may recognise the status.'),
  FETTLE_JOB_BACKWARDS: notice('rejected', 'The status of the job went backwards.', 'The run continues to wait; if it lasts, ask the support of the service.'),
  FETTLE_JOB_STEP: notice('rejected', 'The job matched its rows, and a later step of it failed at the service.', 'Check the job at the service; its counts cover the whole list.'),
  FETTLE_JOB_ORPHAN: notice('rejected', 'More than one remote job has the name of this run.', 'The older job was used; archive the other.'),
  FETTLE_ARCHIVE: notice('rejected', 'A job of the run was not archived at the service.', 'Archive the job at the service; the outputs of the run are complete.'),
  FETTLE_ANSWERS_FETCHED: notice('rejected', 'Answers that an unfinished run of the same series had paid for were fetched, and not paid again.', 'Resume the unfinished run if you need its outputs; see docs/nights.md.'),
  FETTLE_ASKED_BEFORE: notice('rejected', 'An unfinished run has sent some of these rows already, and its answers are unknown.', 'Resume the unfinished run before the next one starts; see docs/nights.md.'),
  FETTLE_PORTFOLIO: entry('rejected', 'The portfolio of the pipeline does not exist, or several have its name.', 'Select it by its number: portfolio: { id: 1 }.'),
  FETTLE_PORTFOLIO_REFUSED: entry('rejected', 'The service did not add some of the companies to the portfolio.', 'The journal of the run has each company and the reason.'),
  FETTLE_SCREEN_REFUSED: entry('rejected', 'Some of the matched companies could not be screened.', 'The journal of the run has each company and the reason.'),
  FETTLE_MONITOR_REFUSED: entry('rejected', 'Some of the AML searches could not be put under monitoring.', 'The message has the reason of the service.'),
  FETTLE_DECISION_TREE: entry('rejected', 'The decision tree of the pipeline does not exist at the service, several have its name, or its fields differ.', 'Name the tree and its fields as the service has them; see docs/decide.md.'),
  FETTLE_DECIDE_REFUSED: entry('rejected', 'The decision tree of the service was not run for some of the companies; their rows are referred.', 'See the column decision.why for the reason.'),
  FETTLE_NOTIFY: entry('rejected', 'A receiver of `notify:` did not accept a message.', 'Check the address of the receiver; see docs/reports.md.'),
  FETTLE_OUTPUT_COLUMN: notice('rejected', 'The service did not deliver a column that the pipeline selected.', 'Add it to enrich.tags, or remove it from output.columns.'),
  FETTLE_OUTPUT_TYPE: notice('rejected', 'Cells cannot be stored in the type of their column.', 'Choose a text format, such as output.format: csv, which stores every cell.'),
  FETTLE_OUTPUT_WORDS: notice('rejected', 'Cells of matched rows contain a word that may mean an empty cell, such as NULL.', 'Treat it as an empty cell where you read the outputs, unless it is the name of a company.'),
  FETTLE_FILE_FORM: entry('rejected', 'The enriched file is in a form that cannot be read without loss, so nothing was published.', 'Ask the support of the service for CSV in UTF-8; the run directory keeps the file. Then resume the run, which is free.', action('resume')),
  FETTLE_FILE_COLUMNS: entry('rejected', 'The enriched file does not show which rows have a company, so nothing was published.', 'Name the column of the company, as in `enrich: { headers: { general.connectId: "Connect ID" } }`, and resume the run, which pays nothing again.', action('resume')),
  FETTLE_LEDGER: entry('rejected', 'The counts do not add up: a row is unaccounted for.', 'Do not use the output; the report shows both sides of the sum.'),
  FETTLE_ROW_ORDER: entry('rejected', 'The rows of the enriched file cannot be assigned to the rows of the input, so nothing was published.', 'Ask the support of the service; the run directory keeps the file. A new run is charged again.'),

  // -- a permission
  FETTLE_LOGIN: entry('denied', 'The service rejected the user name or the password.', 'Check both (case matters); repeated failures may block the account.'),
  FETTLE_FORBIDDEN: entry('denied', 'The account does not have the required permission.', 'Ask the service for the permission named.'),

  // -- bug
  FETTLE_BUG: entry('bug', 'This is a bug in fettle.', 'Please report it with the command and its debug output.'),

  // -- signals
  FETTLE_ABORTED: entry('sigint', 'The program that called fettle stopped the run.', 'Resume the run; a remote job that was started continues meanwhile.', action('resume')),
  FETTLE_SIGINT: entry('sigint', 'Stopped by Ctrl-C.', 'Resume the run; a remote job that was started continues meanwhile.', action('resume')),
  FETTLE_SIGTERM: entry('sigterm', 'Stopped by SIGTERM.', 'Resume the run; a remote job that was started continues meanwhile.', action('resume')),
} as const satisfies Record<string, Entry<ErrorKind>>
