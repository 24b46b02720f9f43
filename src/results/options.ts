/** What writing results needs beside the plan. Types only. */
import type { Sink, SinkOptions } from '../files/atomic-file.ts'
import type { FileContext } from '../files/context.ts'
import type { Decisions } from './decisions/decisions.ts'

/** Settings of the results of a run. */
export interface ResultsOptions extends FileContext {
  /** Decisions that people made about rows, read when outputs are written; none if absent. */
  readonly decisions?: () => Promise<Decisions | null>
  /** Opens the sink of an output, in place of a file on this disk. */
  readonly openSink?: (path: string, options: SinkOptions) => Promise<Sink>
}
