/**
 * The one error class and THE table of codes: text, cure and exit code of everything fettle can complain about.
 * It knows no folder of ours; every folder may import it. `fettle explain CODE`, the README and the exit code of the
 * process all read this table.
 */

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

interface Entry<K extends ErrorKind> {
  readonly kind: K
  /** What it means, one sentence. */
  readonly text: string
  /** How to cure it. */
  readonly hint: string
}

const entry = <K extends ErrorKind>(kind: K, text: string, hint: string): Entry<K> => ({ kind, text, hint })

/** Every code fettle can print, by family. Codes are stable: scripts may compare them. */
// biome-ignore format: a table reads best with one row a line
export const ERRORS = {
  // -- checks: everything worked, the data did not pass
  FETTLE_CHECK_FAILED: entry('checks', 'A threshold of `checks:` was not met.', 'Look at the rows named in the report, or change the threshold.'),
  FETTLE_BUDGET_CREDITS: entry('checks', 'Enriching would cost more credits than `budget.credits` allows; it was not started.', 'Raise budget.credits and run again, which matches anew; or send fewer rows.'),
  FETTLE_BUDGET_SCREEN: entry('checks', 'Screening all companies would cost more credits than `screen.budget` allows; those before it were screened.', 'Raise screen.budget before the next run; the searches made stand at the service.'),

  // -- usage: command line, pipeline file or settings; nothing was sent
  FETTLE_USAGE: entry('usage', 'The command line cannot be understood.', 'See `fettle --help`.'),
  FETTLE_SETTINGS: entry('usage', 'A setting from the environment is missing or wrong.', 'See docs/command-line.md, "Settings".'),
  FETTLE_CREDENTIALS: entry('usage', 'User name or password for the service is not set.', 'Set FETTLE_USERNAME, and FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.'),
  FETTLE_PIPELINE_READ: entry('usage', 'The pipeline file cannot be read.', 'Check the path; pipelines are .yml, .yaml or .json files up to 256 KiB, in UTF-8.'),
  FETTLE_PIPELINE_EMPTY: entry('usage', 'The pipeline file holds no pipeline.', 'A pipeline needs name, input and mappings.'),
  FETTLE_PIPELINE_SYNTAX: entry('usage', 'The pipeline file is not valid YAML or JSON.', 'Mend the place named.'),
  FETTLE_PIPELINE_DEPTH: entry('usage', 'The pipeline file is nested deeper than 64 levels.', 'A pipeline needs four levels.'),
  FETTLE_PIPELINE_KEY: entry('usage', 'The pipeline file has a key that does not exist.', 'Keys are listed in docs/pipeline.md.'),
  FETTLE_PIPELINE_DUPLICATE: entry('usage', 'A key stands twice in the pipeline file.', 'Keep one of them.'),
  FETTLE_PIPELINE_MISSING: entry('usage', 'The pipeline file lacks a key it needs.', 'Add the key.'),
  FETTLE_PIPELINE_VALUE: entry('usage', 'A value in the pipeline file is not of the expected form.', 'Write the value in the form named.'),
  FETTLE_PIPELINE_TEXT: entry('usage', 'A number or truth value stands where text is due; YAML may have changed it.', 'Put it in quotes.'),
  FETTLE_PIPELINE_TAG: entry('usage', 'YAML tags and merge keys are not allowed in a pipeline.', 'Write the value plainly.'),
  FETTLE_PIPELINE_SECRET: entry('usage', 'A password or token stands literally in the pipeline file.', 'Use ${FETTLE_PASSWORD}, or leave the key out and set FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.'),
  FETTLE_PIPELINE_VARIABLE: entry('usage', 'A ${…} in the pipeline file has no value or is not well formed.', 'Set the variable, or give a default: ${NAME:-default}.'),
  FETTLE_PIPELINE_URL: entry('usage', 'The address of the service is not usable.', 'Give https://host/v1 without credentials, query or fragment.'),
  FETTLE_PIPELINE_PATH: entry('usage', 'A path in the pipeline file is not usable.', 'Paths are relative to the working directory and stay inside it.'),
  FETTLE_PIPELINE_MAPPING: entry('usage', 'The mappings do not say enough to match on.', 'Map name or an identifier, and a country where there is one.'),
  FETTLE_PIPELINE_UNSUPPORTED: entry('usage', 'The pipeline asks for something this version cannot do.', 'Leave the key out, or use a newer fettle.'),
  FETTLE_REGISTER_SAMPLE: entry('usage', 'The made-up sample register is in use, since none was imported.', 'Import a real one: fettle register import csv FILE.'),
  FETTLE_SCREENING_SAMPLE: entry('usage', 'The made-up sample list is in use for screening, since none was imported.', 'Import a real one: fettle screening import opensanctions FILE.'),
  FETTLE_SCREENING_UNKNOWN: entry('usage', 'There is no such screening list here.', 'See `fettle screening list`.'),
  FETTLE_FINGERPRINT: entry('usage', 'The pipeline changed since this run began.', 'Put it back, or start a new run with `fettle run --new`.'),
  FETTLE_REVIEW: entry('usage', 'The run cannot be reviewed.', 'Review the newest run of the pipeline, after its end; `report.rows: none` keeps rows out of reviews.'),
  FETTLE_MERGE: entry('usage', 'The runs are not all the shards of one list.', 'Carry out what is missing, name each shard once, and merge again.'),
  FETTLE_RUN_UNKNOWN: entry('usage', 'There is no such run here.', 'See `fettle runs`.'),
  FETTLE_RUN_EMPTY: entry('usage', 'The run recorded nothing: there is nothing to resume.', 'Start it again with `fettle run`.'),
  FETTLE_JOURNAL_NEWER: entry('usage', 'The journal was written by a newer fettle.', 'Resume it with that version.'),
  FETTLE_QUEUE_MISSING: entry('usage', 'The packages that speak to a queue are not installed.', 'Install them beside fettle: `npm install bullmq ioredis`.'),
  FETTLE_QUEUE_SETTINGS: entry('usage', 'Redis is not set up to keep a queue.', 'See docs/workers.md, "Redis"; `fettle doctor --queue redis://host` looks again.'),
  FETTLE_REGISTER_UNKNOWN: entry('usage', 'There is no such register here.', 'See `fettle register list`.'),

  // -- input: missing, unreadable or unusable; nothing was sent
  FETTLE_INPUT_READ: entry('input', 'The input cannot be read.', 'Check the path and the permissions; the input is a regular file.'),
  FETTLE_INPUT_KIND: entry('input', 'The input is not a delimited text file.', 'Save it as CSV UTF-8.'),
  FETTLE_INPUT_EMPTY: entry('input', 'The input has no rows.', 'Set input.empty: skip when that is a normal day.'),
  FETTLE_INPUT_ENCODING: entry('input', 'The input is not in the encoding it is read in.', 'Name the encoding: input.encoding: windows-1252.'),
  FETTLE_INPUT_DELIMITER: entry('input', 'The delimiter of the input cannot be told.', 'Name it: input.delimiter: ";".'),
  FETTLE_INPUT_QUOTE: entry('input', 'A quote in the input is never closed, or stands where none may stand.', 'Mend the line named; for bare quotes inside cells set input.quotes: relaxed.'),
  FETTLE_INPUT_FIELDS: entry('input', 'Rows of the input have more or fewer cells than its header.', 'Mend the lines named.'),
  FETTLE_INPUT_NUL: entry('input', 'The input holds NUL bytes.', 'Export it again as text.'),
  FETTLE_INPUT_LIMIT: entry('input', 'A record or the header of the input is larger than the limit.', 'Look for an unclosed quote near the place named.'),
  FETTLE_INPUT_HEADER: entry('input', 'A header that the pipeline names is not in the input, or is there twice.', 'Compare the mapping with the headers of the file.'),
  FETTLE_INPUT_ROWS: entry('input', 'The number of rows is outside input.rows.', 'Look whether the extract is complete; change input.rows if it is.'),
  FETTLE_IMPORT_SHRINKS: entry('input', 'An import would leave less than half of the register or list that is there.', 'Look whether the file is complete; --force imports it all the same.'),
  FETTLE_INPUT_BUDGET: entry('input', 'The input has more rows than budget.rows or job.split allows.', 'Raise the limit, or send fewer rows.'),
  FETTLE_INPUT_SHEET: entry('input', 'The Excel file has not the sheet that is asked for, or has several and none is asked for.', 'Name one: input.sheet: Companies, or by its number: input.sheet: 2.'),
  FETTLE_INPUT_COLUMNS: entry('input', 'It is not certain which columns of the input hold the company, and nothing is guessed.', 'Say it: `fettle init FILE --map name=HEADER`, or `fettle clean FILE --map name=HEADER`.'),
  FETTLE_INPUT_CHANGED: entry('input', 'The input changed since the run was planned.', 'Put the planned file back and `fettle resume`, or start a new run.'),
  FETTLE_INPUT_SUSPECT: entry('input', 'The input has an oddity that is worth a look.', 'Nothing need be done when the oddity is meant.'),
  FETTLE_DECISIONS: entry('input', 'The decisions file cannot be used.', 'It needs the columns fingerprint and decision (accept, reject or undo), and a company for accept; see docs/review.md.'),

  // -- output: our own disk
  FETTLE_OUTPUT_WRITE: entry('output', 'A file cannot be written.', 'Check permissions and free space, then run the same command again: an unfinished run is continued.'),
  FETTLE_OUTPUT_LIMIT: entry('output', 'The output would be larger than an Excel file can be.', 'Set output.format: csv, which has no such limit.'),
  FETTLE_JOURNAL_WRITE: entry('output', 'The journal of the run cannot be written.', 'Check permissions and free space, then `fettle resume`.'),
  FETTLE_JOURNAL_DAMAGED: entry('output', 'The journal of the run is damaged.', 'Restore the journal from a backup, then `fettle resume`. Without one, look for the job of the run at the service before `fettle run --new`.'),

  // -- retryable: another attempt may succeed
  FETTLE_NETWORK: entry('retryable', 'The service cannot be reached.', 'Check service.url and the network, then `fettle resume`.'),
  FETTLE_TIMEOUT: entry('retryable', 'The service did not answer in time.', '`fettle resume` goes on.'),
  FETTLE_THROTTLED: entry('retryable', 'The service asks for a pause longer than the time left.', 'Run `fettle resume` after the time named.'),
  FETTLE_UNAVAILABLE: entry('retryable', 'The service answers with server errors.', '`fettle resume` goes on.'),
  FETTLE_UNANSWERED: entry('retryable', 'A request was sent and its outcome could not be learned.', '`fettle resume` finds out first and sends nothing before it knows.'),
  FETTLE_DEADLINE: entry('retryable', 'The time limit of the run passed; the remote job goes on.', '`fettle resume` goes on waiting.'),
  FETTLE_LOCKED: entry('retryable', 'Another process is at it: at a run of this pipeline, or at this data directory.', 'Wait for it, or stop it.'),
  FETTLE_SHARD: entry('retryable', 'A shard has not come to its end, so there is nothing to merge yet.', '`fettle resume` goes on with it.'),
  FETTLE_QUEUE: entry('retryable', 'The queue cannot be reached, or a shard in it is not done.', 'Check the address and Redis, then run the same again: it goes on with the same shards.'),
  FETTLE_DOWNLOAD_CUT: entry('retryable', 'The enriched file kept arriving incomplete.', '`fettle resume` fetches it again.'),

  // -- rejected: the service's verdict
  FETTLE_REJECTED: entry('rejected', 'The service refused the request.', 'The text of the service says why.'),
  FETTLE_NOT_FOUND: entry('rejected', 'The service does not know what was asked for.', 'Check service.url; if the job was deleted, start a new run.'),
  FETTLE_TLS: entry('rejected', 'The service could not prove who it is.', 'For a private authority set NODE_EXTRA_CA_CERTS.'),
  FETTLE_CONTRACT: entry('rejected', 'The answer of the service is not of the documented form.', 'Check that service.url is the API itself, not a portal or a proxy page.'),
  FETTLE_REDIRECT: entry('rejected', 'The service answered with a redirect that is not followed.', 'Check service.url; for download hosts see service.fileHosts.'),
  FETTLE_FILE_LINK: entry('rejected', 'The link to the enriched file is not one that may be followed.', 'Ask the support of the service; a link must be https, to a public host it owns.'),
  FETTLE_JOB_FAILED: entry('rejected', 'The job ended in an error status.', 'Start a new run; the text of the service and its correlation id help its support.'),
  FETTLE_JOB_STATUS: entry('rejected', 'The job has a status this version does not know.', 'The run waits on; a newer fettle may know the word.'),
  FETTLE_JOB_BACKWARDS: entry('rejected', 'The status of the job went backwards.', 'The run waits on and sends nothing again; ask the support of the service if it lasts.'),
  FETTLE_JOB_ORPHAN: entry('rejected', 'More than one remote job carries the name of this run.', 'The older one was used; archive the other.'),
  FETTLE_PORTFOLIO: entry('rejected', 'The portfolio of the pipeline cannot be told, or is not there.', 'Name it by its number: portfolio: { id: 1 }.'),
  FETTLE_PORTFOLIO_REFUSED: entry('rejected', 'The service would not add some of the companies to the portfolio.', 'The journal of the run names each with its reason; the others were added.'),
  FETTLE_SCREEN_REFUSED: entry('rejected', 'Some of the companies found could not be screened.', 'The journal of the run names each with its reason; the others were screened.'),
  FETTLE_OUTPUT_COLUMN: entry('rejected', 'The service did not deliver a column the pipeline chose.', 'Choose it in enrich.tags, or leave it out of output.columns next time.'),
  FETTLE_LEDGER: entry('rejected', 'The counts do not add up: a row is unaccounted for.', 'Do not use the output; the report shows both sides of the sum.'),
  FETTLE_ROW_ORDER: entry('rejected', 'Nothing proves which row of the input each row of the enriched file belongs to, so nothing was published.', 'The file received is kept in the directory of the run. Ask the support of the service; a new run asks for general.rowNumber, and is paid for again.'),

  // -- denied
  FETTLE_LOGIN: entry('denied', 'The service refused user name or password.', 'Check both (case counts); repeated refusals may block the account.'),
  FETTLE_FORBIDDEN: entry('denied', 'The account may not do this.', 'Ask the service for the right named.'),

  // -- bug
  FETTLE_BUG: entry('bug', 'This is a mistake in fettle.', 'Please report it with the command and the output of --debug.'),

  // -- signals
  FETTLE_SIGINT: entry('sigint', 'Stopped by Ctrl-C.', '`fettle resume` goes on; a remote job that was begun goes on meanwhile.'),
  FETTLE_SIGTERM: entry('sigterm', 'Stopped by SIGTERM.', '`fettle resume` goes on; a remote job that was begun goes on meanwhile.'),
} as const satisfies Record<string, Entry<ErrorKind>>

