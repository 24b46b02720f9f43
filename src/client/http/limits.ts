/** Time and size limits of a single exchange (contract §14.2). */

export const LIMITS = {
  /** Until the connection is open, TLS included. */
  connectMs: 10_000,
  /** Until the reply's headers. */
  headersMs: 60_000,
  /** Until the headers of the reply to an upload: the service may check the file first. */
  uploadHeadersMs: 300_000,
  bodyMs: 60_000,
  /** A download without data for this time has failed. */
  idleMs: 60_000,
  /** A transfer must reach `bytesPerSecond` on average in each window of this length. */
  rateWindowMs: 60_000,
  bytesPerSecond: 1024,
  jsonBytes: 8 * 1024 * 1024,
  /** The largest JSON reply behind a redirect, such as a report of over 10 MB (contract §9.3). */
  linkedBytes: 64 * 1024 * 1024,
}

/** Limits of one exchange; milliseconds unless named otherwise. */
export type Limits = { readonly [K in keyof typeof LIMITS]: number }
