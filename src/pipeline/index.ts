/** The pipeline's face: re-exports only. */
export { addressOf, isAddress, isHidden, type Links, linksOf, shownPath, whyNotAddress, whyNotEndpoint } from './addresses.ts'
export { type Change, changesOf } from './changes.ts'
export { decodePipeline, pipelineFormat } from './decode.ts'
export { parseDuration } from './durations.ts'
export { explainPlan, leastRequests, profileLines } from './explain.ts'
export { isSameWork } from './fingerprint.ts'
export { pipelineJsonSchema } from './json-schema.ts'
export { nearest } from './nearest.ts'
export { type ParsedPipeline, parsePipeline, parsePipelineValue } from './parse.ts'
export { STDIN, STDIN_NAME, spoolOf } from './paths.ts'
export { inputOptionsOf, type Pipeline } from './pipeline.ts'
export { plainPipeline } from './plain.ts'
export { type PlannedShard, planRun } from './plan.ts'
export { draftOf, draftYaml } from './propose/draft.ts'
export {
  columnName,
  type Decisions,
  type Proposal,
  propose,
  type SeenColumn,
} from './propose/propose.ts'
export type { Knowledge } from './propose/values.ts'
export { resolvedYaml } from './resolved.ts'
export { definePipeline, type PipelineInput } from './schema.ts'
export type { Secrets } from './secrets.ts'
export { checkServiceUrl } from './service-url.ts'
export { problemOf, readShardPlan } from './shard-schema.ts'
export { kinOf, lineOf, MOST_SHARDS, mergedPlan, parseShard, type ShardChoice, shardList, shardText, shareOf } from './shards.ts'
export { suspectIssues, watchedColumns } from './suspects.ts'
export type * from './types.ts'