/** A stable identifier from the table. */
export type ErrorCode = keyof typeof ERRORS

/** The codes of a family. */
export type CodeOf<K extends ErrorKind> = { [C in ErrorCode]: (typeof ERRORS)[C]['kind'] extends K ? C : never }[ErrorCode]

/** A place in a file; line and column count from 1, null where there is none. */
export interface Place {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
}

/** One problem found by `check` or during a run. `rows` are data row numbers from 1, the first few only. */
export interface Issue {
  readonly code: ErrorCode
  readonly severity: 'error' | 'warn' | 'info'
  readonly message: string
  readonly hint: string | null
  readonly at: Place | null
  readonly column: string | null
  readonly count: number
  readonly rows: readonly number[]
}

/** An issue with the fields that are not named filled in; the hint defaults to the table's. */
export const issue = (code: ErrorCode, message: string, rest: Partial<Omit<Issue, 'code' | 'message'>> = {}): Issue => ({
  code,
  severity: 'error',
  message,
  hint: ERRORS[code].hint,
  at: null,
  column: null,
  count: 1,
  rows: [],
  ...rest,
})

/** What an error may carry besides its message. */
export interface ErrorDetails {
  readonly hint?: string
  readonly at?: Place | null
  readonly cause?: unknown
  /** HTTP status of the answer, when there was one. */
  readonly status?: number
  /** The service's id of the request. */
  readonly correlationId?: string | null
  /** The request may have taken effect: whoever repeats it must ask first. */
  readonly unanswered?: boolean
  /** All problems of a file, when the error stands for several. */
  readonly issues?: readonly Issue[]
}

