/**
 * Tools for the schemas of the contract: built when they are first used, and with the form in which the service takes requests and writes
 * answers, as JSON schemas. The schemas of answers are generous, since the client reads with them; descriptions of the interface show the
 * strict form, which is derived here. What cannot be derived is stated beside the schema, by `written` and `orNull`.
 */

import { z } from 'zod'
import { defined } from '../defined.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Whether a schema is one of a request, which `takes` values, or of an answer, which `writes` them. */
export type Side = 'takes' | 'writes'

/** Replaces the JSON schema that is derived from `schema`. */
export const written = <T extends z.ZodType>(schema: T, form: JsonSchema): T => schema.meta({ written: form }) as T

/** What an object requires beyond its fields: one of these, all of whose keys have a value. Generators of clients skip `if`. */
export const needsOneOf = (...choices: readonly (readonly string[])[]): JsonSchema => {
  const [first = [], ...others] = choices
  const present = {
    required: first,
    properties: Object.fromEntries(first.map(key => [key, { not: { type: 'null' } }])),
  }
  return others.length === 0 ? present : { if: present, else: needsOneOf(...others) }
}

/** Several fields of one type, by their names. */
export const fieldsOf = <T extends z.ZodType, Name extends string>(type: T, ...names: readonly Name[]) =>
  Object.fromEntries(names.map(name => [name, type])) as Record<Name, T>

/** Optional texts of an answer, by their names. */
export const optionalTexts = <Name extends string>(...names: readonly Name[]) => fieldsOf(z.string().optional(), ...names)

/** A whole number of an answer that is read from any number. */
export const wholeNumber = (format: 'int32' | 'int64' = 'int32') => written(z.number(), { type: 'integer', format })

/** Optional, and written as null where nothing is known. Other schemas read null, which the service does not write. */
export const orNull = <T extends z.ZodType>(schema: T) => schema.nullish().meta({ isNullWritten: true })

/** What `z.toJSONSchema` needs so that `writtenForm` finds everything. */
export const JSON_SCHEMA_OPTIONS = {
  io: 'input',
  unrepresentable: 'any',
  // Zod leaves out the default of what is converted.
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Record<string, unknown> }) => {
    const { def } = zodSchema._zod as { def: { type: string; defaultValue?: unknown } }
    if (def.type === 'default') jsonSchema.default = def.defaultValue
  },
} as const

const isRecord = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && !Array.isArray(value)

function withNull(form: JsonSchema): JsonSchema {
  const { type, enum: words } = form
  if (typeof type !== 'string' && !Array.isArray(type)) return form
  const withoutWords = { ...form, type: [...new Set([type, 'null'].flat())] }
  return Array.isArray(words) ? { ...withoutWords, enum: [...new Set([...words, null])] } : withoutWords
}

/** Of several forms, an answer has the first one, and a request any of them. */
function oneForm({ anyOf, isNullWritten, written: stated, ...outer }: JsonSchema, side: Side): JsonSchema {
  const { type } = outer
  if (isRecord(stated)) return stated
  if (type === 'null') return outer
  const forms: JsonSchema[] = Array.isArray(anyOf)
    ? anyOf.map(form => oneForm(form as JsonSchema, side))
    : (Array.isArray(type) ? type : [type]).map(single => defined({ ...outer, type: single }))
  const others = forms.filter(form => form.type !== 'null')
  const hasNull = others.length < forms.length && (side === 'takes' || isNullWritten === true)
  const kept = side === 'takes' ? others : others.slice(0, 1)
  const merged: JsonSchema = Object.assign({}, Array.isArray(anyOf) ? outer : null, ...kept)
  const form = kept.length > 1 ? { ...merged, type: kept.flatMap(({ type }) => type) } : merged
  return hasNull ? withNull(form) : form
}

/** Not the limits of JavaScript's numbers, unless a request is held to them. */
const isLimit = (value: unknown, side: Side): boolean =>
  value !== undefined && (side === 'takes' || Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER)

const LARGEST_INT32 = 2 ** 31 - 1

function numberForm({ minimum, maximum, ...form }: JsonSchema, side: Side): JsonSchema {
  const types = [form.type].flat()
  const words = Array.isArray(form.enum) ? form.enum : []
  const isWhole = types.includes('integer') || (words.length > 0 && words.every(Number.isInteger))
  const isLong = side === 'takes' && Number(maximum) > LARGEST_INT32
  const limited = defined({
    ...form,
    minimum: isLimit(minimum, side) ? minimum : undefined,
    maximum: isLimit(maximum, side) ? maximum : undefined,
  })
  if (!isWhole) return limited
  const format = form.format ?? (isLong ? 'int64' : 'int32')
  return { ...limited, format, type: types.includes('integer') ? form.type : 'integer' }
}

/** The strict form of a JSON schema that `z.toJSONSchema` made with `JSON_SCHEMA_OPTIONS`. */
export function writtenForm(schema: JsonSchema, side: Side): JsonSchema {
  const { default: otherwise, ...rest } = schema
  const { additionalProperties, propertyNames: _, properties, items, ...form } = oneForm(rest, side)
  const required = Array.isArray(form.required) ? form.required : []
  const hasNames = isRecord(properties) && Object.keys(properties).length > 0
  const propertyForm = ([name, inner]: [string, unknown]): [string, JsonSchema] => {
    const written = writtenForm(inner as JsonSchema, side)
    // A key whose value is null counts as absent.
    return [name, side === 'takes' && !required.includes(name) ? withNull(written) : written]
  }
  const isNumber = [form.type].flat().some(type => type === 'number' || type === 'integer')
  return defined({
    ...(isNumber ? numberForm(form, side) : form),
    default: otherwise,
    properties: isRecord(properties) ? Object.fromEntries(Object.entries(properties).map(propertyForm)) : undefined,
    items: isRecord(items) ? writtenForm(items, side) : undefined,
    // Unknown keys are ignored in requests, and may be added to answers at any time. A record with names that is open by its
    // schema as well is a map to Java, which then reads none of its names.
    additionalProperties: isRecord(additionalProperties) && !hasNames ? mapForm(additionalProperties, side) : undefined,
  })
}

const mapForm = (values: JsonSchema, side: Side): JsonSchema | true =>
  Object.keys(values).length === 0 ? true : writtenForm(values, side)

/**
 * Looks like the schema that `build` returns, and builds it when the first of its members is read. Only for maps and lists: zod looks
 * up wrappers such as `optional()` by identity when it writes a JSON schema.
 */
export function lazy<T extends z.ZodObject | z.ZodArray>(build: () => T): T {
  let built: T | undefined
  const schema = (): T => {
    if (built === undefined) {
      built = build()
      const meta = built.meta()
      if (meta !== undefined) z.globalRegistry.add(proxy, meta)
    }
    return built
  }
  const proxy = new Proxy({} as T, {
    // The methods of zod refer to this object, so that a schema that is used several times is one in a JSON schema, too.
    get: (_, member, self) => Reflect.get(schema(), member, self),
    has: (_, member) => Reflect.has(schema(), member),
    defineProperty: (_, member, descriptor) => Reflect.defineProperty(schema(), member, descriptor),
  })
  return proxy
}
