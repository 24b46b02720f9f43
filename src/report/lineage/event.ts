/** OpenLineage events (specification 2-0-2) of a run: names, counts and digests, never a cell of a row. The caller supplies the names. */
import type { RunState } from '../../journal/index.ts'
import { plain } from '../formats/escape.ts'
import { inputsOf, outputsOf } from './datasets.ts'
import { type FacetMaker, facetsBy, type LineageEvent, type LineageNames, type LineageType } from './types.ts'

export type { LineageEvent, LineageNames } from './types.ts'

/** START: a new run; RUNNING: a resumed run; END: COMPLETE, FAIL or ABORT by its status. */
export function lineageEvent(state: RunState, type: 'START' | 'RUNNING' | 'END', names: LineageNames): LineageEvent {
  const producer = `pkg:npm/${state.tool.name}@${state.tool.version}`
  const facets = facetsBy(producer)
  const hasEnded = type === 'END'
  return {
    eventType: hasEnded ? endOf(state) : type,
    // A run that joins shards has the start of the first of them.
    eventTime: type === 'START' && state.shardRuns.length === 0 ? state.startedAt : state.updatedAt,
    producer,
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: names.runId, facets: runFacets(state, names, facets, hasEnded) },
    job: { ...names.job, facets: jobFacets(state, facets) },
    inputs: inputsOf(state, names, facets, hasEnded),
    outputs: outputsOf(state, names, facets, hasEnded),
  }
}

/** A failed check is a result, reported by its assertion; a run that stopped on an error has failed. */
function endOf({ status, error }: RunState): LineageType {
  if (status === 'cancelled') return 'ABORT'
  return error === null && status !== 'running' ? 'COMPLETE' : 'FAIL'
}

function runFacets({ error, tool }: RunState, names: LineageNames, facet: FacetMaker, hasEnded: boolean) {
  const { parent, nominalTime, shards } = names
  return {
    processing_engine: facet('ProcessingEngineRunFacet', { version: tool.version, name: tool.name }),
    ...(parent === null ? {} : { parent: facet('ParentRunFacet', { ...parent }) }),
    ...(shards.length === 0 ? {} : { jobDependencies: facet('JobDependenciesRunFacet', { upstream: shards }) }),
    ...(nominalTime === null ? {} : { nominalTime: facet('NominalTimeRunFacet', { nominalStartTime: nominalTime }) }),
    ...(error === null || !hasEnded
      ? {}
      : {
          errorMessage: facet('ErrorMessageRunFacet', {
            message: plain(`${error.code}: ${error.message}`),
            programmingLanguage: 'JavaScript',
          }),
        }),
  }
}

function jobFacets({ plan }: RunState, facet: FacetMaker) {
  const kind = { processingType: 'BATCH', integration: 'FETTLE', jobType: 'PIPELINE' }
  return {
    jobType: facet('JobTypeJobFacet', kind),
    ...(plan.description === null ? {} : { documentation: facet('DocumentationJobFacet', { description: plan.description }) }),
  }
}
