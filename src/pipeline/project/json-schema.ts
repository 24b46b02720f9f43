/** The JSON Schemas of pipeline and project file, for editors: made from the declarations that parse them. */
import { z } from 'zod'
import { tableSchema } from '../../decide/table.ts'
import { pipelineSchema } from '../schema/schema.ts'
import { projectSchema } from './project.ts'

/** A scalar of any form may be a reference; it is checked once it is filled in. */
const REFERENCE = { type: 'string', pattern: '\\$\\{' } as const

type JsonSchema = Record<string, unknown>

export const pipelineJsonSchema = (): JsonSchema =>
  jsonSchema(pipelineSchema, 'fettle pipeline', 'A pipeline: input, mappings, service and outputs of a run. Format version 1.')

export const projectJsonSchema = (): JsonSchema =>
  jsonSchema(projectSchema, 'fettle project', 'fettle.yml: targets and defaults of the pipelines of a project. Format version 1.')

export const decisionsJsonSchema = (): JsonSchema =>
  jsonSchema(tableSchema, 'fettle decision table', 'Rules that decide about the rows of a list: the first that holds.', () => {})

/** Draft 7, which editors read; keys with a default are not required. */
function jsonSchema(form: z.ZodType, title: string, description: string, change = allowReference): JsonSchema {
  const schema = z.toJSONSchema(form, {
    target: 'draft-7',
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => change(jsonSchema as JsonSchema),
  })
  const { $schema, ...rest } = schema as JsonSchema
  return { $schema, title, description, ...rest }
}

function allowReference(schema: JsonSchema): void {
  const strict =
    schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean' || 'enum' in schema || 'pattern' in schema
  if (!strict || schema.const !== undefined) return
  const { description, default: preset, ...form } = schema
  for (const key of Object.keys(form)) delete schema[key]
  Object.assign(schema, { anyOf: [form, REFERENCE] })
}
