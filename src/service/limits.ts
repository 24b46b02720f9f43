/**
 * THE table of what the embedded service accepts: sizes in bytes, times in milliseconds, counts. Nothing else in `service/`
 * holds a limit of its own; documentation prints this table (faults S28, S29).
 */

/** The limits as they are unless `serve` is told otherwise. */
export const LIMITS = {
  /** All request headers together (431). */
  headerBytes: 16 * 1024,
  /** Number of request headers (431). */
  headers: 100,
  /** Time for the request's headers to arrive (408). */
  headersMs: 10_000,
  /** Time for a whole request: an upload is the longest. */
  requestMs: 3_600_000,
  /** Time a connection may be silent inside a request. */
  idleMs: 60_000,
  /** Time a connection is kept for the next request. */
  keepAliveMs: 5_000,
  requestsPerSocket: 1_000,
  connections: 1_024,
  /** How often the times above are looked at. */
  checkMs: 1_000,
  /** Body of a login (413). */
  loginBytes: 8 * 1024,
  /** Body of any other JSON request (413). */
  jsonBytes: 1024 * 1024,
  /** Time for a JSON body to arrive. */
  jsonMs: 10_000,
  /** Levels of nesting in a JSON body (400). */
  jsonDepth: 32,
  /** The uploaded file (413). */
  uploadBytes: 1024 * 1024 * 1024,
  /** Parts of an upload (413). */
  uploadParts: 10,
  /** A form field of an upload (413). */
  uploadFieldBytes: 1_024,
  /** One record of an uploaded file. */
  recordBytes: 1024 * 1024,
  /** Columns of an uploaded file. */
  columns: 1_024,
  /** Jobs matched or enriched side by side; the others wait. */
  jobsAtOnce: 8,
  /** How long matching works before it lets requests through. */
  sliceMs: 10,
  /** How long a job stays at `matched` when nobody reads it. */
  matchedMs: 2_000,
  /** Life of an access token, in seconds (contract §4.1). */
  tokenSeconds: 3_600,
  /** Life of a download link (contract §14.1). */
  linkMs: 15 * 60_000,
  /** How long an Idempotency-Key is remembered. */
  idempotencyMs: 24 * 3_600_000,
  /** Identical bad logins answered inside their window (contract §4.2). */
  sameLogins: 5,
  sameLoginsMs: 120_000,
  /** Bad logins of one user name from one address inside the same window, whatever the password. */
  badLogins: 50,
  /** All logins inside their window; beyond it the endpoint is shut for as long (contract §4.2). */
  logins: 10_000,
  loginsMs: 300_000,
  /** Time for requests in flight to finish when the service is closed. */
  closeMs: 10_000,
} as const

/** A set of limits; every name of the table. */
export type Limits = Readonly<Record<keyof typeof LIMITS, number>>
