/**
 * The answers of Reconciliation Service API 0.2 as schemas, written after the JSON schemas the specification publishes: what must be
 * there, and in which form. Strict where the specification allows nothing else.
 */
import { z } from 'zod'

const type = z.looseObject({ id: z.string(), name: z.string(), description: z.string().optional() })
const typeOrId = z.union([z.looseObject({ id: z.string(), name: z.string().optional() }), z.string()])
const idUrl = z.string().regex(/\{\{id\}\}/)

const suggestService = z.looseObject({
  service_url: z.string().optional(),
  service_path: z.string().optional(),
  flyout_service_url: z.string().optional(),
  flyout_service_path: z
    .string()
    .regex(/\$\{id\}/)
    .optional(),
})

/** The manifest. */
export const manifest = z.looseObject({
  versions: z.array(z.string()).refine(all => all.includes('0.2')),
  name: z.string(),
  identifierSpace: z.string(),
  schemaSpace: z.string(),
  documentation: z.string().optional(),
  serviceVersion: z.string().optional(),
  view: z.looseObject({ url: idUrl }).optional(),
  defaultTypes: z.array(type).optional(),
  suggest: z.looseObject({ entity: suggestService, property: suggestService, type: suggestService }).optional(),
  preview: z.looseObject({ url: idUrl, width: z.int(), height: z.int() }).optional(),
  extend: z
    .looseObject({
      propose_properties: z.looseObject({ service_url: z.string(), service_path: z.string() }),
      property_settings: z.array(z.unknown()),
    })
    .optional(),
})

/** The answers to a batch of queries. */
export const resultBatch = z.record(
  z.string(),
  z.looseObject({
    result: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        description: z.string().optional(),
        score: z.number(),
        features: z.array(z.looseObject({ id: z.string(), value: z.union([z.boolean(), z.number()]) })).optional(),
        match: z.boolean().optional(),
        type: z.array(typeOrId).optional(),
      }),
    ),
  }),
)

/** Suggested companies. */
export const suggestedEntities = z.looseObject({
  result: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      description: z.string().optional(),
      notable: z.array(typeOrId).optional(),
    }),
  ),
})

/** Suggested properties or types. */
export const suggested = z.looseObject({
  result: z.array(z.looseObject({ id: z.string(), name: z.string(), description: z.string().optional() })),
})

const cell = z.union([
  z.strictObject({}),
  z.strictObject({ id: z.string(), name: z.string(), description: z.string().optional() }),
  z.strictObject({ str: z.string() }),
  z.strictObject({ float: z.number() }),
  z.strictObject({ int: z.int() }),
  z.strictObject({ date: z.iso.datetime({ local: true, offset: true }) }),
])

/** Values of properties. */
export const extension = z.looseObject({
  meta: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  rows: z.record(z.string(), z.record(z.string(), z.array(cell))),
})

/** Properties proposed for a type. */
export const proposal = z.looseObject({
  type: z.string().optional(),
  limit: z.int().optional(),
  properties: z.array(z.looseObject({ id: z.string(), name: z.string() })),
})
