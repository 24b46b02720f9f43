/** The service: another attempt may succeed, its verdict, a permission that lacks. */
import { action, entry, notice } from './entry.ts'

// biome-ignore format: a table reads best with one row a line
export const SERVICE = {
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
  FETTLE_ANSWER: notice('rejected', 'A field of an answer of the service could not be read and was left out; the rest of the answer was used.', 'If the field matters to you, ask the support of the service what it means.'),
  FETTLE_CONTRACT: entry('rejected', 'The response of the service does not have the documented form.', 'Check that service.url is the API itself, not a portal or a proxy page.'),
  FETTLE_REDIRECT: entry('rejected', 'The service answered with a redirect that is not followed.', 'Check service.url; for download hosts see service.fileHosts.'),
  FETTLE_FILE_LINK: entry('rejected', 'The link to the enriched file is not allowed.', 'Ask the support of the service: a link must be https, to a public host that the service owns.'),
  FETTLE_JOB_FAILED: entry('rejected', 'The job ended in an error status.', 'Start a new run. For support, pass on the message of the service and the correlation id.'),
  FETTLE_JOB_STATUS: notice('rejected', 'The job has a status that this version does not recognise.', 'The run continues to wait; a newer fettle may recognise the status.'),
  FETTLE_JOB_BACKWARDS: notice('rejected', 'The status of the job went backwards.', 'The run continues to wait and sends nothing again; if it lasts, ask the support of the service.'),
  FETTLE_JOB_STEP: notice('rejected', 'The job matched its rows, and a later step of it failed at the service.', 'Check the job at the service; its counts cover the whole list.'),
  FETTLE_JOB_ORPHAN: notice('rejected', 'More than one remote job has the name of this run.', 'The older job was used; archive the other.'),
  FETTLE_ARCHIVE: notice('rejected', 'A job of the run was not archived at the service.', 'Archive the job at the service; the outputs of the run are complete.'),
  FETTLE_ANSWERS_FETCHED: notice('rejected', 'Answers that an unfinished run of the same series had paid were fetched from its jobs, and were not paid again.', 'Resume the unfinished run if you need its outputs: see docs/nights.md.'),
  FETTLE_ASKED_BEFORE: notice('rejected', 'An unfinished run has asked some of the rows before, and its answers are not known.', 'Resume the unfinished run before the next one starts: see docs/nights.md.'),
  FETTLE_PORTFOLIO: entry('rejected', 'The portfolio of the pipeline does not exist, or several have its name.', 'Select it by its number: portfolio: { id: 1 }.'),
  FETTLE_PORTFOLIO_REFUSED: entry('rejected', 'The service did not add some of the companies to the portfolio.', 'See the journal of the run for each company and the reason; the others were added.'),
  FETTLE_SCREEN_REFUSED: entry('rejected', 'Some of the matched companies could not be screened.', 'See the journal of the run for each company and the reason; the others were screened.'),
  FETTLE_NOTIFY: entry('rejected', 'A receiver of `notify:` did not accept a message.', 'Check the address of the receiver; see docs/notify.md.'),
  FETTLE_OUTPUT_COLUMN: notice('rejected', 'The service did not deliver a column that the pipeline selected.', 'Add it to enrich.tags, or remove it from output.columns.'),
  FETTLE_OUTPUT_TYPE: notice('rejected', 'Cells cannot be stored in the type of their column.', 'A text format, such as output.format: csv, holds every cell.'),
  FETTLE_OUTPUT_WORDS: notice('rejected', 'Cells of matched rows hold a word that may stand for no value, such as NULL.', 'Treat the word as an empty cell where you read the outputs; it may also be the name of a company.'),
  FETTLE_FILE_FORM: entry('rejected', 'The enriched file is in a form that cannot be read without loss, so nothing was published.', 'Ask the support of the service for CSV in UTF-8; the file is kept in the run directory. Then resume the run, which pays nothing again.', action('resume')),
  FETTLE_FILE_COLUMNS: entry('rejected', 'The enriched file does not show which rows have a company, so nothing was published.', 'Name the column of the company, as in `enrich: { headers: { general.connectId: "Connect ID" } }`, and resume the run, which pays nothing again.', action('resume')),
  FETTLE_LEDGER: entry('rejected', 'The counts do not add up: a row is unaccounted for.', 'Do not use the output; the report shows both sides of the sum.'),
  FETTLE_ROW_ORDER: entry('rejected', 'The rows of the enriched file cannot be assigned to the rows of the input, so nothing was published.', 'Ask the support of the service; the file is kept in the run directory. A new run requests general.rowNumber, and is charged again.'),

  // -- a permission
  FETTLE_LOGIN: entry('denied', 'The service rejected the user name or the password.', 'Check both (case matters); repeated failures may block the account.'),
  FETTLE_FORBIDDEN: entry('denied', 'The account does not have the required permission.', 'Ask the service for the permission named.'),
} as const
