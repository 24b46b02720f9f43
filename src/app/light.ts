/** What the light commands use: loads nothing that only a run needs. Re-exports only. */

export { MAPPINGS } from '../contract/data-cleaning/mappings.ts'
export { writeAtomic } from '../files/atomic-file.ts'
export {
  columnName,
  type Decisions,
  draftOf,
  draftYaml,
  explainPlan,
  inputKindOf,
  MOST_SHARDS,
  nearest,
  type Plan,
  type Proposal,
  parseDuration,
  parseShard,
  pipelineJsonSchema,
  profileLines,
  type ShardChoice,
  STDIN_NAME,
  shardList,
  shareOf,
  shownPath,
} from '../pipeline/index.ts'
export { packageInfo } from './env/package-info.ts'
export { isInside, realPath } from './prepare/output-paths.ts'
export { type Overrides, type Prepared, prepare } from './prepare/prepare.ts'
export { type InspectedColumns, inspectColumns, proposeFor, type Reading } from './prepare/propose.ts'
export { stdinOf } from './staging/stdin.ts'
