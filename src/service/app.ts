/**
 * The HTTP server of the embedded service: limits, checks of every request, error answers, the request log and the routes. It
 * opens no store and no port (contract §14.2).
 */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { OPERATIONS, OTHER_GROUPS } from '../contract/index.ts'
import { authenticateRoute } from './access/authenticate.ts'
import { accessRoutes } from './access/routes.ts'
import { peopleRoutes } from './companies/people-routes.ts'
import { reportRoutes } from './companies/report-route.ts'
import { companyRoutes } from './companies/routes.ts'
import { enrichedFileRoute, jobRoutes } from './data-cleaning/routes.ts'
import type { AppDeps } from './deps.ts'
import { docsRoutes, otherRoutes } from './docs/routes.ts'
import type { Metrics } from './health/metrics.ts'
import { healthRoute, metricsRoute } from './health/routes.ts'
import { watchDeadlines } from './http/deadlines.ts'
import { connectAnswerer, garbageAnswerer, refusalOf } from './http/errors.ts'
import { requireOwnHost, requirePlainHeaders } from './http/guard.ts'
import { readJson } from './http/json-body.ts'
import { pathPattern, routePath } from './http/route.ts'
import { traceOf } from './http/trace.ts'
import type { Limits } from './limits.ts'
import type { Log } from './log.ts'
import { monitoringRoutes } from './monitoring/routes.ts'
import { RECONCILE_METHODS, reconcileRoutes } from './openrefine/routes.ts'
import { portfolioRoutes } from './portfolios/routes.ts'
import { Refusal } from './refusal.ts'
import { hitFileRoute } from './screening/hit-routes.ts'
import { screeningRoutes } from './screening/routes.ts'

export interface AppOptions {
  /** Names under which the service is reached, lower case; loopback names are always accepted. */
  readonly hosts: readonly string[]
  readonly version: string
  readonly log: Log
  readonly metrics: Metrics
  /** Whether `/reconcile` is served. */
  readonly reconcile: boolean
  /** Whether the service is stopping: new requests get a 503 (faults H33). */
  readonly isClosing: () => boolean
}

/** Paths outside the operations table; all are read-only. */
const READ_PATHS = ['/health', '/metrics', '/docs', '/v1/openapi.json', '/files/:name', '/hit-files/:name', '/reports/:name']

interface PathMethods {
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

/** The methods of every path, to answer a wrong method with 405 and an unknown path with 404. */
function pathMethods(more: Iterable<readonly [string, readonly string[]]>): PathMethods[] {
  const methods = new Map<string, readonly string[]>(READ_PATHS.map(path => [path, ['GET', 'HEAD']]))
  for (const operation of [...Object.values(OPERATIONS), ...OTHER_GROUPS]) {
    const path = routePath(operation)
    const added = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]
    methods.set(path, [...(methods.get(path) ?? []), ...added])
  }
  return [...methods, ...more].map(([path, allowed]) => ({
    pattern: pathPattern(path),
    methods: allowed,
  }))
}

const noCompiler = () => () => {
  throw new Error('no route has a JSON schema')
}

