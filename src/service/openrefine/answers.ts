/** The engine's answers in the words of Reconciliation Service API 0.2: candidates, suggestions, values. It decides nothing itself. */

import type { Company } from '../matching/index.ts'
import type { Engine } from '../registers/engine.ts'
import { COMPANY, lineOf, PROPERTIES } from './properties.ts'
import { asksForCompany, engineQuery, type ReconcileQuery } from './queries.ts'

type Json = Record<string, unknown>

/** Two decimal places of a hundred: what the engine's score is good for. */
const percent = (score: number): number => Math.round(score * 10_000) / 100

/** The candidates of one query, best first; `match` is the engine's own decision and nothing else. */
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

/** Companies whose name begins like this, or whose id it is, without the first so many. */
export function suggestEntities(prefix: string, skip: number, engine: Engine): Json {
  const known = engine.find(prefix)
  const found = known !== null ? [known] : engine.match({ name: prefix }).candidates.map(one => engine.at(one.company))
  const result = found.slice(skip).map(company => ({
    id: company.connectId,
    name: company.name,
    description: lineOf(company),
    notable: [COMPANY],
  }))
  return { result }
}

const DESCRIPTIONS = { asked: 'compared by the engine', told: 'told, not compared' } as const

const says = (prefix: string, ...texts: readonly string[]): boolean =>
  texts.some(text => text.toLowerCase().includes(prefix.trim().toLowerCase()))

/** Properties of that name or id. */
export function suggestProperties(prefix: string, skip: number): Json {
  const result = Object.entries(PROPERTIES)
    .filter(([id, { name }]) => says(prefix, id, name))
    .map(([id, { name, asks }]) => ({ id, name, description: asks === null ? DESCRIPTIONS.told : DESCRIPTIONS.asked }))
  return { result: result.slice(skip) }
}

/** The type, when it is of that name. */
export const suggestTypes = (prefix: string, skip: number): Json => ({
  result: [COMPANY].filter(({ id, name }) => says(prefix, id, name)).slice(skip),
})

/** Properties worth fetching for a type. */
export function proposeProperties(type: string, limit: number | null): Json {
  const all = type === COMPANY.id ? Object.entries(PROPERTIES).map(([id, { name }]) => ({ id, name })) : []
  return { type, ...(limit === null ? {} : { limit }), properties: limit === null ? all : all.slice(0, limit) }
}

const valuesOf = (id: string, company: Company | null): Json[] => {
  const property = Object.hasOwn(PROPERTIES, id) ? PROPERTIES[id] : undefined
  if (property === undefined || company === null) return []
  return property
    .values(company)
    .filter(text => text !== '')
    .map(str => ({ str }))
}

/** Values of properties of companies; none for what is not known. */
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
