/** Types of OpenLineage events and of the names in them. */
import type { Facet } from './facets.ts'

export type LineageType = 'START' | 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT'

/** The facets depend on whether the dataset is read or written. */
export interface LineageDataset {
  readonly namespace: string
  readonly name: string
  readonly facets: Readonly<Record<string, Facet>>
  readonly inputFacets?: Readonly<Record<string, Facet>>
  readonly outputFacets?: Readonly<Record<string, Facet>>
}

export interface LineageRun {
  readonly run: { readonly runId: string }
  readonly job: { readonly namespace: string; readonly name: string }
}

/** An OpenLineage event (https://openlineage.io/spec/2-0-2/OpenLineage.json); unknown optional parts are omitted. */
export interface LineageEvent {
  readonly eventType: LineageType
  readonly eventTime: string
  readonly producer: string
  readonly schemaURL: string
  readonly run: { readonly runId: string; readonly facets: Readonly<Record<string, Facet>> }
  readonly job: { readonly namespace: string; readonly name: string; readonly facets: Readonly<Record<string, Facet>> }
  readonly inputs: readonly LineageDataset[]
  readonly outputs: readonly LineageDataset[]
}

/** Names of run, job, datasets and columns for the consumers of events. */
export interface LineageNames {
  /** A UUID, the same for all events of a run. */
  readonly runId: string
  readonly job: LineageRun['job']
  /** The run that started this one, and the root of the chain. */
  readonly parent: (LineageRun & { readonly root?: LineageRun }) | null
  /** The time for which the run was scheduled, null if unknown. */
  readonly nominalTime: string | null
  readonly dataset: (path: string) => { readonly namespace: string; readonly name: string }
  /** A column without a header, by its index from 0. */
  readonly column: (index: number) => string
}
