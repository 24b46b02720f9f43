/**
 * THE table of what the embedded service accepts: sizes in bytes, times in milliseconds, counts. Nothing else in `service/`
 * holds a limit of its own; the documentation is this table printed (faults S28, S29). It enforces nothing.
 */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

/** One limit: its value, what it bounds, and what the caller sees beyond it. The unit is in the name; none means a count. */
interface Limit {
  readonly value: number
  readonly of: string
  readonly beyond: string
}

const limit = (value: number, of: string, beyond: string): Limit => ({ value, of, beyond })

/** Every limit with its meaning, in the order of the documentation. */
export const LIMIT_TABLE = {
  connections: limit(1_024, 'connections at once', 'closed at once'),
  requestsPerSocket: limit(1_000, 'requests of one connection, pipelined ones included', '503, closed'),
  keepAliveMs: limit(5_000, 'rest between two requests of a connection', 'closed'),
  headersMs: limit(10_000, 'time for the headers to arrive, the first request of a connection included', '408, closed'),
  jsonMs: limit(10_000, 'time for a JSON body to arrive', '408, closed'),
  uploadMs: limit(60 * MINUTE, 'time for an upload to arrive', '408, closed'),
  idleMs: limit(MINUTE, 'silence inside a request or an answer', 'closed'),
  rateMs: limit(MINUTE, 'time over which the rate of a transfer is taken', 'closed'),
  rateBytes: limit(60 * KIB, 'least bytes of an upload or an answer in that time', 'closed'),
  checkMs: limit(500, 'how often the times above are looked at', '–'),
  closeMs: limit(10_000, 'time for requests in flight to finish when the service is told to stop', 'closed'),
  headerBytes: limit(16 * KIB, 'all headers of a request', '431'),
  headers: limit(100, 'headers of a request', '431'),
  loginBytes: limit(256 * KIB, 'body of a login', '413'),
  jsonBytes: limit(MIB, 'body of any other JSON request', '413'),
  restBytes: limit(64 * KIB, 'body of a refused request that is still read', 'closed'),
  jsonDepth: limit(32, 'levels of nesting in a JSON body', '400'),
  uploadBytes: limit(GIB, 'uploaded file', '413'),
  uploadParts: limit(10, 'parts of an upload', '413'),
  uploadFiles: limit(1, 'files of an upload', '400'),
  uploadFields: limit(10, 'form fields of an upload', '413'),
  uploadFieldBytes: limit(KIB, 'form field of an upload', '413'),
  uploadEnvelopeBytes: limit(16 * KIB, 'all of an upload but the file: boundaries, part headers, fields', '413'),
  fileNameLength: limit(255, 'characters of a file name', 'cut'),
  recordBytes: limit(MIB, 'record of an uploaded file', '`transformFileError`'),
  columns: limit(1_024, 'columns of an uploaded file', '`transformFileError`'),
  rows: limit(10_000_000, 'records of an uploaded file', '`transformFileError`'),
  userUploads: limit(100_000, 'files kept for one user', '507'),
  userUploadBytes: limit(32 * GIB, 'bytes of files kept for one user', '507'),
  retentionMs: limit(90 * DAY, 'life of the files of a job that is at its end', 'removed; the job stays'),
  retentionCheckMs: limit(60 * MINUTE, 'how often such files are looked for', '–'),
  importBytes: limit(32 * MIB, 'file imported into a portfolio', '413'),
  imports: limit(1_000, 'imports of all users that wait to be carried out', '507'),
  portfolios: limit(10_000, 'portfolios of one user', '507'),
  monitorMs: limit(MINUTE, 'how often registers are looked at for a newer import', '–'),
  sameLogins: limit(5, 'identical refused logins in their time', '429'),
  badLogins: limit(50, 'refused logins of one user name from one address in their time', '429'),
  clientLogins: limit(
    500,
    'refused logins of any name from one address in their time',
    'each name may be refused once from there, then 429',
  ),
  sameLoginsMs: limit(2 * MINUTE, 'time over which refused logins are counted; a 429 counts for nothing', '–'),
  loginKeys: limit(10_000, 'user names and addresses remembered for this', 'the oldest is forgotten'),
  loginsAtOnce: limit(2, 'passwords checked side by side; addresses take turns', 'waits'),
  loginsWaiting: limit(256, 'logins that wait for that', '429; the address with the most gives way'),
  clientLoginsWaiting: limit(16, 'logins from one address that wait for that', '429'),
  tokenMs: limit(60 * MINUTE, 'life of an access token', '401'),
  searchCandidates: limit(300, 'companies looked at by one search', 'left out, with the message `TooManyResults`'),
  matchCompanies: limit(10, 'companies of one match', 'left out'),
  reportBytes: limit(10 * MIB, 'report sent at once', '302 to a link'),
  reports: limit(1_000_000, 'reports of one kind, user and country', '403'),
  linkMs: limit(15 * MINUTE, 'life of a download link', '403'),
  reconcileBytes: limit(MIB, 'body of a reconciliation request', '413'),
  reconcileQueries: limit(100, 'queries of a reconciliation batch, and properties asked for at once', '400'),
  reconcileIds: limit(1_000, 'companies whose properties are asked for at once', '400'),
  reconcileCallbackLength: limit(128, 'characters of the callback of a reconciliation request', '400'),
  idempotencyKeyLength: limit(255, 'characters of an Idempotency-Key', '400'),
  idempotencyMs: limit(DAY, 'how long an Idempotency-Key is remembered', 'forgotten'),
  jobsAtOnce: limit(8, 'jobs matched or enriched side by side', 'waits'),
  sliceMs: limit(4, 'work on a job between two looks at the network', '–'),
  matchedMs: limit(2_000, 'stay at `matched` when nobody reads the job', '–'),
  diskMs: limit(5_000, 'pause of a job before a full disk is tried again', '–'),
} as const satisfies Record<string, Limit>

/** The name of a limit. */
export type LimitName = keyof typeof LIMIT_TABLE

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>

/** The limits as they are unless the service is told otherwise. */
export const LIMITS = Object.fromEntries(Object.entries(LIMIT_TABLE).map(([name, { value }]) => [name, value])) as Limits
