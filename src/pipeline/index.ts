/** The pipeline's face: re-exports only. */

export { nearest } from '../nearest.ts'
export { parseDecisionTable, testProblems } from './decision-file.ts'
export type * from './model/types.ts'
export { type ParsedPipeline, parsePipeline, parsePipelineValue, plainPipeline } from './parse.ts'
export { type Change, comparePlans as changesOf } from './planning/diff.ts'
export { explainPlan, leastRequests, profileLines, resolvedYaml } from './planning/explain.ts'
export { FREE_KEYS, isSameWork, wholePlan } from './planning/fingerprint.ts'
export { inputWarnings, type WarningContext, watchedColumns } from './planning/input-warnings.ts'
export { needsCount, type PlannedShard, planRun } from './planning/plan.ts'
export { restorePipeline } from './planning/restore-pipeline.ts'
export * from './planning/series.ts'
export * from './planning/shards.ts'
export { decisionsJsonSchema, pipelineJsonSchema, projectJsonSchema } from './project/json-schema.ts'
export { type Project, type ProjectChoice, parseProject } from './project/project.ts'
export { draftOf, draftYaml, isWorkbook, listStem, nameDecisionsFile } from './propose/draft.ts'
export { columnName, type Decisions, type Proposal, type Proposed, propose } from './propose/propose.ts'
export { SectionFinder } from './propose/sections.ts'
export { type Surroundings, skippedLines, skippedRows, surroundingsOf, type TableReading } from './propose/surroundings.ts'
export type { Knowledge, SeenColumn } from './propose/values.ts'
export * from './schema/addresses.ts'
export { checkServiceUrl, databaseFile, isDatabase, isNear, splitTable, withDatabaseFile } from './schema/addresses.ts'
export { defaultColumns, RESULT_COLUMNS } from './schema/columns.ts'
export { liveSettingsOf, settingName } from './schema/keys.ts'
export {
  type InputRef,
  isDeviceName,
  OUTPUT_FILES,
  ROWS_NAME,
  RUN_OUTPUT,
  recordedInput,
  requestedInput,
  STDIN_NAME,
} from './schema/paths.ts'
export { inputOptionsOf, type Pipeline } from './schema/pipeline.ts'
export type { PipelineInput, TableRegister } from './schema/schema.ts'
export { decodePipeline, hasPipelineEnding, PIPELINE_ENDINGS, pipelineFormat } from './source/decode.ts'
export { parseDuration, parseThreshold } from './source/durations.ts'
export { literal } from './source/interpolate.ts'
export type { Secrets } from './source/secrets.ts'
export * from './test-file.ts'
