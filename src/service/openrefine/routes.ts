/**
 * The reconciliation interface at `/reconcile`: Reconciliation Service API 0.2 (W3C community report of 2023), for OpenRefine
 * and similar clients. These send no token, so it is optional, limited to this machine, and reads only the register. Old clients get
 * JSONP, the answer as a function call in a script: any page can load a script and no origin is sent, so only pages of this machine get one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AppDeps } from '../deps.ts'
import { asHtml } from '../docs/docs-page.ts'
import { isOwnHost } from '../http/guard.ts'
import { readJson } from '../http/json-body.ts'
import { check } from '../http/route.ts'
import type { Company, Query } from '../matching/index.ts'
import { badRequest, Refusal } from '../refusal.ts'
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
const PROPERTIES: Readonly<Record<string, Property>> = {
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

const findProperty = (id: string): Property | undefined => (Object.hasOwn(PROPERTIES, id) ? PROPERTIES[id] : undefined)

/** The only entity type. */
const COMPANY = { id: 'company', name: 'Company' } as const

const describeCompany = ({ orgNumber, town, country, status }: Company): string =>
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
  .refine(sent => sent.query !== undefined || (sent.properties?.length ?? 0) > 0, 'needs a query or properties')

const queryBatch = z.record(z.string(), query)

const extendQuery = z.looseObject({ ids: z.array(z.string()), properties: z.array(z.looseObject({ id: z.string() })) })

type ReconcileQuery = z.infer<typeof query>

const toText = (sent: z.infer<typeof value>): string => (typeof sent === 'object' ? (sent.name ?? sent.id) : String(sent).trim())

function asksForCompany({ type, type_strict: strict }: ReconcileQuery): boolean {
  const types = [type ?? []].flat()
  if (types.length === 0 || strict === 'should') return true
  return strict === 'all' ? types.every(id => id === COMPANY.id) : types.includes(COMPANY.id)
}

/** Converts a query for the engine. Uses the first non-empty value of a property and ignores unknown properties. */
function engineQuery({ query: name = '', properties = [] }: ReconcileQuery, isId: (text: string) => boolean): Query {
  const fields: Query = {}
  for (const { pid, v } of properties) {
    const field = findProperty(pid)?.queryField
    const text = [v].flat().map(toText).find(Boolean)
    if (field && text !== undefined) fields[field] ??= text
  }
  if (isId(name.trim())) return { ...fields, companyId: name.trim() }
  return name.trim() === '' ? fields : { ...fields, name: name.trim() }
}

type Json = Record<string, unknown>

const PREVIEW = { width: 420, height: 280 } as const

