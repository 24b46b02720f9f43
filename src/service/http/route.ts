/**
 * Registers a route from a row of the operations table: method, path, token, and request and query checked against the schemas
 * of the contract. Only `authenticate` needs no token (contract §2.1). Lists are answered in pages (§2.3).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { mayCarryOut, OPERATIONS, type Operation, type OperationName, type Paging } from '../../contract/index.ts'
import type { Rates } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { User, Users } from '../auth/users.ts'
import type { Limits } from '../limits.ts'
import type { Play } from '../plays.ts'
import { badRequest, notAuthorised, Refusal } from '../refusal.ts'

export interface RouteDeps {
  readonly tokens: Pick<Tokens, 'read'>
  readonly users: Pick<Users, 'get'>
  readonly rates: Rates
  readonly limits: Limits
  readonly play: Pick<Play, 'operations'>
}

export interface Call<Body, Query> {
  readonly user: User
  /** The `{id}` of the path, '' without one. */
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  readonly query: Query
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type BodyOf<Name extends OperationName> = (typeof OPERATIONS)[Name]['request'] extends z.ZodType<infer Body> ? Body : undefined
type QueryOf<Name extends OperationName> = (typeof OPERATIONS)[Name]['query'] extends z.ZodType<infer Query> ? Query : undefined

/** A route of a signed link. */
export type LinkRoute = { Params: { name: string }; Querystring: Record<string, unknown> }

interface RouteOptions {
  readonly adapt?: (body: unknown) => unknown
  readonly bodyLimit?: number
  /** Checks the body in place of the schema of the operation. */
  readonly body?: z.ZodType
}

/** The user of the token of a request; the prefix `Bearer ` is optional (contract §4.1). Throws a 401. */
export async function findUser(
  { headers }: FastifyRequest,
  { tokens, users }: Pick<RouteDeps, 'tokens' | 'users'>,
): Promise<User> {
  const token = /^(?:Bearer +)?([^ ]+)$/i.exec(headers.authorization ?? '')?.[1]
  const bearer = token === undefined ? null : await tokens.read(token)
  const user = bearer === null ? undefined : users.get(bearer.username)
  if (user === undefined || user.generation !== bearer?.generation) throw notAuthorised()
  return user
}

const NO_USER: User = { id: 0, person: 0, username: '', role: 'reader', generation: '' }
const ISSUES = 5

/** Parses a value with a schema. Throws a 400 whose details name the first invalid elements. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  const texts = issues.slice(0, ISSUES).map(({ path, message }) => {
    const steps = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
    return `${steps.replace(/^\./, '') || place}: ${message}`
  })
  const more = issues.length > ISSUES ? ` (and ${issues.length - ISSUES} more)` : ''
  throw badRequest('The request is not acceptable', texts.join('; ') + more)
}

/** Whether a body can be left out: no field is required. */
export const isOptionalBody = (schema: z.ZodType): boolean => schema.safeParse({}).success

/** Keys shown in the header: any others could be text of a caller. */
const SHOWN_KEY = /^[\w-]{1,40}$/
const SHOWN_KEYS = 10

/**
 * Parses a body as clients of the interface send them: keys that it does not know, and null for what may be absent, are ignored. Their
 * names are in the header `X-Ignored-Keys`. Throws a 400 as `check` does.
 */
export function checkBody<Schema extends z.ZodType>(schema: Schema, body: unknown, reply: FastifyReply): z.infer<Schema> {
  if (body === undefined && isOptionalBody(schema)) return check(schema, {}, 'body')
  const ignored = new Set<string>()
  for (let found = true; found; ) {
    const { error } = schema.safeParse(body)
    found = false
    for (const issue of error?.issues ?? []) {
      const record = issue.path
        .slice(0, issue.code === 'unrecognized_keys' ? undefined : -1)
        .reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], body) as Record<PropertyKey, unknown>
      const keys: readonly PropertyKey[] = issue.code === 'unrecognized_keys' ? issue.keys : issue.path.slice(-1)
      for (const key of keys) {
        if (Array.isArray(record) || (issue.code !== 'unrecognized_keys' && record[key] !== null)) continue
        delete record[key]
        ignored.add(String(key))
        found = true
      }
    }
  }
  const read = check(schema, body, 'body')
  nameIgnored(reply, ignored)
  return read
}

