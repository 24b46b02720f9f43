/** What a reconciliation client may ask: the forms of Reconciliation Service API 0.2 as schemas, and a query as the engine's. Pure. */
import { z } from 'zod'
import type { Query } from '../matching/index.ts'
import { COMPANY, PROPERTIES } from './properties.ts'

const value = z.union([z.string(), z.number(), z.boolean(), z.looseObject({ id: z.string(), name: z.string().optional() })])

const query = z
  .strictObject({
    query: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    limit: z.number().min(0).optional(),
    properties: z.array(z.looseObject({ pid: z.string(), v: z.union([value, z.array(value)]) })).optional(),
    type_strict: z.enum(['any', 'should', 'all']).optional(),
  })
  .refine(one => one.query !== undefined || (one.properties?.length ?? 0) > 0, 'needs a query or properties')

/** A batch of queries by the names their sender gave them. */
export const queryBatch = z.record(z.string(), query)

/** A question for properties of companies that were found. */
export const extendQuery = z.looseObject({
  ids: z.array(z.string()),
  properties: z.array(z.looseObject({ id: z.string() })),
})

/** One query of a batch. */
export type ReconcileQuery = z.infer<typeof query>

const textOf = (one: z.infer<typeof value>): string => (typeof one === 'object' ? (one.name ?? one.id) : String(one).trim())

/** Whether a company can be what is asked for. */
export function asksForCompany({ type, type_strict: strict }: ReconcileQuery): boolean {
  const types = [type ?? []].flat()
  if (types.length === 0 || strict === 'should') return true
  return strict === 'all' ? types.every(one => one === COMPANY.id) : types.includes(COMPANY.id)
}

/** The query as the engine reads it; of several values of a property the first that says something. Unknown properties say nothing. */
export function engineQuery({ query: name = '', properties = [] }: ReconcileQuery, isId: (text: string) => boolean): Query {
  const asked: Query = {}
  for (const { pid, v } of properties) {
    const asks = Object.hasOwn(PROPERTIES, pid) ? PROPERTIES[pid]?.asks : null
    const text = [v]
      .flat()
      .map(textOf)
      .find(one => one !== '')
    if (asks && text !== undefined) asked[asks] ??= text
  }
  if (isId(name.trim())) return { ...asked, companyId: name.trim() }
  return name.trim() === '' ? asked : { ...asked, name: name.trim() }
}