const BRAND = Symbol.for('fettle.error')

/** The root of every error fettle throws. `code` identifies it, `kind` groups it, `exitCode` follows from the kind. */
export class FettleError extends Error {
  override readonly name = 'FettleError'
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly exitCode: number
  readonly hint: string
  readonly at: Place | null
  readonly status: number | null
  readonly correlationId: string | null
  readonly unanswered: boolean
  readonly issues: readonly Issue[]

  /** `message` says what was attempted, on what, and why it failed; the table adds the cure. */
  constructor(code: ErrorCode, message: string = ERRORS[code].text, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.kind = ERRORS[code].kind
    this.exitCode = EXIT[this.kind]
    this.hint = details.hint ?? ERRORS[code].hint
    this.at = details.at ?? null
    this.status = details.status ?? null
    this.correlationId = details.correlationId ?? null
    this.unanswered = details.unanswered ?? false
    this.issues = details.issues ?? []
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** True for a FettleError, also one of another copy of the package; of one family, when it is named. */
  static is<K extends ErrorKind = ErrorKind>(
    error: unknown,
    kind?: K,
  ): error is FettleError & { readonly kind: K; readonly code: CodeOf<K> } {
    if (typeof error !== 'object' || error === null || !(BRAND in error)) return false
    return kind === undefined || (error as unknown as FettleError).kind === kind
  }
}

/** The error that stands for all problems of a file: the first problem's code, every problem in `issues`. */
export function errorOfIssues(issues: readonly Issue[]): FettleError {
  const errors = issues.filter(one => one.severity === 'error')
  const first = errors[0] ?? issues[0]
  if (first === undefined) return new FettleError('FETTLE_BUG', 'errorOfIssues was called without an issue')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new FettleError(first.code, first.message + more, {
    at: first.at,
    issues,
    ...(first.hint === null ? {} : { hint: first.hint }),
  })
}
