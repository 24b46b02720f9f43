/** OpenLineage events (specification 2-0-2) of a run: names, counts and digests, never a cell of a row. The caller supplies the names. */
import type { RunState } from '../../journal/index.ts'
import { listColumns, outputNames } from '../../model/columns.ts'
import { filledRows } from '../../model/list.ts'
import { plain } from '../formats/escape.ts'
import { registersOf } from '../service-words.ts'

type Plan = RunState['plan']

/** START: a new run; RUNNING: a resumed run; END: COMPLETE, FAIL or ABORT by its status. */
export function lineageEvent(state: RunState, type: 'START' | 'RUNNING' | 'END', names: LineageNames): LineageEvent {
  const producer = `pkg:npm/${state.tool.name}@${state.tool.version}`
  const facets = facetsBy(producer)
  const hasEnded = type === 'END'
  return {
    eventType: hasEnded ? readEnd(state) : type,
    // A run that joins shards has the start of the first of them.
    eventTime: type === 'START' && state.shardRuns.length === 0 ? state.startedAt : state.updatedAt,
    producer,
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: names.runId, facets: runFacets(state, names, facets, hasEnded) },
    job: { ...names.job, facets: jobFacets(state, facets) },
    inputs: listInputs(state, names, facets, hasEnded),
    outputs: listOutputs(state, names, facets, hasEnded),
  }
}

/** A failed check is a result, reported by its assertion; a run that stopped on an error has failed. */
function readEnd({ status, error }: RunState): LineageType {
  if (status === 'cancelled') return 'ABORT'
  return error === null && status !== 'running' ? 'COMPLETE' : 'FAIL'
}

function runFacets({ error, tool }: RunState, names: LineageNames, facet: FacetMaker, hasEnded: boolean) {
  const { parent, nominalTime, shards } = names
  const message = error === null || !hasEnded ? null : plain(`${error.code}: ${error.message}`)
  return {
    processing_engine: facet('ProcessingEngineRunFacet', { version: tool.version, name: tool.name }),
    parent: parent === null ? undefined : facet('ParentRunFacet', { ...parent }),
    jobDependencies: shards.length === 0 ? undefined : facet('JobDependenciesRunFacet', { upstream: shards }),
    nominalTime: nominalTime === null ? undefined : facet('NominalTimeRunFacet', { nominalStartTime: nominalTime }),
    errorMessage: message === null ? undefined : facet('ErrorMessageRunFacet', { message, programmingLanguage: 'JavaScript' }),
  }
}

function jobFacets({ plan }: RunState, facet: FacetMaker) {
  const { description } = plan
  const jobType = facet('JobTypeJobFacet', { processingType: 'BATCH', integration: 'FETTLE', jobType: 'PIPELINE' })
  if (description === null) return { jobType }
  return { jobType, documentation: facet('DocumentationJobFacet', { description }) }
}

const readHeader = ({ input }: Plan, { column }: LineageNames): string[] =>
  input.header === null ? Array.from({ length: input.columns }, (_, at) => column(at)) : [...input.header]

const listFields = (columns: readonly string[], facet: FacetMaker) =>
  facet('SchemaDatasetFacet', { fields: [...new Set(columns)].map(name => ({ name, type: 'string' })) })

function listInputs(state: RunState, names: LineageNames, facet: FacetMaker, hasEnded: boolean): LineageDataset[] {
  const { plan, checks } = state
  const { input, rows } = plan
  const fileCount = input.files?.length ?? 1
  const metrics = { rowCount: input.rows, bytes: input.bytes, fileCount, columnMetrics: columnMetrics(plan, names) }
  // The facet has met and failed only: a check that is not measured yet is not in it.
  const assertions = checks.flatMap(({ assertion, success, severity, expected }) =>
    success === null
      ? []
      : [{ assertion: `${assertion} ${expected}`, success, severity: severity === 'fail' ? 'error' : 'warn' }],
  )
  return [
    {
      ...names.dataset(input.path),
      facets: { schema: listFields(readHeader(plan, names), facet) },
      inputFacets: {
        inputStatistics: facet('InputStatisticsInputDatasetFacet', { rowCount: rows, size: input.bytes, fileCount }),
        dataQualityMetrics: facet('DataQualityMetricsInputDatasetFacet', metrics),
        dataQualityAssertions:
          hasEnded && assertions.length > 0 ? facet('DataQualityAssertionsDatasetFacet', { assertions }) : undefined,
      },
    },
    ...listRegisters(state, facet),
  ]
}

