/** Time and size limits of a single exchange (contract §14.2). */

/** Limits of one exchange; milliseconds unless named otherwise. */
export interface Limits {
  /** Until the connection is open, TLS included. */
  readonly connectMs: number
  /** Until the reply's headers. */
  readonly headersMs: number
  /** Until the headers of the reply to an upload: the service may check the file first. */
  readonly uploadHeadersMs: number
  /** For the whole body of a JSON reply. */
  readonly bodyMs: number
  /** A download without data for this time has failed. */
  readonly idleMs: number
  /** A transfer must reach `bytesPerSecond` on average in each window of this length. */
  readonly rateWindowMs: number
  readonly bytesPerSecond: number
  /** The largest JSON reply. */
  readonly jsonBytes: number
  /** The largest JSON reply behind a redirect, such as a report of over 10 MB (contract §9.3). */
  readonly linkedBytes: number
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  headersMs: 60_000,
  uploadHeadersMs: 300_000,
  bodyMs: 60_000,
  idleMs: 60_000,
  rateWindowMs: 60_000,
  bytesPerSecond: 1024,
  jsonBytes: 8 * 1024 * 1024,
  linkedBytes: 64 * 1024 * 1024,
}
