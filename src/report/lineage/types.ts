/** What an event of OpenLineage is made of, and what things must be called for one. Types only. */
import type { Facet } from './facets.ts'

/** How a run stands, in the specification's words. */
export type LineageType = 'START' | 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT'

/** A dataset; which facets it has depends on whether it is read or written. */
export interface LineageDataset {
  readonly namespace: string
  readonly name: string
  readonly facets: Readonly<Record<string, Facet>>
  readonly inputFacets?: Readonly<Record<string, Facet>>
  readonly outputFacets?: Readonly<Record<string, Facet>>
}

/** A run of a job as others know it. */
export interface LineageRun {
  readonly run: { readonly runId: string }
  readonly job: { readonly namespace: string; readonly name: string }
}

/** One event; what the specification leaves open is left out where it is unknown. */
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

/** What things are called outside, and what is known of them there. */
export interface LineageNames {
  /** A UUID, the same for all events of a run. */
  readonly runId: string
  readonly job: LineageRun['job']
  /** The run that started this one, and the one that started it all. */
  readonly parent: (LineageRun & { readonly root?: LineageRun }) | null
  /** The time that the run was scheduled for, null when nobody says. */
  readonly nominalTime: string | null
  /** A file by its path. */
  readonly dataset: (path: string) => { readonly namespace: string; readonly name: string }
  /** A column that has no header, by its number from 0. */
  readonly column: (index: number) => string
}
