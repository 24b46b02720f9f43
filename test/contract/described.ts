/** Compares answers with `/v1/openapi.json`: every key is described, and has a described type. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { OPERATIONS, type OperationName } from '../../src/contract/index.ts'
import { openApi } from '../../src/service/docs/openapi.ts'
import type { Play } from '../../src/service/plays.ts'

type Json = Record<string, unknown>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without keys that are not described. An object without described keys may hold any. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isRecord(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return isRecord(schema.properties) && Object.keys(schema.properties).length > 0
    ? { ...inner, additionalProperties: false }
    : inner
}

type Paths = Record<string, Record<string, { responses: Json }>>

interface Description {
  readonly paths: Paths
  readonly ajv: Ajv2020
  readonly checks: Map<string, ValidateFunction>
}

const described = new Map<Play, Description>()

function descriptionOf(play: Play): Description {
  const { paths, components } = openApi('0.0.0', 'http://localhost/v1', play) as { paths: Paths; components: object }
  const made = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(made)
  for (const format of ['int32', 'int64']) made.addFormat(format, { type: 'number', validate: Number.isInteger })
  return { paths, ajv: made.addSchema({ $id: 'api', components: closed(components) }), checks: new Map() }
}

/** What is wrong with an answer in a play; nothing if the status has no body. */
export function describedAnswer(play: Play, name: OperationName, status: number, body: unknown): string[] {
  const description = described.get(play) ?? descriptionOf(play)
  described.set(play, description)
  const { paths, ajv, checks } = description
  const { path, method } = OPERATIONS[name]
  const response = paths[path]?.[method.toLowerCase()]?.responses[status] as { content?: Json } | undefined
  if (response === undefined) return [`${status} is not described`]
  const content = response.content?.['application/json'] as { schema: { $ref: string } } | undefined
  if (content === undefined) return []
  const ref = `api${content.schema.$ref}`
  const check = checks.get(ref) ?? ajv.compile({ $ref: ref })
  checks.set(ref, check)
  return check(body)
    ? []
    : (check.errors ?? []).map(error => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`)
}