const serverOptions = (limits: Limits) => ({
  bodyLimit: limits.jsonBytes,
  connectionTimeout: limits.idleMs,
  // Node waits a second longer than it announces.
  keepAliveTimeout: Math.max(1, limits.keepAliveMs - 1_000),
  maxRequestsPerSocket: limits.requestsPerSocket,
  requestTimeout: Math.max(limits.uploadMs, limits.headersMs),
  return503OnClosing: false,
  http: {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkMs,
    // requireOwnHost checks it: Node would answer without a body.
    requireHostHeader: false,
  },
  // As long as the headers may be, so that an over-long id gets the 404 of any unknown job.
  routerOptions: { maxParamLength: limits.headerBytes },
  forceCloseConnections: 'idle' as const,
  requestIdHeader: false as const,
  // The interface shows these paths with and without `compliance`: both are served (contract §6.1, §15).
  rewriteUrl: ({ url }: { url?: string | undefined }) =>
    (url ?? '').replace(/^\/v1\/kyc-protect\//, '/v1/compliance/kyc-protect/'),
  genReqId: () => randomUUID(),
})

export function buildApp(deps: AppDeps, options: AppOptions): FastifyInstance {
  const { limits, clock } = deps

  const write = (line: Record<string, unknown>): void => {
    options.log(JSON.stringify({ time: new Date(clock.now()).toISOString(), ...line }))
  }
  const writeRequest = (
    request: FastifyRequest,
    status: number,
    seconds: number | null,
    more: Record<string, unknown> = {},
  ): void => {
    const route = request.routeOptions.url ?? 'unknown'
    const trace = traceOf(request)
    options.metrics.answered(request.method, route, status, request.routeOptions.url === undefined ? null : seconds)
    write({ correlationId: request.id, ...trace?.ids, method: request.method, route, status, ...more })
  }

  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error) ?? new Refusal(500, 'Internal error', 'the service failed to run this request')
    if (refusal.status === 500) {
      const message = error instanceof Error ? error.message : 'unknown'
      write({
        correlationId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: 500,
        error: message,
      })
    }
    reply.header('X-Correlation-Id', request.id)
    if (refusal.status === 413 || restOf(request) > limits.restBytes) reply.header('Connection', 'close')
    reply.code(refusal.status).headers(refusal.headers).send(refusal.body(request.id))
  }

  const hangUp = (socket: Duplex): void => {
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    void clock.sleep(limits.checkMs, gone.signal).then(() => socket.destroy())
  }
  const outside = { log: write, hangUp }
  const app = fastify({
    ...serverOptions(limits),
    // No route has a JSON schema: zod checks requests, and answers are text. Without these, fastify loads its schema compilers.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply)
      // No hook runs for these errors.
      writeRequest(request, reply.statusCode, null)
    },
    clientErrorHandler: garbageAnswerer(outside),
  })
  app.server.on('connect', connectAnswerer(outside))
  // Too many requests on this connection: Node answers 503 but would keep the connection open.
  app.server.on('dropRequest', (_request, socket) => hangUp(socket))
  app.server.maxConnections = limits.connections
  // requirePlainHeaders counts them and answers 431; Node would drop headers silently.
  app.server.maxHeadersCount = 0

  const late = new Refusal(408, 'Request Timeout', 'the body did not arrive in time', { Connection: 'close' })
  const deadlines = watchDeadlines(clock, limits, (request, reply) => answerError(late, request, reply))
  app.addHook('onClose', async () => deadlines.close())

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    readJson(body, limits.jsonDepth),
  )

  const turns = new WeakMap<Socket, Promise<unknown>>()
  app.addHook('onRequest', async (request, reply) => {
    await takeTurn(turns, request, reply)
    deadlines.watch(request, reply)
    reply.headers({ 'X-Correlation-Id': request.id, 'X-Content-Type-Options': 'nosniff' })
    const trace = traceOf(request)
    if (trace !== null) reply.header('Traceresponse', trace.response)
    if (options.isClosing()) {
      throw new Refusal(503, 'Service Unavailable', 'the service is stopping', { 'Retry-After': '5', Connection: 'close' })
    }
    requireOwnHost(request.raw, options.hosts)
    requirePlainHeaders(request.raw, limits)
  })
  app.addHook('onSend', async (_request, reply) => {
    // A connection kept open would delay the shutdown.
    if (options.isClosing()) reply.header('Connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) =>
    writeRequest(request, reply.statusCode, reply.elapsedTime / 1000, { ms: Math.round(reply.elapsedTime) }),
  )
  app.addHook('onRequestAbort', async request => writeRequest(request, 499, null))
  app.setErrorHandler(answerError)

  let paths: PathMethods[] | null = null
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    paths ??= pathMethods(options.reconcile ? RECONCILE_METHODS : [])
    const known = paths.find(({ pattern }) => pattern.test(path))
    if (known === undefined) throw new Refusal(404, 'Not found', 'there is nothing at this path')
    const allow = known.methods.join(', ')
    if (request.method === 'OPTIONS') return reply.code(204).header('Allow', allow).send()
    throw new Refusal(405, 'Method not allowed', `this path takes ${allow}`, { Allow: allow })
  })

  authenticateRoute(app, deps)
  accessRoutes(app, deps)
  jobRoutes(app, deps)
  screeningRoutes(app, deps)
  companyRoutes(app, deps)
  reportRoutes(app, deps)
  peopleRoutes(app, deps)
  otherRoutes(app, deps)
  enrichedFileRoute(app, deps)
  hitFileRoute(app, deps)
  monitoringRoutes(app, deps)
  portfolioRoutes(app, deps)
  healthRoute(app, deps, options.version)
  metricsRoute(app, deps, options)
  if (options.reconcile) app.register(async scope => reconcileRoutes(scope, deps, options.version))
  docsRoutes(app, deps, options.version)
  return app
}

/**
 * Waits until the earlier requests of the connection are answered. Node would run all pipelined requests at once and keep their
 * answers in memory for a client that never reads them (faults H30).
 */
async function takeTurn(turns: WeakMap<Socket, Promise<unknown>>, { raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const before = turns.get(raw.socket)
  turns.set(raw.socket, new Promise(done => reply.raw.once('close', done)))
  await before
}

/** Bytes of a rejected body that may still arrive; only a short rest is read to its end. */
function restOf({ raw, headers }: FastifyRequest): number {
  if (raw.complete || (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)) return 0
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}
