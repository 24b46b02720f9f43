/** The log of the service. */

/** Receives one line of the log, without a line end. */
export type Log = (line: string) => void
