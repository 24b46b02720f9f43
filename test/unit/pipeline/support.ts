/** Shared by the pipeline tests: options, facts about an input, and short functions to parse and plan. */
import type { Issue } from '../../../src/errors.ts'
import type { InputFacts, Plan } from '../../../src/pipeline/model/types.ts'
import { type ParseOptions, parsePipeline } from '../../../src/pipeline/parse.ts'
import { type PlanContext, planRun } from '../../../src/pipeline/planning/plan.ts'
import type { Pipeline } from '../../../src/pipeline/schema/pipeline.ts'

export const OPTIONS: ParseOptions = { file: 'p.yml', env: {}, vars: {}, run: { date: '2026-03-31' } }

export const parseYaml = (text: string, options: Partial<ParseOptions> = {}) =>
  parsePipeline(text, { ...OPTIONS, format: 'yaml', ...options })
export const parseJson = (text: string, options: Partial<ParseOptions> = {}) =>
  parsePipeline(text, { ...OPTIONS, format: 'json', ...options })

/** A pipeline that parses, changed by lines put below it. */
export const BASE = 'name: suppliers\ninput: in.csv\nmappings: { name: Name, country: Country }\n'

/** The pipeline of a text; throws its issues. */
export function pipelineOf(text: string, options: Partial<ParseOptions> = {}): Pipeline {
  const { pipeline, issues } = parseYaml(text, options)
  if (pipeline === null) throw new Error(issues.map(lineOf).join('\n'))
  return pipeline
}

/** An issue as one line: code, place, message. */
export const lineOf = (one: Issue): string =>
  `${one.code.replace('FETTLE_', '')} ${one.at?.line ?? '-'}:${one.at?.column ?? '-'} ${one.message}`

export const FACTS: InputFacts = {
  path: 'in.csv',
  bytes: 300,
  mtimeMs: 1,
  sha256: 'ab'.repeat(32),
  encoding: 'utf-8',
  bom: false,
  delimiter: ',',
  delimiterEvidence: '"," 2 in every one of 10 records',
  quotes: 'strict',
  header: ['Id', 'Name', 'Country'],
  columns: 3,
  rows: 10,
  blankLines: 0,
  lineEnd: 'lf',
}

export const CONTEXT: PlanContext = { file: 'p.yml', limit: null, service: { kind: 'embedded' } }

export const plan = (text: string, facts: Partial<InputFacts> = {}, context: Partial<PlanContext> = {}) => {
  const { pipeline, locate, issues } = parseYaml(text)
  if (pipeline === null) throw new Error(issues.map(lineOf).join('\n'))
  return planRun(pipeline, { ...FACTS, ...facts }, { ...CONTEXT, locate, ...context })
}

/** The plan of a text; throws its issues. */
export function planOf(text: string, facts: Partial<InputFacts> = {}, context: Partial<PlanContext> = {}): Plan {
  const planned = plan(text, facts, context)
  if (planned.plan === null) throw new Error(planned.issues.map(lineOf).join('\n'))
  return planned.plan
}
