/** What source and results are given beside the plan. Types only. */

import type { Decisions } from '../results/decisions/decisions.ts'
import type { Sink, SinkOptions } from '../files/atomic-file.ts'

/** Settings shared by source and results. */
export interface WorkExtra {
  /** The folder that relative paths start from and that outputs stay in; the working directory when absent. */
  readonly root?: string
  readonly signal?: AbortSignal
  /** Milliseconds since 1970, on the clock that files are dated by; without it, a file is hashed at every look. */
  readonly now?: () => number
  /** What people decided about rows, asked for when outputs are made; nothing if absent. */
  readonly decisions?: () => Promise<Decisions | null>
  /** Opens the sink of an output, in place of one on this disk. */
  readonly openSink?: (path: string, options: SinkOptions) => Promise<Sink>
}
