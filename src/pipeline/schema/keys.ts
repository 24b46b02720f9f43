/** The keys of the schema: which may be written at a path, and how a plan calls them. */
import type { z } from 'zod'
import { PLAN_FACTS, PLAN_SHAPE, type Plan } from '../model/plan.ts'
import { show } from '../source/quote.ts'
import type { Path } from '../source/tree.ts'
import { pipelineSchema } from './schema.ts'

/** The maps that a schema may stand for: `shape` by key, or `value` for any name. */
function findMaps(schema: z.core.$ZodType): { readonly shape?: z.core.$ZodShape; readonly value?: z.core.$ZodType }[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return [{ shape: def.shape }]
  if (def.type === 'record') return [{ value: def.valueType }]
  if (def.type === 'union') return def.options.flatMap(findMaps)
  if (def.type === 'optional' || def.type === 'prefault') return findMaps(def.innerType)
  if (def.type === 'array') return findMaps(def.element)
  return def.type === 'pipe' ? findMaps(def.in) : []
}

function schemasAt(path: Path, root: z.core.$ZodType = pipelineSchema): z.core.$ZodType[] {
  let schemas: z.core.$ZodType[] = [root]
  for (const step of path.filter(part => typeof part !== 'number'))
    schemas = schemas.flatMap(findMaps).flatMap(({ shape, value }) => shape?.[String(step)] ?? value ?? [])
  return schemas
}

export function keysAt(path: Path, root?: z.core.$ZodType): string[] {
  const maps = schemasAt(path, root).flatMap(findMaps)
  return [...new Set(maps.flatMap(({ shape = {} }) => Object.keys(shape)))]
}

export function knownPaths(path: readonly string[] = [], root?: z.core.$ZodType): readonly (readonly string[])[] {
  return keysAt(path, root).flatMap(key => [[...path, key], ...knownPaths([...path, key], root)])
}

const FLATTENED: readonly string[] = ['job', 'matching', 'review']

const SETTINGS: readonly (readonly string[])[] = keysAt([]).flatMap(key =>
  FLATTENED.includes(key) ? keysAt([key]).map(inner => [key, inner]) : key === 'enrich' ? [[key], [key, 'headers']] : [[key]],
)

/** The keys that a resume reads from the present pipeline file. */
const LIVE_KEYS = (Object.keys(PLAN_SHAPE) as (keyof Plan)[]).filter(key => PLAN_FACTS.get(PLAN_SHAPE[key])?.live)

export const liveSettingsOf = (plan: Plan): Partial<Plan> =>
  Object.fromEntries(LIVE_KEYS.flatMap(key => (plan[key] === undefined ? [] : [[key, plan[key]]])))

const RENAMED: Readonly<Record<string, string>> = { parts: 'job.split', auditRegister: 'audit.register' }

/** What a key of a plan is called in a pipeline file: `job.collapse` for `collapse`. */
export const settingName = (key: string): string =>
  RENAMED[key] ?? SETTINGS.find(path => path.length > 1 && path.at(-1) === key)?.join('.') ?? key

/** A key of a plan without special wording. */
export function settingText(plan: Plan, key: string): string | null {
  const value = (plan as unknown as Readonly<Record<string, unknown>>)[key] ?? null
  return value === null ? null : typeof value === 'string' ? show(value) : JSON.stringify(value)
}
