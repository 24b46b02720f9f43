/** Options for writing results. Types only. */
import type { Sink, SinkOptions } from '../files/atomic-file.ts'
import type { FileContext } from '../files/context.ts'
import type { Decisions } from './decisions/decisions.ts'

export interface ResultsOptions extends FileContext {
  /** Reads the decisions to apply; called when outputs are written. */
  readonly decisions?: () => Promise<Decisions | null>
  /** Opens the sink of an output; a local file when absent. */
  readonly openSink?: (path: string, options: SinkOptions) => Promise<Sink>
}
