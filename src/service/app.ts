/**
 * The HTTP server of the embedded service: limits, checks that hold for every request, error answers, the request log, and the
 * routes. It opens nothing and listens nowhere; serve.ts does (contract §14.2).
 */
import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { OPERATIONS } from '../contract/index.ts'
import { answerGarbage, refusalOf } from './answer-error.ts'
import { requireOwnHost, requirePlainHeaders } from './guard.ts'
import { readJson } from './json-body.ts'
import type { Limits } from './limits.ts'
import { Refusal } from './refusal.ts'
import { authenticateRoute } from './routes/authenticate.ts'
import type { Context } from './routes/context.ts'
import { fileRoute } from './routes/files.ts'
import { healthRoute } from './routes/health.ts'
import { jobRoutes } from './routes/jobs.ts'
import { routePath } from './routes/operation.ts'

/** Takes one line of the log, without a line end. */
export type Log = (line: string) => void

/** What the server needs besides its routes' context. */
export interface AppOptions {
  /** Names the service is reached by, lower case; besides them only the loopback names are answered for. */
  readonly hosts: readonly string[]
  readonly version: string
  readonly log: Log
}

/** Methods by path, to tell a wrong method from an unknown path. */
const METHODS = new Map<string, string[]>([
  ['/health', ['GET', 'HEAD']],
  ['/files/:name', ['GET', 'HEAD']],
])
for (const operation of Object.values(OPERATIONS)) {
  const allowed = METHODS.get(routePath(operation)) ?? []
  const more = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]
  METHODS.set(routePath(operation), [...allowed, ...more])
}
const PATTERNS = [...METHODS].map(([path, methods]) => ({ pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`), methods }))

const serverOptions = (limits: Limits) => ({
  bodyLimit: limits.jsonBytes,
  connectionTimeout: limits.idleMs,
  keepAliveTimeout: limits.keepAliveMs,
  maxRequestsPerSocket: limits.requestsPerSocket,
  requestTimeout: limits.requestMs,
  http: { maxHeaderSize: limits.headerBytes, headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
  // As long as the headers may be, so that an endless id is an unknown job like any other.
  routerOptions: { maxParamLength: limits.headerBytes },
  forceCloseConnections: 'idle' as const,
  requestIdHeader: false as const,
  genReqId: () => randomUUID(),
})

/** Builds the server. */
export function buildApp(context: Context, options: AppOptions): FastifyInstance {
  const { limits, clock } = context

  const write = (request: FastifyRequest, status: number, more: Record<string, unknown> = {}): void => {
    const route = request.routeOptions.url ?? 'unknown'
    const time = new Date(clock.now()).toISOString()
    options.log(JSON.stringify({ time, correlationId: request.id, method: request.method, route, status, ...more }))
  }

  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error) ?? new Refusal(500, 'Internal error', 'the service could not carry this out')
    if (refusal.status === 500) write(request, 500, { error: error instanceof Error ? error.message : 'unknown' })
    reply.header('X-Correlation-Id', request.id)
    // The rest of a refused body is not read.
    if (refusal.status === 413) reply.header('Connection', 'close')
    reply.code(refusal.status).headers(refusal.headers).send(refusal.body(request.id))
  }

  const app = fastify({ ...serverOptions(limits), frameworkErrors: answerError, clientErrorHandler: answerGarbage })
  app.server.maxConnections = limits.connections
  // Counted by the guard instead, which refuses where this would drop headers silently.
  app.server.maxHeadersCount = 0

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    readJson(body, limits.jsonDepth),
  )

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'X-Correlation-Id': request.id, 'X-Content-Type-Options': 'nosniff' })
    requireOwnHost(request.raw, options.hosts)
    requirePlainHeaders(request.raw, limits)
  })
  app.addHook('preParsing', async request => closeWhenSlow(request, context))
  app.addHook('onResponse', async (request, reply) => write(request, reply.statusCode, { ms: Math.round(reply.elapsedTime) }))
  app.addHook('onRequestAbort', async request => write(request, 499))
  app.setErrorHandler(answerError)

  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const known = PATTERNS.find(({ pattern }) => pattern.test(path))
    if (known === undefined) throw new Refusal(404, 'Not found', 'there is nothing at this path')
    const allow = known.methods.join(', ')
    if (request.method === 'OPTIONS') return reply.code(204).header('Allow', allow).send()
    throw new Refusal(405, 'Method not allowed', `this path takes ${allow}`, { Allow: allow })
  })

  authenticateRoute(app, context)
  jobRoutes(app, context)
  fileRoute(app, context)
  healthRoute(app, context, options.version)
  return app
}

/** Ends a connection whose JSON body takes too long; uploads have the request's own limit (faults H12). */
function closeWhenSlow(request: FastifyRequest, { clock, limits }: Context): void {
  if (request.raw.complete || request.headers['content-type']?.startsWith('multipart/') === true) return
  const arrived = new AbortController()
  request.raw.once('close', () => arrived.abort())
  void clock.sleep(limits.jsonMs, arrived.signal).then(() => {
    if (!request.raw.complete) request.raw.destroy()
  })
}