/** Names what of a body was ignored, in the header `X-Ignored-Keys`. */
export function nameIgnored(reply: FastifyReply, keys: ReadonlySet<string>): void {
  const shown = new Set([...keys].map(key => (SHOWN_KEY.test(key) ? key : '*')))
  if (shown.size > 0) reply.header('X-Ignored-Keys', [...shown].slice(0, SHOWN_KEYS).join(', '))
}

/** The path of an operation in the notation of the router: `/v1/…/:id`. */
export const routePath = ({ path }: Pick<Operation, 'path'>): string => `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`

export const pathPattern = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)

/** A blank parameter is absent: forms send all their fields. */
const withoutBlanks = (query: unknown): object =>
  Object.fromEntries(
    Object.entries(query as object)
      .map(([name, value]) => [name, Array.isArray(value) ? value.filter(element => element !== '') : value])
      .filter(([, value]) => value !== '' && value?.length !== 0),
  )

/** Returns a function that registers the route of an operation. The return value of the handler is sent with the success status. */
export const createRouter =
  (app: FastifyInstance, deps: RouteDeps) =>
  <Name extends OperationName>(
    name: Name,
    handler: (call: Call<BodyOf<Name>, QueryOf<Name>>) => unknown,
    options: RouteOptions = {},
  ): void => {
    const operation: Operation = OPERATIONS[name]
    const { request: bodySchema, query: querySchema } = operation
    const callers = new WeakMap<FastifyRequest, User>()
    const exists = deps.play.operations?.has(name) ?? true

    app.route<{ Params: Readonly<Record<string, string>> }>({
      // One route for both: fastify would add a route for HEAD, at twice the price of the start.
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      exposeHeadRoute: false,
      url: routePath(operation),
      bodyLimit: options.bodyLimit ?? deps.limits.jsonBytes,
      // Before the body is read: only a caller with a valid token may send one.
      onRequest: async request => {
        if (name === 'authenticate') return
        const user = await findUser(request, deps)
        if (!exists) throw new Refusal(404, 'Not found', 'there is nothing at this path')
        if (!mayCarryOut(user.role, operation)) throw new Refusal(403, 'Access forbidden')
        deps.rates.admit(name, user.username)
        callers.set(request, user)
      },
      handler: async (request, reply) => {
        const sent = options.adapt === undefined ? request.body : options.adapt(request.body)
        const body =
          bodySchema === null || bodySchema === 'multipart' ? undefined : checkBody(options.body ?? bodySchema, sent, reply)
        const query = querySchema === null ? undefined : check(querySchema, withoutBlanks(request.query), 'query')
        reply.code(operation.success ?? 200)
        return handler({
          user: callers.get(request) ?? NO_USER,
          id: request.params.id ?? '',
          params: request.params,
          body: body as BodyOf<Name>,
          query: query as QueryOf<Name>,
          request,
          reply,
        })
      },
    })
  }

type PageQuery = { readonly page: number; readonly pageSize: number }

export type Window = { readonly limit: number; readonly offset: number }

/** The window of a page; pages are numbered from `first`. */
export const findWindow = ({ page, pageSize }: PageQuery, first: 0 | 1): Window => ({
  limit: pageSize,
  offset: (page - first) * pageSize,
})

/** One page of a list in memory; pages are numbered from 1. */
export function cutPage<T>(list: readonly T[], query: PageQuery): T[] {
  const { limit, offset } = findWindow(query, 1)
  return list.slice(offset, offset + limit)
}

/** The paging block; pages are numbered from 0. */
export function makePaging({ page, pageSize }: PageQuery, total: number): Paging {
  const last = Math.max(0, Math.ceil(total / pageSize) - 1)
  return { size: pageSize, prev: page > 0 ? page - 1 : null, next: page < last ? page + 1 : null, last }
}
