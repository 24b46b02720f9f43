/** Generates the OpenAPI 3.1 description from the operations table and its schemas. Only the login needs no token. */
import { z } from 'zod'
import * as contract from '../../contract/index.ts'
import { OPERATIONS, type Operation } from '../../contract/index.ts'

type Json = Record<string, unknown>

const SCHEMAS = '#/components/schemas/'
const title = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** Schemas exported by the contract under their names, all others under the name of their operation. */
function namedSchemas(): ReturnType<typeof z.registry<{ id: string }>> {
  const named = z.registry<{ id: string }>()
  const add = (schema: unknown, id: string): void => {
    if (schema instanceof z.ZodType && !named.has(schema)) named.add(schema, { id })
  }
  for (const [name, value] of Object.entries(contract)) add(value, title(name))
  for (const [name, { request, reply }] of Object.entries(OPERATIONS) as [string, Operation][]) {
    add(request, `${title(name)}Request`)
    add(reply, `${title(name)}Reply`)
  }
  return named
}

const json = (ref: string): Json => ({ 'application/json': { schema: { $ref: SCHEMAS + ref } } })

function errorOf(status: number, isLogin: boolean): Json {
  const body = status === 403 || status === 429 || isLogin ? 'MessageBody' : status === 401 ? 'UnauthorisedBody' : 'FaultBody'
  const headers = status === 429 ? { 'Retry-After': { schema: { type: 'integer' }, description: 'seconds to wait' } } : {}
  return { description: REASONS[status] ?? 'refused', headers, content: json(body) }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'malformed or not acceptable',
  401: 'the token is missing, expired or not valid; at login: access denied',
  403: 'no right, or not subscribed',
  404: 'nothing has this id',
  409: 'it exists already, or was decided already',
  413: 'too large',
  429: 'throttled',
}

function parametersOf({ path, query }: Operation): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }))
  if (query === null) return inPath
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    // The contract separates list items with commas.
    explode: false,
  }))
  return [...inPath, ...inQuery]
}

function bodyOf({ request, form }: Operation, nameOf: (schema: z.ZodType) => string): Json {
  if (request === null) return {}
  if (request !== 'multipart') return { requestBody: { required: true, content: json(nameOf(request)) } }
  const { file = 'file', fields = {} } = form ?? {}
  const texts = Object.keys(fields).map(name => [name, { type: 'string' }])
  const schema = {
    type: 'object',
    properties: { ...Object.fromEntries(texts), [file]: { type: 'string', format: 'binary' } },
    required: [...Object.keys(fields).filter(name => fields[name]), file],
  }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

/** The tag of an operation. Paths of compliance differ only in their third segment. */
const areaOf = ({ path }: Operation): string => path.split('/')[path.startsWith('/compliance/') ? 3 : 1] ?? ''

/** `version` is that of fettle, `server` the base address as the caller reaches it. */
export function openApi(version: string, server: string): Json {
  const named = namedSchemas()
  const nameOf = (schema: z.ZodType): string => named.get(schema)?.id ?? ''
  const { schemas } = z.toJSONSchema(named, { io: 'input', unrepresentable: 'any', uri: id => SCHEMAS + id })
  const paths: Record<string, Json> = {}
  for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
    const isLogin = name === 'authenticate'
    const { reply, success = 200, errors } = operation
    const answer = { description: operation.summary, ...(reply === null ? {} : { content: json(nameOf(reply)) }) }
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: {
        operationId: name,
        tags: [areaOf(operation)],
        summary: operation.summary,
        parameters: parametersOf(operation),
        ...bodyOf(operation, nameOf),
        responses: { [success]: answer, ...Object.fromEntries(errors.map(status => [status, errorOf(status, isLogin)])) },
        ...(isLogin ? { security: [] } : {}),
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'fettle', version, description: 'Company data: matching, data cleaning, screening and monitoring.' },
    servers: [{ url: server }],
    security: [{ bearerToken: [] }],
    paths,
    components: {
      securitySchemes: { bearerToken: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema])),
    },
  }
}
