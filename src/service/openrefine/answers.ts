/**
 * Reads the requests of Reconciliation Service API 0.2 and builds the replies from the matching engine: candidates, suggestions, and the
 * properties of companies that a client sends as evidence or requests as values.
 */
import { z } from 'zod'
import type { Company, Query } from '../matching/index.ts'
import type { Engine } from '../registers/engine.ts'
import type { Search } from '../registers/search.ts'

interface Property {
  readonly name: string
  /** The field of the query it fills; null when the engine does not compare it. */
  readonly queryField: keyof Query | null
  readonly values: (company: Company) => readonly string[]
}

type TextField = 'orgNumber' | 'vatNumber' | 'country' | 'town' | 'postcode' | 'phone' | 'email' | 'address1' | 'address2'
const field = (name: string, key: TextField): Property => ({ name, queryField: key, values: company => [company[key]] })

const returnedOnly = (name: string, values: Property['values']): Property => ({ name, queryField: null, values })

/** Properties by id, where possible the mapping name of data cleaning (contract §5.4). */
export const PROPERTIES: Readonly<Record<string, Property>> = {
  name: { name: 'Name', queryField: 'name', values: company => [company.name] },
  country: field('Country', 'country'),
  orgNumber: field('Registration number', 'orgNumber'),
  vatNumber: field('VAT number', 'vatNumber'),
  address1: field('Address', 'address1'),
  address2: field('Address, second line', 'address2'),
  town: field('City', 'town'),
  postcode: field('Postcode', 'postcode'),
  phone: field('Phone', 'phone'),
  email: field('E-mail', 'email'),
  tradingName: { name: 'Trading name', queryField: 'tradingName', values: company => company.tradingNames },
  previousName: { name: 'Previous name', queryField: 'previousName', values: company => company.previousNames },
  companyId: { name: 'Id in the register', queryField: 'companyId', values: company => [company.id] },
  connectId: returnedOnly('connectId', company => [company.connectId]),
  website: returnedOnly('Website', company => [company.website]),
  status: returnedOnly('Status', company => [company.status]),
  legalForm: returnedOnly('Legal form', company => [company.legalForm ?? '']),
}

/** The only entity type. */
export const COMPANY = { id: 'company', name: 'Company' } as const

export const lineOf = ({ orgNumber, town, country, status }: Company): string =>
  [orgNumber, town, country, /^(?:active)?$/i.test(status) ? '' : status].filter(text => text !== '').join(' · ')

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

export const extendQuery = z.looseObject({ ids: z.array(z.string()), properties: z.array(z.looseObject({ id: z.string() })) })

type ReconcileQuery = z.infer<typeof query>

const textOf = (one: z.infer<typeof value>): string => (typeof one === 'object' ? (one.name ?? one.id) : String(one).trim())

function asksForCompany({ type, type_strict: strict }: ReconcileQuery): boolean {
  const types = [type ?? []].flat()
  if (types.length === 0 || strict === 'should') return true
  return strict === 'all' ? types.every(one => one === COMPANY.id) : types.includes(COMPANY.id)
}

/** Converts a query for the engine. Uses the first non-empty value of a property and ignores unknown properties. */
function engineQuery({ query: name = '', properties = [] }: ReconcileQuery, isId: (text: string) => boolean): Query {
  const fields: Query = {}
  for (const { pid, v } of properties) {
    const field = Object.hasOwn(PROPERTIES, pid) ? PROPERTIES[pid]?.queryField : null
    const text = [v].flat().map(textOf).find(Boolean)
    if (field && text !== undefined) fields[field] ??= text
  }
  if (isId(name.trim())) return { ...fields, companyId: name.trim() }
  return name.trim() === '' ? fields : { ...fields, name: name.trim() }
}

type Json = Record<string, unknown>

const PREVIEW = { width: 420, height: 280 } as const

