/** Time and size limits of a single exchange (contract §14.2). They say nothing about repeating one. */

/** Limits of one exchange; milliseconds unless named otherwise. */
export interface Limits {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number
  /** Until the reply's headers. */
  readonly headersMs: number
  /** Until the headers of the reply to an upload: the service may check the file first. */
  readonly uploadHeadersMs: number
  /** For the whole body of a JSON reply. */
  readonly bodyMs: number
  /** A download that is silent for so long has failed. */
  readonly idleMs: number
  /** A transfer must bring `bytesPerSecond` on average over each such stretch. */
  readonly rateWindowMs: number
  readonly bytesPerSecond: number
  /** A JSON reply may not be larger. */
  readonly jsonBytes: number
  /** Unless it was too large to be answered at once and stands behind a redirect, as a report of over 10 MB does (contract §9.3). */
  readonly linkedBytes: number
}

/** The limits that hold unless `connect` is given others. */
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
