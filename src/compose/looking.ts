/** The wiring's face for whoever looks at pipelines and runs none: it loads nothing of what a run needs. Re-exports only. */

export {
  explainPlan,
  nearest,
  type Plan,
  parseDuration,
  pipelineJsonSchema,
  profileLines,
  STDIN_NAME,
  spoolOf,
} from '../pipeline/index.ts'
export { isInside, realPath } from './output-places.ts'
export { type Overrides, type Prepared, prepare } from './prepare.ts'
export { stdinOf } from './stdin.ts'
