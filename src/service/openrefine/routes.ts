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
import type { Company } from '../matching/index.ts'
import { badRequest, Refusal } from '../refusal.ts'
import {
  COMPANY,
  extend,
  extendQuery,
  lineOf,
  manifestOf,
  PROPERTIES,
  proposeProperties,
  queryBatch,
  reconcile,
  suggestEntities,
  suggestProperties,
  suggestTypes,
} from './answers.ts'

const NAME = /^[A-Za-z_$][\w$]*$/

const isCallable = (text: string): boolean => text.split('.').every(name => NAME.test(name))

/** The function to call; null for a plain answer. Throws a 400 for an invalid function name. */
function callbackOf(callback: unknown, longest: number): string | null {
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
export const scriptOf = (callback: string, answer: unknown): string =>
  `/**/${callback}(${JSON.stringify(answer).replace(/[\u2028\u2029<]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)});\n`

const rowsOf = (company: Company): string => {
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
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${asHtml(company.name)}</title><style>${STYLE}</style><h1>${asHtml(company.name)}</h1><table>${rowsOf(company)}</table></html>\n`

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

const skipping = z.coerce.number().int().min(0).default(0)
const suggestForm = z.looseObject({ prefix: z.string(), cursor: skipping })
const idForm = z.looseObject({ id: z.string().min(1) })
const proposeForm = z.looseObject({ type: z.string().default(COMPANY.id), limit: z.coerce.number().int().min(0).optional() })

/** Register in a separate scope: only there forms are parsed and CORS headers are sent to pages of this machine. */
export function reconcileRoutes(app: FastifyInstance, { engine, search, limits, addressOf }: AppDeps, version: string): void {
  const baseOf = (request: FastifyRequest): string => `${addressOf(request.raw)}${ROOT}`

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

  const jsonIn = (text: string | string[] | undefined, name: string): unknown => {
    if (typeof text !== 'string') throw badRequest('The request is not acceptable', `${name}: occurs twice`)
    return readJson(Buffer.from(text), limits.jsonDepth)
  }
  const requireAtMost = (count: number, most: number, name: string): void => {
    if (count > most) throw badRequest('The request is not acceptable', `${name}: ${count} given, ${most} are allowed`)
  }

  const answerQueries = async (text: Form[string]): Promise<unknown> => {
    const queries = Object.entries(check(queryBatch, jsonIn(text, 'queries'), 'queries'))
    requireAtMost(queries.length, limits.reconcileQueries, 'queries')
    const answers: [string, unknown][] = []
    for (const [key, query] of queries) {
      answers.push([key, reconcile(query, engine)])
      // Lets other requests run.
      await setImmediate()
    }
    return Object.fromEntries(answers)
  }
  const answerExtension = (text: Form[string]): unknown => {
    const { ids, properties } = check(extendQuery, jsonIn(text, 'extend'), 'extend')
    requireAtMost(ids.length, limits.reconcileIds, 'ids')
    requireAtMost(properties.length, limits.reconcileQueries, 'properties')
    const wanted = properties.map(property => property.id)
    return extend(ids, wanted, engine)
  }

  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): unknown => {
    const callback = callbackOf((request.query as Form).callback, limits.reconcileCallbackLength)
    if (callback === null) return reply.send(answer)
    requireOwnPage(request.headers)
    return reply.header('Content-Type', 'text/javascript; charset=utf-8').send(scriptOf(callback, answer))
  }
  const get = (path: string, answer: (request: FastifyRequest, query: Form) => unknown): void => {
    app.get(path, async (request, reply) => send(request, reply, await answer(request, request.query as Form)))
    app.options(path, async (_request, reply) => reply.code(204).headers(PREFLIGHT).send())
  }
  const answered = (request: FastifyRequest, { queries, extend: extension }: Form): unknown => {
    if (queries !== undefined) return answerQueries(queries)
    return extension === undefined ? manifestOf(baseOf(request), version) : answerExtension(extension)
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
  const companyOf = (id: string) => {
    const company = engine.find(id)
    if (company === null) throw new Refusal(404, 'Not found', 'id: no company has this id')
    return company
  }
  const titleOf = (what: (typeof SUGGESTED)[number], id: string): [string, string] => {
    if (what === 'entity') return [companyOf(id).name, lineOf(companyOf(id))]
    const names: Readonly<Record<string, { readonly name: string }>> = what === 'type' ? { [COMPANY.id]: COMPANY } : PROPERTIES
    if (!Object.hasOwn(names, id)) throw new Refusal(404, 'Not found', `id: no ${what} has this id`)
    return [names[id]?.name ?? id, id]
  }
  for (const what of SUGGESTED) {
    get(`${ROOT}/suggest/${what}`, (_, query) => {
      const { prefix, cursor } = check(suggestForm, query, 'query')
      return suggest[what](prefix, cursor)
    })
    get(`${ROOT}/flyout/${what}`, (_, query) => {
      const { id } = check(idForm, query, 'query')
      return { id, html: flyout(...titleOf(what, id)) }
    })
  }
  get(`${ROOT}/properties`, (_, query) => {
    const { type, limit } = check(proposeForm, query, 'query')
    return proposeProperties(type, limit)
  })
  app.get(`${ROOT}/preview`, async (request, reply) => {
    const { id } = check(idForm, request.query, 'query')
    return reply.headers(PREVIEW_HEADERS).send(previewPage(companyOf(id)))
  })
}
