/**
 * The shape of an OpenLineage event, written from the specification (core 2-0-2 and the facets that fettle gives): what must be there,
 * of which type, and by which schema. Stricter than the specification in one thing: a facet that it does not list is a mistake.
 */
import { Ajv } from 'ajv'
import formats from 'ajv-formats'

type Shape = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const uri = { type: 'string', format: 'uri' }
const time = { type: 'string', format: 'date-time' }
const truth = { type: 'boolean' }
const list = (items: Shape): Shape => ({ type: 'array', items })
const map = (values: Shape): Shape => ({ type: 'object', additionalProperties: values })

/** `!` ends the name of a key that must be there; no other keys may be. */
const record = (keys: Shape): Shape => {
  const entries = Object.entries(keys).map(([key, shape]) => [key.replace(/!$/, ''), shape] as const)
  const required = Object.keys(keys).flatMap(key => (key.endsWith('!') ? [key.slice(0, -1)] : []))
  return { type: 'object', properties: Object.fromEntries(entries), required, additionalProperties: false }
}

const facet = (name: string, version: string, keys: Shape): Shape =>
  record({
    '_producer!': uri,
    '_schemaURL!': { const: `https://openlineage.io/spec/facets/${version}/${name}.json#/$defs/${name}` },
    ...keys,
  })

const job = { 'namespace!': { type: 'string', minLength: 1 }, 'name!': { type: 'string', minLength: 1 } }
const aRun = { 'run!': record({ 'runId!': { type: 'string', format: 'uuid' } }), 'job!': record(job) }

const runFacets = record({
  processing_engine: facet('ProcessingEngineRunFacet', '1-1-1', {
    'version!': text,
    name: text,
    openlineageAdapterVersion: text,
  }),
  parent: facet('ParentRunFacet', '1-1-0', { ...aRun, root: record(aRun) }),
  nominalTime: facet('NominalTimeRunFacet', '1-0-1', { 'nominalStartTime!': time, nominalEndTime: time }),
  jobDependencies: facet('JobDependenciesRunFacet', '1-0-1', {
    upstream: list(record({ 'job!': record(job), run: aRun['run!'] })),
  }),
  errorMessage: facet('ErrorMessageRunFacet', '1-0-1', { 'message!': text, 'programmingLanguage!': text, stackTrace: text }),
})

const jobFacets = record({
  jobType: facet('JobTypeJobFacet', '2-0-3', { 'processingType!': text, 'integration!': text, jobType: text }),
  documentation: facet('DocumentationJobFacet', '1-1-0', { 'description!': text, contentType: text }),
})

const transformation = record({ 'type!': { enum: ['DIRECT', 'INDIRECT'] }, subtype: text, description: text, masking: truth })
const inputField = record({ ...job, 'field!': text, transformations: list(transformation) })

const datasetFacets = {
  version: facet('DatasetVersionDatasetFacet', '1-0-1', { 'datasetVersion!': text }),
  schema: facet('SchemaDatasetFacet', '1-1-1', { fields: list(record({ 'name!': text, type: text, description: text })) }),
}
const columnLineage = facet('ColumnLineageDatasetFacet', '1-2-0', {
  'fields!': map(record({ 'inputFields!': list(inputField) })),
  dataset: list(inputField),
})

const statistics = { rowCount: count, size: count, fileCount: count }
const inputFacets = record({
  inputStatistics: facet('InputStatisticsInputDatasetFacet', '1-0-0', statistics),
  dataQualityMetrics: facet('DataQualityMetricsInputDatasetFacet', '1-0-2', {
    rowCount: count,
    bytes: count,
    fileCount: count,
    'columnMetrics!': map(record({ nullCount: count, distinctCount: count, count })),
  }),
  dataQualityAssertions: facet('DataQualityAssertionsDatasetFacet', '1-0-2', {
    'assertions!': list(record({ 'assertion!': text, 'success!': truth, column: text, severity: { enum: ['warn', 'error'] } })),
  }),
})
const outputFacets = record({ outputStatistics: facet('OutputStatisticsOutputDatasetFacet', '1-0-2', statistics) })

const event = record({
  'eventType!': { enum: ['START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL', 'OTHER'] },
  'eventTime!': time,
  'producer!': uri,
  'schemaURL!': { const: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent' },
  'run!': record({ 'runId!': { type: 'string', format: 'uuid' }, facets: runFacets }),
  'job!': record({ ...job, facets: jobFacets }),
  inputs: list(record({ ...job, facets: record(datasetFacets), inputFacets })),
  outputs: list(record({ ...job, facets: record({ ...datasetFacets, columnLineage }), outputFacets })),
})

const ajv = new Ajv({ allErrors: true, strict: true })
formats.default(ajv)
const validate = ajv.compile(event)

/** What is wrong with an event; empty when nothing is. */
export function faultsOf(event: unknown): string[] {
  if (validate(JSON.parse(JSON.stringify(event)))) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
