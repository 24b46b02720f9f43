/** What a reporter is: somebody who hears what happens to the pipelines of a call and how they ended. Types only. */
import type { Event, LineageEvent, PipelineResult } from '../../report/index.ts'

/** Whatever it throws is a warning: no reporter can break a run. */
export interface Reporter {
  /** As it is asked for. */
  readonly name: string
  /** Something happened to a pipeline. */
  event?(event: Omit<Event, 'schema'>): void
  /** A run has begun, goes on or has ended, as OpenLineage has it. */
  lineage?(event: LineageEvent): void
  /** All pipelines of the call have ended; `exitCode` is that of the call. */
  end(told: readonly PipelineResult[], exitCode: number): Promise<void>
}