/** The manifest of the interface. `base` is the address of the interface as the client reaches it, `version` that of fettle. */
export function manifestOf(base: string, version: string): Json {
  const suggest = (what: string) => ({
    service_url: base,
    service_path: `/suggest/${what}`,
    flyout_service_url: base,
    flyout_service_path: `/flyout/${what}?id=\${id}`,
  })
  return {
    versions: ['0.2'],
    name: 'fettle companies',
    // Names instead of addresses: ids stay the same when a register moves to another machine.
    identifierSpace: 'urn:fettle:connectId',
    schemaSpace: 'urn:fettle:property',
    documentation: new URL('/docs', base).href,
    serviceVersion: version,
    defaultTypes: [COMPANY],
    view: { url: `${base}/preview?id={{id}}` },
    preview: { url: `${base}/preview?id={{id}}`, ...PREVIEW },
    suggest: { entity: suggest('entity'), property: suggest('property'), type: suggest('type') },
    extend: { propose_properties: { service_url: base, service_path: '/properties' }, property_settings: [] },
  }
}

/** Companies suggested at once. */
const SUGGESTIONS = 20

/** Two decimal places: the precision of the engine's score. */
const percent = (score: number): number => Math.round(score * 10_000) / 100

/** The candidates of a query, best first; `match` is the decision of the engine. */
export function reconcile(query: ReconcileQuery, engine: Engine): Json {
  if (!asksForCompany(query)) return { result: [] }
  const { decision, candidates } = engine.match(engineQuery(query, text => engine.find(text) !== null))
  const shown = candidates.slice(0, query.limit === undefined ? candidates.length : Math.floor(query.limit))
  return {
    result: shown.map(({ company: position, score, features }, at) => {
      const company = engine.at(position)
      return {
        id: company.connectId,
        name: company.name,
        description: lineOf(company),
        type: [COMPANY],
        score: percent(score),
        match: at === 0 && decision === 'matched',
        features: Object.entries(features).map(([id, value]) => ({ id, value })),
      }
    }),
  }
}

/** Companies with this id, or whose name starts with the prefix; the first `skip` are left out. Without one, similar names. */
export async function suggestEntities(prefix: string, skip: number, engine: Engine, search: Search): Promise<Json> {
  const known = engine.find(prefix)
  const starting = known === null ? (await search.byStart('name', prefix, skip + SUGGESTIONS)).companies : [known]
  const found = starting.length > 0 ? starting : engine.match({ name: prefix }).candidates.map(one => engine.at(one.company))
  const result = found.slice(skip).map(company => ({
    id: company.connectId,
    name: company.name,
    description: lineOf(company),
    notable: [COMPANY],
  }))
  return { result }
}

const contains = (prefix: string, ...texts: readonly string[]): boolean =>
  texts.some(text => text.toLowerCase().includes(prefix.trim().toLowerCase()))

export function suggestProperties(prefix: string, skip: number): Json {
  const found = Object.entries(PROPERTIES).filter(([id, { name }]) => contains(prefix, id, name))
  const result = found.map(([id, { name, queryField }]) => {
    return { id, name, description: queryField === null ? 'returned, not compared' : 'compared by the engine' }
  })
  return { result: result.slice(skip) }
}

/** The type, when its name or id contains the prefix. */
export const suggestTypes = (prefix: string, skip: number): Json => ({
  result: [COMPANY].filter(({ id, name }) => contains(prefix, id, name)).slice(skip),
})

export function proposeProperties(type: string, limit: number | undefined): Json {
  const all = type === COMPANY.id ? Object.entries(PROPERTIES).map(([id, { name }]) => ({ id, name })) : []
  return { type, limit, properties: all.slice(0, limit) }
}

const valuesOf = (id: string, company: Company | null): Json[] => {
  const property = Object.hasOwn(PROPERTIES, id) ? PROPERTIES[id] : undefined
  if (property === undefined || company === null) return []
  const texts = property.values(company).filter(text => text !== '')
  return texts.map(str => ({ str }))
}

/** Property values of companies; empty for unknown ids and properties. */
export function extend(ids: readonly string[], properties: readonly string[], engine: Engine): Json {
  const wanted = [...new Set(properties)]
  const nameOf = (id: string): string => (Object.hasOwn(PROPERTIES, id) ? (PROPERTIES[id]?.name ?? id) : id)
  const rowOf = (id: string): Json => {
    const company = engine.find(id)
    return Object.fromEntries(wanted.map(property => [property, valuesOf(property, company)]))
  }
  return {
    meta: wanted.map(id => ({ id, name: nameOf(id) })),
    rows: Object.fromEntries([...new Set(ids)].map(id => [id, rowOf(id)])),
  }
}
