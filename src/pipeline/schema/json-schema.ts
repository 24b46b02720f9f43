/** The pipeline file's JSON Schema, for editors: made from the same declaration that parses it. */
import { z } from 'zod'
import { pipelineSchema } from './schema.ts'

/** A scalar of any form may be a reference; it is checked once it is filled in. */
const REFERENCE = { type: 'string', pattern: '\\$\\{' } as const

type JsonSchema = Record<string, unknown>

/** Draft 7, which editors read; keys with a default are not required. */
export function pipelineJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(pipelineSchema, {
    target: 'draft-7',
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => allowReference(jsonSchema as JsonSchema),
  })
  const { $schema, ...rest } = schema as JsonSchema
  return {
    $schema,
    title: 'fettle pipeline',
    description: 'A pipeline: input, mappings, service and outputs of a run. Format version 1.',
    ...rest,
  }
}

function allowReference(schema: JsonSchema): void {
  const strict =
    schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean' || 'enum' in schema || 'pattern' in schema
  if (!strict || schema.const !== undefined) return
  const { description, default: preset, ...form } = schema
  for (const key of Object.keys(form)) delete schema[key]
  Object.assign(schema, { anyOf: [form, REFERENCE] })
}