/** The registers that the rows were matched against; the version is the digest of the snapshot. */
const listRegisters = (state: RunState, facet: FacetMaker): LineageDataset[] =>
  (registersOf(state) ?? []).map(({ name, snapshotDate, sha256 }) => ({
    namespace: 'fettle',
    name: `register/${name}`,
    facets:
      sha256 === null
        ? {}
        : { version: facet('DatasetVersionDatasetFacet', { datasetVersion: [snapshotDate, sha256].filter(Boolean).join(' ') }) },
  }))

function columnMetrics({ profile = [], input }: Plan, { column }: LineageNames) {
  return Object.fromEntries(
    profile.map(({ header, index, filled, distinct, isEstimate }) => [
      header ?? column(index),
      { nullCount: filledRows(input) - filled, count: filled, distinctCount: isEstimate ? undefined : distinct },
    ]),
  )
}

/** The output files of the plan (none for a shard), with row counts once the run has ended. */
function listOutputs(state: RunState, names: LineageNames, facet: FacetMaker, hasEnded: boolean): LineageDataset[] {
  const { plan, outputs } = state
  const { output, shard } = plan
  if (output === null || shard !== undefined) return []
  const own = readHeader(plan, names)
  const columns = outputNames(output, own)
  const sources = listColumns(output, own.length).map(({ index }) => (index === null ? null : own[index]!))
  const fields = traceColumns(plan, columns, sources, names)
  const schema = listFields(columns, facet)
  const { path, unmatched, review } = output
  return Object.entries({ output: path, unmatched, review }).flatMap(([kind, path]) => {
    if (path === null) return []
    const written = hasEnded ? outputs.find(file => file.kind === kind) : undefined
    const counts = written && { rowCount: written.rows, size: written.bytes, fileCount: 1 }
    return {
      // Files of a run whose checks failed have names of their own.
      ...names.dataset(written?.path ?? path),
      facets: { schema, columnLineage: facet('ColumnLineageDatasetFacet', { fields }) },
      outputFacets: counts === undefined ? {} : { outputStatistics: facet('OutputStatisticsOutputDatasetFacet', counts) },
    }
  })
}

/** Input columns are copied to the output; all other columns derive from the mapped columns. */
function traceColumns(plan: Plan, columns: readonly string[], sources: readonly (string | null)[], names: LineageNames) {
  const dataset = names.dataset(plan.input.path)
  const own = readHeader(plan, names)
  const step = (field: string, type: string, subtype: string, description: string) => ({
    ...dataset,
    field,
    transformations: [{ type, subtype, description, masking: false }],
  })
  const asked = plan.mappings.flatMap(({ mapping, index, value }) =>
    value === undefined && own[index] !== undefined
      ? [step(own[index], 'INDIRECT', 'JOIN', `the company was found by it, as ${mapping}`)]
      : [],
  )
  return Object.fromEntries(
    columns.map((name, at) => {
      const source = sources[at] ?? null
      return [name, { inputFields: source === null ? asked : [step(source, 'DIRECT', 'IDENTITY', 'as it was')] }]
    }),
  )
}

type Facets = Readonly<Record<string, Facet | undefined>>
type LineageType = 'START' | 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT'

/** The facets depend on whether the dataset is read or written. */
interface LineageDataset {
  readonly namespace: string
  readonly name: string
  readonly facets: Facets
  readonly inputFacets?: Facets
  readonly outputFacets?: Facets
}

interface LineageRun {
  readonly run: { readonly runId: string }
  readonly job: { readonly namespace: string; readonly name: string }
}

/** An OpenLineage event (https://openlineage.io/spec/2-0-2/OpenLineage.json); unknown optional parts are omitted. */
export interface LineageEvent {
  readonly eventType: LineageType
  readonly eventTime: string
  readonly producer: string
  readonly schemaURL: string
  readonly run: LineageRun['run'] & { readonly facets: Facets }
  readonly job: LineageRun['job'] & { readonly facets: Facets }
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

type Facet = { readonly _producer: string; readonly _schemaURL: string } & Readonly<Record<string, unknown>>

type FacetMaker = (name: keyof typeof VERSIONS, data: Readonly<Record<string, unknown>>) => Facet

const facetsBy =
  (producer: string): FacetMaker =>
  (name, data) => ({
    _producer: producer,
    _schemaURL: `https://openlineage.io/spec/facets/${VERSIONS[name]}/${name}.json#/$defs/${name}`,
    ...data,
  })
