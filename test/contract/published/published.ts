/**
 * Holds requests and answers against the published description of the interface, version 1.10.4. `facts.json` has its types, names and
 * limits, as far as this service writes or reads the fields, with seven corrections where the description contradicts itself: a media
 * type with a colon, a required property that none of its properties is, `oneOf` of alternatives that are alike, `date-time` where its
 * own samples have a space instead, fields
 * of a person that are null in the sisters of an operation, a page of alerts that is one alert, and an added schedule that is a page of them. A query that is an object and a
 * body with status 204 cannot be sent.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OperationName } from '../../../src/contract/index.ts'
import facts from './facts.json' with { type: 'json' }

interface Facts {
  readonly query?: Readonly<Record<string, { readonly required?: boolean; readonly schema: object }>>
  readonly bodyRequired?: boolean
  readonly body?: Readonly<Record<string, object>>
  readonly answers: Readonly<Record<string, object | null>>
}

/** What the description says of each operation that it has. */
export const FACTS: Readonly<Partial<Record<OperationName, Facts>>> = facts.operations

const inJson = new Ajv2020({ strict: false, allErrors: true })
const inQuery = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true })
for (const one of [inJson, inQuery]) {
  addFormats.default(one)
  for (const format of ['int32', 'int64']) one.addFormat(format, { type: 'number', validate: Number.isInteger })
  for (const format of ['double', 'float', 'decimal', 'binary']) one.addFormat(format, true)
}

const checks = new WeakMap<object, ValidateFunction>()

function problems(by: Ajv2020, schema: object, value: unknown): string[] {
  const check = checks.get(schema) ?? by.compile({ ...schema, $defs: facts.$defs })
  checks.set(schema, check)
  if (check(value)) return []
  return (check.errors ?? []).map(({ instancePath, keyword, params }) => {
    const place = instancePath.replace(/\/\d+(?=\/|$)/g, '/[]')
    return `${place} ${keyword} ${Object.values(params).flat().join(' or ')}`.trim()
  })
}

/** What of a request the description does not have. */
export function ofRequest(name: OperationName, query: URLSearchParams, type: string, body: Buffer): string[] {
  const facts = FACTS[name]
  if (facts === undefined) return []
  const described = facts.query ?? {}
  const missing = Object.keys(described).filter(one => described[one]?.required && !query.has(one))
  const inAddress = [...query].flatMap(([key, value]) => {
    const schema = described[key]?.schema
    if (schema === undefined) return [`query ${key} is unknown`]
    return problems(inQuery, { type: 'object', properties: { [key]: schema } }, { [key]: value }).map(one => `query ${one}`)
  })
  const found = [...missing.map(key => `query ${key} is missing`), ...inAddress]
  if (body.length === 0) return facts.bodyRequired ? [...found, 'no body'] : found
  const schema = facts.body?.[type]
  if (schema === undefined) return [...found, `a body of type ${type}`]
  return type === 'application/json' ? [...found, ...problems(inJson, schema, JSON.parse(body.toString()))] : found
}

/** What of an answer the description does not have. */
export function ofAnswer(name: OperationName, status: number, body: string): string[] {
  const schema = FACTS[name]?.answers[status]
  if (FACTS[name] === undefined) return []
  if (schema === undefined) return ['status']
  if (schema === null || body === '') return schema === null && body === '' ? [] : ['body']
  return problems(inJson, schema, JSON.parse(body))
}
