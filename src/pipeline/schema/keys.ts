/** The keys of the schema: which may be written at a path, and what those of a plan are called. */
import type { z } from 'zod'
import { PLAN_FACTS, PLAN_SHAPE, type Plan } from '../model/plan.ts'
import { show } from '../source/quote.ts'
import type { Path } from '../source/tree.ts'
import { pipelineSchema } from './schema.ts'

function shapesOf(schema: z.core.$ZodType): z.core.$ZodShape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return [def.shape]
  if (def.type === 'union') return def.options.flatMap(shapesOf)
  if (def.type === 'optional' || def.type === 'prefault') return shapesOf(def.innerType)
  if (def.type === 'array') return shapesOf(def.element)
  return def.type === 'pipe' ? shapesOf(def.in) : []
}

/** The values of a map whose keys are names. */
function valuesOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'record') return [def.valueType]
  if (def.type === 'optional' || def.type === 'prefault') return valuesOf(def.innerType)
  return def.type === 'pipe' ? valuesOf(def.in) : []
}

function schemasAt(path: Path, root: z.core.$ZodType = pipelineSchema): z.core.$ZodType[] {
  let schemas: z.core.$ZodType[] = [root]
  for (const step of path.filter(one => typeof one !== 'number'))
    schemas = schemas.flatMap(one => [...shapesOf(one).flatMap(shape => shape[String(step)] ?? []), ...valuesOf(one)])
  return schemas
}

export const keysAt = (path: Path, root?: z.core.$ZodType): string[] => [
  ...new Set(
    schemasAt(path, root)
      .flatMap(shapesOf)
      .flatMap(shape => Object.keys(shape)),
  ),
]

export function knownPaths(path: readonly string[] = [], root?: z.core.$ZodType): readonly (readonly string[])[] {
  return keysAt(path, root).flatMap(key => [[...path, key], ...knownPaths([...path, key], root)])
}

const FLATTENED: readonly string[] = ['job', 'review']

const SETTINGS: readonly (readonly string[])[] = keysAt([]).flatMap(key =>
  FLATTENED.includes(key) ? keysAt([key]).map(inner => [key, inner]) : key === 'enrich' ? [[key], [key, 'headers']] : [[key]],
)

/** The keys that a resume reads from the present pipeline file. */
const LIVE_KEYS = (Object.keys(PLAN_SHAPE) as (keyof Plan)[]).filter(key => PLAN_FACTS.get(PLAN_SHAPE[key])?.live)

export const liveSettingsOf = (plan: Plan): Partial<Plan> =>
  Object.fromEntries(LIVE_KEYS.flatMap(key => (plan[key] === undefined ? [] : [[key, plan[key]]])))

/** What a key of a plan is called in a pipeline file: `job.collapse` for `collapse`. */
export const settingName = (key: string): string =>
  key === 'parts' ? 'job.split' : (SETTINGS.find(path => path.length > 1 && path.at(-1) === key)?.join('.') ?? key)

/** A key of a plan without special wording. */
export function settingText(plan: Plan, key: string): string | null {
  const value = (plan as unknown as Readonly<Record<string, unknown>>)[key] ?? null
  return value === null ? null : typeof value === 'string' ? show(value) : JSON.stringify(value)
}
