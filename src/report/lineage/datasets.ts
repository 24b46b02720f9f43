/** Input, registers and outputs of a run as OpenLineage datasets: columns, column lineage, row counts and checks. Contains no cells. */
import type { RunState } from '../../journal/index.ts'
import { outputNames } from '../../model/column-names.ts'
import { filledRows } from '../../model/filled-rows.ts'
import { registersOf } from '../service-words.ts'
import type { FacetMaker, LineageDataset, LineageNames } from './types.ts'

const ALL_COLUMNS = '*'

const headerOf = ({ input }: RunState['plan'], { column }: LineageNames): string[] =>
  input.header === null ? Array.from({ length: input.columns }, (_, at) => column(at)) : [...input.header]

const schemaOf = (columns: readonly string[], facet: FacetMaker) =>
  facet('SchemaDatasetFacet', { fields: [...new Set(columns)].map(name => ({ name, type: 'string' })) })

export function inputsOf(state: RunState, names: LineageNames, facet: FacetMaker, hasEnded: boolean): LineageDataset[] {
  const { plan, checks } = state
  const { input, rows } = plan
  const metrics = facet('DataQualityMetricsInputDatasetFacet', {
    rowCount: input.rows,
    bytes: input.bytes,
    fileCount: input.files?.length ?? 1,
    columnMetrics: columnMetrics(plan, names),
  })
  // The facet has met and failed only: a check that is not measured yet is not in it.
  const assertions = checks.flatMap(({ assertion, success, severity, expected }) =>
    success === null
      ? []
      : [{ assertion: `${assertion} ${expected}`, success, severity: severity === 'fail' ? 'error' : 'warn' }],
  )
  return [
    {
      ...names.dataset(input.path),
      facets: { schema: schemaOf(headerOf(plan, names), facet) },
      inputFacets: {
        inputStatistics: facet('InputStatisticsInputDatasetFacet', {
          rowCount: rows,
          size: input.bytes,
          fileCount: input.files?.length ?? 1,
        }),
        dataQualityMetrics: metrics,
        ...(hasEnded && assertions.length > 0
          ? { dataQualityAssertions: facet('DataQualityAssertionsDatasetFacet', { assertions }) }
          : {}),
      },
    },
    ...datasetsOfRegisters(state, facet),
  ]
}

/** The registers that the rows were matched against; the version is the digest of the snapshot. */
const datasetsOfRegisters = (state: RunState, facet: FacetMaker): LineageDataset[] =>
  (registersOf(state) ?? []).map(({ name, snapshotDate, sha256 }) => ({
    namespace: 'fettle',
    name: `register/${name}`,
    facets:
      sha256 === null
        ? {}
        : { version: facet('DatasetVersionDatasetFacet', { datasetVersion: [snapshotDate, sha256].filter(Boolean).join(' ') }) },
  }))

function columnMetrics({ profile = [], input }: RunState['plan'], { column }: LineageNames) {
  return Object.fromEntries(
    profile.map(({ header, index, filled, distinct, isEstimate }) => [
      header ?? column(index),
      { nullCount: filledRows(input) - filled, count: filled, ...(isEstimate ? {} : { distinctCount: distinct }) },
    ]),
  )
}

/** The output files of the plan (none for a shard), with row counts once the run has ended. */
export function outputsOf(state: RunState, names: LineageNames, facet: FacetMaker, hasEnded: boolean): LineageDataset[] {
  const { plan, outputs } = state
  const { output, shard } = plan
  if (output === null || shard !== undefined) return []
  const own = headerOf(plan, names)
  const columns = outputNames(output, own)
  const sources = output.columns.flatMap(name => (name === ALL_COLUMNS ? own : [null]))
  const { path, unmatched, review } = output
  return Object.entries({ output: path, unmatched, review }).flatMap(([kind, path]) => {
    if (path === null) return []
    const written = hasEnded ? outputs.find(one => one.kind === kind) : undefined
    return [
      {
        // Files of a run whose checks failed have names of their own.
        ...names.dataset(written?.path ?? path),
        facets: {
          schema: schemaOf(columns, facet),
          columnLineage: facet('ColumnLineageDatasetFacet', {
            fields: lineageOf(
              plan,
              columns.map((name, at) => [name, sources[at] ?? null]),
              names,
            ),
          }),
        },
        outputFacets:
          written === undefined
            ? {}
            : {
                outputStatistics: facet('OutputStatisticsOutputDatasetFacet', {
                  rowCount: written.rows,
                  size: written.bytes,
                  fileCount: 1,
                }),
              },
      },
    ]
  })
}

/** Input columns are copied to the output; all other columns derive from the mapped columns. */
function lineageOf(
  plan: RunState['plan'],
  columns: readonly (readonly [name: string, source: string | null])[],
  names: LineageNames,
) {
  const dataset = names.dataset(plan.input.path)
  const own = headerOf(plan, names)
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
    columns.map(([name, source]) => [
      name,
      { inputFields: source === null ? asked : [step(source, 'DIRECT', 'IDENTITY', 'as it was')] },
    ]),
  )
}
