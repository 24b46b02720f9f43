/** Schemas of the requests of Reconciliation Service API 0.2, and their conversion to queries of the engine. */
import { z } from 'zod'
import type { Query } from '../matching/index.ts'
import { COMPANY, PROPERTIES } from './properties.ts'

const value = z.union([z.string(), z.number(), z.boolean(), z.looseObject({ id: z.string(), name: z.string().optional() })])

const query = z
  .looseObject({
    query: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    limit: z.number().min(0).optional(),
    properties: z.array(z.looseObject({ pid: z.string(), v: z.union([value, z.array(value)]) })).optional(),
    type_strict: z.enum(['any', 'should', 'all']).optional(),
  })
  .refine(one => one.query !== undefined || (one.properties?.length ?? 0) > 0, 'needs a query or properties')

export const queryBatch = z.record(z.string(), query)

export const extendQuery = z.looseObject({
  ids: z.array(z.string()),
  properties: z.array(z.looseObject({ id: z.string() })),
})

export type ReconcileQuery = z.infer<typeof query>

const textOf = (one: z.infer<typeof value>): string => (typeof one === 'object' ? (one.name ?? one.id) : String(one).trim())

export function asksForCompany({ type, type_strict: strict }: ReconcileQuery): boolean {
  const types = [type ?? []].flat()
  if (types.length === 0 || strict === 'should') return true
  return strict === 'all' ? types.every(one => one === COMPANY.id) : types.includes(COMPANY.id)
}

/** Converts a query for the engine. Uses the first non-empty value of a property and ignores unknown properties. */
export function engineQuery({ query: name = '', properties = [] }: ReconcileQuery, isId: (text: string) => boolean): Query {
  const fields: Query = {}
  for (const { pid, v } of properties) {
    const field = Object.hasOwn(PROPERTIES, pid) ? PROPERTIES[pid]?.queryField : null
    const text = [v]
      .flat()
      .map(textOf)
      .find(one => one !== '')
    if (field && text !== undefined) fields[field] ??= text
  }
  if (isId(name.trim())) return { ...fields, companyId: name.trim() }
  return name.trim() === '' ? fields : { ...fields, name: name.trim() }
}
