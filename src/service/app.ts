/**
 * The HTTP server of the embedded service: limits, checks of every request, error answers, the request log and the routes. It
 * opens no store and no port (contract §14.2).
 */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { authenticateRoute } from './access/authenticate.ts'
import { enrichedFileRoute, jobRoutes } from './data-cleaning/routes.ts'
import type { AppDeps, AppOptions } from './deps.ts'
import { healthRoute } from './health/routes.ts'
import { watchDeadlines } from './http/deadlines.ts'
import { makeOutsideAnswers, refusalOf } from './http/errors.ts'
import { requireOwnHost, requirePlainHeaders } from './http/guard.ts'
import { readJson } from './http/json-body.ts'
import { traceOf } from './http/trace.ts'
import type { Limits } from './limits.ts'
import { Refusal } from './refusal.ts'

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
  // The interface shows some paths with and without `compliance`, and both are served (contract §6.1, §15). Clients write `searchCriteria`,
  // which would be an id, the earlier name of `/access`, and `/companies/` with a slash at its end.
  rewriteUrl: ({ url }: { url?: string }) =>
    (url ?? '')
      .replace(/^\/v1\/kyc-protect\//, '/v1/compliance/kyc-protect/')
      .replace(/^(\/v1\/(?:companies|people)\/)searchcriteria(?=\?|$)/i, '$1searchcriteria')
      .replace(/^\/v1\/access\/countries(?=\?|$)/, '/v1/access')
      .replace(/^(\/v1\/[^?]*[^/?])\/(?=\?|$)/, '$1'),
  genReqId: () => randomUUID(),
})

/** Writes the request log, and answers requests that failed. */
class RequestLog {
  readonly #limits: Limits
  readonly #clock: AppDeps['clock']
  readonly #options: AppOptions

  constructor({ limits, clock }: AppDeps, options: AppOptions) {
    this.#limits = limits
    this.#clock = clock
    this.#options = options
  }

  write(line: Record<string, unknown>): void {
    this.#options.log(JSON.stringify({ time: new Date(this.#clock.now()).toISOString(), ...line }))
  }

  /** `seconds`: null for a request whose time is not measured. */
  writeRequest(request: FastifyRequest, status: number, seconds: number | null): void {
    const { id: correlationId, method } = request
    const route = readRoute(request)
    this.#options.metrics.answered(method, route, status, request.routeOptions.url === undefined ? null : seconds)
    const ms = seconds === null ? undefined : Math.round(seconds * 1000)
    this.write({ correlationId, ...traceOf(request)?.ids, method, route, status, ms })
  }

  answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = refusalOf(error) ?? new Refusal(500, 'Internal error', 'the service failed to run this request')
    if (refusal.status === 500) {
      const message = error instanceof Error ? error.message : 'unknown'
      this.write({ correlationId: request.id, method: request.method, route: readRoute(request), status: 500, error: message })
    }
    reply.header('X-Correlation-Id', request.id)
    if (refusal.status === 413 || countRest(request) > this.#limits.restBytes) reply.header('Connection', 'close')
    reply.code(refusal.status).headers(refusal.headers).send(refusal.body(request.id))
  }
}

const readRoute = (request: FastifyRequest): string => request.routeOptions.url ?? 'unknown'

/** A router without routes, with the limits of the service, and its answers to what is not HTTP. */
function createServer({ limits, clock }: AppDeps, log: RequestLog): FastifyInstance {
  const hangUp = (socket: Duplex): void => {
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    void clock.sleep(limits.checkMs, gone.signal).then(() => socket.destroy())
  }
  const outside = makeOutsideAnswers(line => log.write(line), hangUp)
  const app = fastify({
    ...serverOptions(limits),
    // No route has a JSON schema: zod checks requests, and answers are text. Without these, fastify loads its schema compilers.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    frameworkErrors: (error, request, reply) => {
      log.answerError(error, request, reply)
      // No hook runs for these errors.
      log.writeRequest(request, reply.statusCode, null)
    },
    clientErrorHandler: outside.answerGarbage,
  })
  app.server.on('connect', outside.rejectConnect)
  app.server.on('checkExpectation', outside.rejectExpectation)
  // Too many requests on this connection: Node answers 503 but would keep the connection open.
  app.server.on('dropRequest', (_request, socket) => hangUp(socket))
  app.server.maxConnections = limits.connections
  // requirePlainHeaders counts them and answers 431; Node would drop headers silently.
  app.server.maxHeadersCount = 0
  app.setErrorHandler((error, request, reply) => log.answerError(error, request, reply))
  return app
}

type Deadlines = ReturnType<typeof watchDeadlines>

/** Checks every request before its route, and logs it after its answer. */
function checkRequests(
  app: FastifyInstance,
  limits: Limits,
  options: AppOptions,
  { log, deadlines }: { log: RequestLog; deadlines: Deadlines },
) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    readJson(body, limits.jsonDepth),
  )
  app.addHook('onRequest', async (request, reply) => {
    deadlines.watch(request, reply)
    reply.headers({ 'X-Correlation-Id': request.id, 'X-Content-Type-Options': 'nosniff' })
    const trace = traceOf(request)
    if (trace !== null) reply.header('Traceresponse', trace.response)
    if (options.isClosing()) {
      throw new Refusal(503, 'Service Unavailable', 'the service is stopping', { 'Retry-After': '5', Connection: 'close' })
    }
    requireOwnHost(request.raw, options.hosts, options.forwarded(request.raw))
    requirePlainHeaders(request.raw, limits)
    // Clients generated from the public description repeat its misprint.
    if (request.headers['content-type'] === 'application:json') request.headers['content-type'] = 'application/json'
  })
  app.addHook('onSend', async (_request, reply) => {
    // A connection kept open would delay the shutdown.
    if (options.isClosing()) reply.header('Connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => log.writeRequest(request, reply.statusCode, reply.elapsedTime / 1000))
  app.addHook('onRequestAbort', async request => log.writeRequest(request, 499, null))
}

export function buildApp(deps: AppDeps, options: AppOptions): FastifyInstance {
  const { limits, clock } = deps
  const log = new RequestLog(deps, options)
  const app = createServer(deps, log)
  const late = new Refusal(408, 'Request Timeout', 'the body did not arrive in time', { Connection: 'close' })
  const deadlines = watchDeadlines(clock, limits, (request, reply) => log.answerError(late, request, reply))
  app.addHook('onClose', async () => deadlines.close())

  let later: Promise<FastifyInstance> | null = null
  const openLater = async (): Promise<FastifyInstance> => {
    const { laterRoutes } = await import('./later-routes.ts')
    const second = createServer(deps, log)
    checkRequests(second, limits, options, { log, deadlines })
    laterRoutes(second, deps, options)
    await second.ready()
    return second
  }
  const turns = new WeakMap<Socket, Promise<unknown>>()
  // A second router has the other routes: a start would spend most of its time on routes that a run does not use. A request without a
  // route in the first router is left to it, in its turn.
  app.addHook('onRequest', async (request, reply) => {
    await takeTurn(turns, request, reply)
    if (!request.is404) return
    later ??= openLater()
    const { routing } = await later
    reply.hijack()
    routing(request.raw, reply.raw)
  })
  app.register(async routes => {
    checkRequests(routes, limits, options, { log, deadlines })
    authenticateRoute(routes, deps, deps.play)
    jobRoutes(routes, deps)
    enrichedFileRoute(routes, deps)
    healthRoute(routes, deps, options.version)
  })
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
function countRest({ raw, headers }: FastifyRequest): number {
  if (raw.complete || (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)) return 0
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}
