/** Which keys the schema knows, and where. */
import type { z } from 'zod'
import type { Path } from '../source/tree.ts'
import { pipelineSchema } from './schema.ts'

/** The maps a schema may stand for, through optional, default and union. */
function shapesOf(schema: z.core.$ZodType): z.core.$ZodShape[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return [def.shape]
  if (def.type === 'union') return def.options.flatMap(shapesOf)
  if (def.type === 'optional' || def.type === 'prefault') return shapesOf(def.innerType)
  return []
}

/** The keys that may stand at a path. */
export function keysAt(path: Path): string[] {
  let schemas: z.core.$ZodType[] = [pipelineSchema]
  for (const step of path) schemas = schemas.flatMap(shapesOf).flatMap(shape => shape[String(step)] ?? [])
  return [...new Set(schemas.flatMap(shapesOf).flatMap(shape => Object.keys(shape)))]
}

/** The path of every key of the format. */
export function knownPaths(path: readonly string[] = []): readonly (readonly string[])[] {
  return keysAt(path).flatMap(key => [[...path, key], ...knownPaths([...path, key])])
}