/** The manifest of the interface. `base` is the address of the interface as the client reaches it, `version` the version of fettle. */
function makeManifest(base: string, version: string): Json {
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

const SUGGESTIONS = 20

/** The candidates of a query, best first; `match` is the decision of the engine. */
function reconcile(query: ReconcileQuery, engine: Engine): Json {
  if (!asksForCompany(query)) return { result: [] }
  const { decision, candidates } = engine.match(engineQuery(query, text => engine.find(text) !== null))
  const shown = candidates.slice(0, query.limit === undefined ? candidates.length : Math.floor(query.limit))
  return {
    result: shown.map(({ company: position, score, features }, at) => {
      const company = engine.at(position)
      return {
        id: company.connectId,
        name: company.name,
        description: describeCompany(company),
        type: [COMPANY],
        // In percent, with the precision of the engine's score.
        score: Math.round(score * 10_000) / 100,
        match: at === 0 && decision === 'matched',
        features: Object.entries(features).map(([id, value]) => ({ id, value })),
      }
    }),
  }
}

/** Companies with this id, or whose name starts with the prefix; the first `skip` are left out. Without one, similar names. */
async function suggestEntities(prefix: string, skip: number, engine: Engine, search: Search): Promise<Json> {
  const known = engine.find(prefix)
  const starting = known === null ? (await search.byStart('name', prefix, skip + SUGGESTIONS)).companies : [known]
  const found =
    starting.length > 0 ? starting : engine.match({ name: prefix }).candidates.map(({ company }) => engine.at(company))
  const result = found.slice(skip).map(company => ({
    id: company.connectId,
    name: company.name,
    description: describeCompany(company),
    notable: [COMPANY],
  }))
  return { result }
}

const contains = (prefix: string, ...texts: readonly string[]): boolean =>
  texts.some(text => text.toLowerCase().includes(prefix.trim().toLowerCase()))

function suggestProperties(prefix: string, skip: number): Json {
  const found = Object.entries(PROPERTIES).filter(([id, { name }]) => contains(prefix, id, name))
  const result = found.map(([id, { name, queryField }]) => {
    return { id, name, description: queryField === null ? 'returned, not compared' : 'compared by the engine' }
  })
  return { result: result.slice(skip) }
}

/** The type, when its name or id contains the prefix. */
const suggestTypes = (prefix: string, skip: number): Json => ({
  result: [COMPANY].filter(({ id, name }) => contains(prefix, id, name)).slice(skip),
})

function proposeProperties(type: string, limit: number | undefined): Json {
  const all = type === COMPANY.id ? Object.entries(PROPERTIES).map(([id, { name }]) => ({ id, name })) : []
  return { type, limit, properties: all.slice(0, limit) }
}

const listValues = (id: string, company: Company | null): Json[] => {
  const property = findProperty(id)
  if (property === undefined || company === null) return []
  const texts = property.values(company).filter(text => text !== '')
  return texts.map(str => ({ str }))
}

/** Property values of companies; empty for unknown ids and properties. */
function extend(ids: readonly string[], properties: readonly string[], engine: Engine): Json {
  const wanted = [...new Set(properties)]
  const rows = [...new Set(ids)].map(id => {
    const company = engine.find(id)
    return [id, Object.fromEntries(wanted.map(property => [property, listValues(property, company)]))] as const
  })
  return { meta: wanted.map(id => ({ id, name: findProperty(id)?.name ?? id })), rows: Object.fromEntries(rows) }
}

const NAME = /^[A-Za-z_$][\w$]*$/

const isCallable = (text: string): boolean => text.split('.').every(name => NAME.test(name))

/** The function to call; null for a plain answer. Throws a 400 for an invalid function name. */
function readCallback(callback: unknown, longest: number): string | null {
  if (callback === undefined) return null
  if (typeof callback === 'string' && callback.length <= longest && isCallable(callback)) return callback
  throw badRequest('The callback is not acceptable', `callback: must be the name of a function, ${longest} characters at most`)
}

/** Throws a 403 when the browser reports that the page belongs to another machine. */
function requireOwnPage({ referer, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  const [, from] = /^https?:\/\/([^/?#]+)/i.exec(referer ?? '') ?? []
  // A page of localhost that requests 127.0.0.1 counts as cross-site, but sends a referer.
  const isOwn = from === undefined ? site !== 'cross-site' && site !== 'same-site' : isOwnHost(from, [])
  if (!isOwn) throw new Refusal(403, 'Access forbidden: unknown page')
}

/** Starts with a comment, so that no browser reads the name as another file format; escapes line ends that old scripts lack. */
export const makeScript = (callback: string, answer: unknown): string =>
  `/**/${callback}(${JSON.stringify(answer).replace(/[\u2028\u2029<]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)});\n`

const formatRows = (company: Company): string => {
  const rows = Object.entries(PROPERTIES).map(([id, { name, values }]) => {
    const texts = values(company).filter(text => text !== '')
    return id === 'name' || texts.length === 0 ? '' : `<tr><th>${asHtml(name)}<td>${asHtml(texts.join(', '))}`
  })
  return rows.join('')
}

const STYLE =
  ':root{color-scheme:light dark}body{font:13px/1.4 system-ui,sans-serif;margin:8px}h1{font-size:15px;margin:0 0 6px}th{text-align:left;font-weight:400;opacity:.7;padding-right:12px;vertical-align:top}td,th{overflow-wrap:anywhere}'

/** Allows only the page's own style, and framing by clients on this machine. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors http://127.0.0.1:* http://localhost:* http://[::1]:*"

const previewPage = (company: Company): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${asHtml(company.name)}</title><style>${STYLE}</style><h1>${asHtml(company.name)}</h1><table>${formatRows(company)}</table></html>\n`

const flyout = (title: string, text: string): string => `<p><b>${asHtml(title)}</b></p><p>${asHtml(text)}</p>`

const ROOT = '/reconcile'
const READS = ['GET', 'HEAD', 'OPTIONS']
const SUGGESTED = ['entity', 'property', 'type'] as const

/** Methods by path, for the 405 of a wrong method. */
export const RECONCILE_METHODS: readonly (readonly [string, readonly string[]])[] = [
  [ROOT, [...READS, 'POST']],
  [`${ROOT}/`, [...READS, 'POST']],
  [`${ROOT}/preview`, READS],
  [`${ROOT}/properties`, READS],
  ...SUGGESTED.flatMap(what => [[`${ROOT}/suggest/${what}`, READS] as const, [`${ROOT}/flyout/${what}`, READS] as const]),
]

const PREFLIGHT = {
  Allow: [...READS, 'POST'].join(', '),
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type',
}
const PREVIEW_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PAGE_POLICY,
  'Referrer-Policy': 'no-referrer',
}

type Form = Readonly<Record<string, string | string[] | undefined>>

const suggestForm = z.looseObject({ prefix: z.string(), cursor: z.coerce.number().int().min(0).default(0) })
const idForm = z.looseObject({ id: z.string().min(1) })
const proposeForm = z.looseObject({ type: z.string().default(COMPANY.id), limit: z.coerce.number().int().min(0).optional() })

class ReconcileAnswers {
  readonly #engine: AppDeps['engine']
  readonly #limits: AppDeps['limits']

  constructor({ engine, limits }: Pick<AppDeps, 'engine' | 'limits'>) {
    this.#engine = engine
    this.#limits = limits
  }

  async reconcile(text: Form[string]): Promise<unknown> {
    const queries = Object.entries(check(queryBatch, this.#readJson(text, 'queries'), 'queries'))
    requireAtMost(queries.length, this.#limits.reconcileQueries, 'queries')
    const answers: [string, unknown][] = []
    for (const [key, query] of queries) {
      answers.push([key, reconcile(query, this.#engine)])
      // Lets other requests run.
      await setImmediate()
    }
    return Object.fromEntries(answers)
  }

  extend(text: Form[string]): unknown {
    const { ids, properties } = check(extendQuery, this.#readJson(text, 'extend'), 'extend')
    requireAtMost(ids.length, this.#limits.reconcileIds, 'ids')
    requireAtMost(properties.length, this.#limits.reconcileQueries, 'properties')
    const wanted = properties.map(({ id }) => id)
    return extend(ids, wanted, this.#engine)
  }

  requireCompany(id: string): Company {
    const company = this.#engine.find(id)
    if (company === null) throw new Refusal(404, 'Not found', 'id: no company has this id')
    return company
  }

  findTitle(what: (typeof SUGGESTED)[number], id: string): [string, string] {
    if (what === 'entity') return [this.requireCompany(id).name, describeCompany(this.requireCompany(id))]
    const names: Readonly<Record<string, { readonly name: string }>> = what === 'type' ? { [COMPANY.id]: COMPANY } : PROPERTIES
    if (!Object.hasOwn(names, id)) throw new Refusal(404, 'Not found', `id: no ${what} has this id`)
    return [names[id]?.name ?? id, id]
  }

  #readJson(text: string | string[] | undefined, name: string): unknown {
    if (typeof text !== 'string') throw badRequest('The request is not acceptable', `${name}: occurs twice`)
    return readJson(Buffer.from(text), this.#limits.jsonDepth)
  }
}

function requireAtMost(count: number, most: number, name: string): void {
  if (count > most) throw badRequest('The request is not acceptable', `${name}: ${count} given, ${most} are allowed`)
}

/** Register in a separate scope: only there forms are parsed and CORS headers are sent to pages of this machine. */
export function reconcileRoutes(app: FastifyInstance, { engine, search, limits, addressOf }: AppDeps, version: string): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async (_: FastifyRequest, body: string) =>
    Object.fromEntries(new URLSearchParams(body)),
  )
  app.addHook('onRequest', async (request, reply) => {
    const { origin: from } = request.headers
    reply.header('Vary', 'Origin')
    // requireOwnHost rejects every origin except this machine's.
    if (from !== undefined) reply.header('Access-Control-Allow-Origin', from)
  })

  const answers = new ReconcileAnswers({ engine, limits })
  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): unknown => {
    const callback = readCallback((request.query as Form).callback, limits.reconcileCallbackLength)
    if (callback === null) return reply.send(answer)
    requireOwnPage(request.headers)
    return reply.header('Content-Type', 'text/javascript; charset=utf-8').send(makeScript(callback, answer))
  }
  const get = (path: string, answer: (request: FastifyRequest, query: Form) => unknown): void => {
    app.get(path, async (request, reply) => send(request, reply, await answer(request, request.query as Form)))
    app.options(path, async (_request, reply) => reply.code(204).headers(PREFLIGHT).send())
  }
  const answered = (request: FastifyRequest, { queries, extend: extension }: Form): unknown => {
    if (queries !== undefined) return answers.reconcile(queries)
    return extension === undefined ? makeManifest(`${addressOf(request.raw)}${ROOT}`, version) : answers.extend(extension)
  }

  for (const path of [ROOT, `${ROOT}/`]) {
    get(path, answered)
    app.post(path, { bodyLimit: limits.reconcileBytes }, async (request, reply) =>
      send(request, reply, await answered(request, (request.body ?? {}) as Form)),
    )
  }

  const suggest: Readonly<Record<(typeof SUGGESTED)[number], (prefix: string, skip: number) => unknown>> = {
    entity: (prefix, skip) => suggestEntities(prefix, skip, engine, search),
    property: suggestProperties,
    type: suggestTypes,
  }
  for (const what of SUGGESTED) {
    get(`${ROOT}/suggest/${what}`, (_, query) => {
      const { prefix, cursor } = check(suggestForm, query, 'query')
      return suggest[what](prefix, cursor)
    })
    get(`${ROOT}/flyout/${what}`, (_, query) => {
      const { id } = check(idForm, query, 'query')
      return { id, html: flyout(...answers.findTitle(what, id)) }
    })
  }
  get(`${ROOT}/properties`, (_, query) => {
    const { type, limit } = check(proposeForm, query, 'query')
    return proposeProperties(type, limit)
  })
  app.get(`${ROOT}/preview`, async (request, reply) => {
    const { id } = check(idForm, request.query, 'query')
    return reply.headers(PREVIEW_HEADERS).send(previewPage(answers.requireCompany(id)))
  })
}
