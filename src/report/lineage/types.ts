/** Types of OpenLineage events and of the names in them, and the facets that fettle writes with the versions of their schemas. */

export type LineageType = 'START' | 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT'

/** The facets depend on whether the dataset is read or written. */
export interface LineageDataset {
  readonly namespace: string
  readonly name: string
  readonly facets: Readonly<Record<string, Facet | undefined>>
  readonly inputFacets?: Readonly<Record<string, Facet | undefined>>
  readonly outputFacets?: Readonly<Record<string, Facet | undefined>>
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
  readonly run: { readonly runId: string; readonly facets: Readonly<Record<string, Facet | undefined>> }
  readonly job: {
    readonly namespace: string
    readonly name: string
    readonly facets: Readonly<Record<string, Facet | undefined>>
  }
  readonly inputs: readonly LineageDataset[]
  readonly outputs: readonly LineageDataset[]
}

export interface LineageNames {
  /** A UUID, the same for all events of a run. */
  readonly runId: string
  readonly job: LineageRun['job']
  /** The run that started this one, and the root of the chain. */
  readonly parent: (LineageRun & { readonly root?: LineageRun }) | null
  /** The runs of the shards that the run joins. */
  readonly shards: readonly LineageRun[]
  /** The time for which the run was scheduled, null if unknown. */
  readonly nominalTime: string | null
  readonly dataset: (path: string) => { readonly namespace: string; readonly name: string }
  /** A column without a header, by its index from 0. */
  readonly column: (index: number) => string
}

const VERSIONS = {
  ProcessingEngineRunFacet: '1-1-1',
  ParentRunFacet: '1-1-0',
  NominalTimeRunFacet: '1-0-1',
  ErrorMessageRunFacet: '1-0-1',
  JobDependenciesRunFacet: '1-0-1',
  JobTypeJobFacet: '2-0-3',
  DocumentationJobFacet: '1-1-0',
  SchemaDatasetFacet: '1-1-1',
  DatasetVersionDatasetFacet: '1-0-1',
  ColumnLineageDatasetFacet: '1-2-0',
  DataQualityAssertionsDatasetFacet: '1-0-2',
  DataQualityMetricsInputDatasetFacet: '1-0-2',
  InputStatisticsInputDatasetFacet: '1-0-0',
  OutputStatisticsOutputDatasetFacet: '1-0-2',
} as const

export type Facet = { readonly _producer: string; readonly _schemaURL: string } & Readonly<Record<string, unknown>>

export type FacetMaker = (name: keyof typeof VERSIONS, data: Readonly<Record<string, unknown>>) => Facet

export const facetsBy =
  (producer: string): FacetMaker =>
  (name, data) => ({
    _producer: producer,
    _schemaURL: `https://openlineage.io/spec/facets/${VERSIONS[name]}/${name}.json#/$defs/${name}`,
    ...data,
  })
