/** The facets of OpenLineage that fettle gives, each with the version of its schema. It knows no run. */

/** Name -> version. */
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

/** A facet: whose it is, by which schema, and what it says. */
export type Facet = { readonly _producer: string; readonly _schemaURL: string } & Readonly<Record<string, unknown>>

/** Makes a facet of what it says. */
export type FacetMaker = (name: keyof typeof VERSIONS, said: Readonly<Record<string, unknown>>) => Facet

/** Makes the facets of one producer. */
export const facetsBy =
  (producer: string): FacetMaker =>
  (name, said) => ({
    _producer: producer,
    _schemaURL: `https://openlineage.io/spec/facets/${VERSIONS[name]}/${name}.json#/$defs/${name}`,
    ...said,
  })
