/** The OpenLineage facets that fettle writes, with the versions of their schemas. */

const VERSIONS = {
  ProcessingEngineRunFacet: '1-1-1',
  ParentRunFacet: '1-1-0',
  NominalTimeRunFacet: '1-0-1',
  ErrorMessageRunFacet: '1-0-1',
  JobTypeJobFacet: '2-0-3',
  DocumentationJobFacet: '1-1-0',
  SchemaDatasetFacet: '1-1-1',
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
