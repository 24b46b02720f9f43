/**
 * Every limit of the embedded service: sizes in bytes, times in milliseconds, counts. The documentation prints this table
 * (faults S28, S29).
 */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

/** A value, what it bounds, and what the caller sees beyond it. The unit is part of the name; a name without one is a count. */
type Limit = { readonly value: number; readonly of: string; readonly beyond: string }

const limit = (value: number, of: string, beyond: string): Limit => ({ value, of, beyond })

/** In the order of the documentation. */
export const LIMIT_TABLE = {
  connections: limit(1_024, 'connections at once', 'closed at once'),
  requestsPerSocket: limit(1_000, 'requests of one connection, pipelined ones included', '503, closed'),
  keepAliveMs: limit(5_000, 'idle time between two requests of a connection', 'closed'),
  headersMs: limit(10_000, 'time for the headers to arrive, the first request of a connection included', '408, closed'),
  jsonMs: limit(10_000, 'time for a JSON body to arrive', '408, closed'),
  uploadMs: limit(60 * MINUTE, 'time for an upload to arrive', '408, closed'),
  idleMs: limit(MINUTE, 'silence inside a request or an answer', 'closed'),
  rateMs: limit(MINUTE, 'window for the rate of a transfer', 'closed'),
  rateBytes: limit(60 * KIB, 'minimum bytes of an upload or an answer in that window', 'closed'),
  checkMs: limit(500, 'interval of checking the times above', '–'),
  closeMs: limit(10_000, 'time for requests in flight to finish when the service stops', 'closed'),
  headerBytes: limit(16 * KIB, 'all headers of a request', '431'),
  headers: limit(100, 'headers of a request', '431'),
  loginBytes: limit(256 * KIB, 'body of a login', '413'),
  jsonBytes: limit(MIB, 'body of any other JSON request', '413'),
  restBytes: limit(64 * KIB, 'body of a rejected request that is still read', 'closed'),
  jsonDepth: limit(32, 'levels of nesting in a JSON body', '400'),
  uploadBytes: limit(GIB, 'uploaded file', '413'),
  uploadParts: limit(10, 'parts of an upload', '413'),
  uploadFiles: limit(1, 'files of an upload', '400'),
  uploadFields: limit(10, 'form fields of an upload', '413'),
  uploadFieldBytes: limit(KIB, 'form field of an upload', '413'),
  uploadEnvelopeBytes: limit(16 * KIB, 'everything of an upload except the file: boundaries, part headers, fields', '413'),
  fileNameLength: limit(255, 'characters of a file name', 'cut'),
  recordBytes: limit(MIB, 'record of an uploaded file', '`transformFileError`'),
  columns: limit(1_024, 'columns of an uploaded file', '`transformFileError`'),
  rows: limit(10_000_000, 'records of an uploaded file', '`transformFileError`'),
  userUploads: limit(100_000, 'stored files of one user', '507'),
  userUploadBytes: limit(32 * GIB, 'bytes of stored files of one user', '507'),
  retentionMs: limit(90 * DAY, 'retention of the files of a finished job', 'removed; the job stays'),
  retentionCheckMs: limit(60 * MINUTE, 'interval of removing such files', '–'),
  importBytes: limit(32 * MIB, 'file imported into a portfolio', '413'),
  imports: limit(1_000, 'waiting imports of all users', '507'),
  portfolios: limit(10_000, 'portfolios of one user', '507'),
  treeVersions: limit(10_000, 'versions of decision trees of one user', '507'),
  monitorMs: limit(MINUTE, 'interval of checking registers for a newer import', '–'),
  sameLogins: limit(5, 'identical rejected logins in their window', '429'),
  badLogins: limit(50, 'rejected logins of one user name from one address in their window', '429'),
  clientLogins: limit(
    500,
    'rejected logins of any name from one address in their window',
    'each name may be rejected once from there, then 429',
  ),
  sameLoginsMs: limit(2 * MINUTE, 'window for rejected logins; a 429 is not counted', '–'),
  loginKeys: limit(10_000, 'user names and addresses stored for this', 'the oldest is dropped'),
  loginsAtOnce: limit(2, 'passwords checked at the same time; addresses take turns', 'waits'),
  loginsWaiting: limit(256, 'logins waiting for that', '429 for the address with the most'),
  clientLoginsWaiting: limit(16, 'logins from one address waiting for that', '429'),
  tokenMs: limit(60 * MINUTE, 'lifetime of an access token', '401'),
  searchCandidates: limit(300, 'companies considered by one search', 'omitted, with the message `TooManyResults`'),
  matchCompanies: limit(10, 'companies of one match', 'omitted'),
  reportBytes: limit(10 * MIB, 'report sent at once', '302 to a link'),
  reports: limit(1_000_000, 'reports of one kind, user and country', '403'),
  linkMs: limit(15 * MINUTE, 'lifetime of a download link', '403'),
  reconcileBytes: limit(MIB, 'body of a reconciliation request', '413'),
  reconcileQueries: limit(100, 'queries of a reconciliation batch, and properties requested at once', '400'),
  reconcileIds: limit(1_000, 'companies whose properties are requested at once', '400'),
  reconcileCallbackLength: limit(128, 'characters of the callback of a reconciliation request', '400'),
  idempotencyKeyLength: limit(255, 'characters of an Idempotency-Key', '400'),
  idempotencyMs: limit(DAY, 'how long an Idempotency-Key is stored', 'dropped'),
  jobsAtOnce: limit(8, 'jobs matched or enriched at the same time', 'waits'),
  sliceMs: limit(4, 'work on a job before network events are handled', '–'),
  matchedMs: limit(2_000, 'time at `matched` if no client reads the job', '–'),
  diskMs: limit(5_000, 'pause of a job before it retries a full disk', '–'),
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMIT_TABLE

/** A value for every limit. */
export type Limits = Readonly<Record<LimitName, number>>

export const LIMITS = Object.fromEntries(Object.entries(LIMIT_TABLE).map(([name, { value }]) => [name, value])) as Limits
