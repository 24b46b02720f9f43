/** The routes that a run does not use: their code is loaded with the first request for one of them. */
import type { FastifyInstance } from 'fastify'
import { LIST_CHANGES, LIST_FACTS, OPERATIONS, type OperationName, OTHER_GROUPS } from '../contract/index.ts'
import { accessRoutes } from './access/routes.ts'
import { peopleRoutes } from './companies/people-routes.ts'
import { reportRoutes } from './companies/report.ts'
import { companyRoutes } from './companies/routes.ts'
import { decisionRoutes } from './decisions/routes.ts'
import type { AppDeps, AppOptions } from './deps.ts'
import { docsRoutes, otherRoutes } from './docs/docs-page.ts'
import { metricsRoute } from './health/routes.ts'
import { pathPattern, routePath } from './http/route.ts'
import { monitoringRoutes } from './monitoring/routes.ts'
import { RECONCILE_METHODS, reconcileRoutes } from './openrefine/routes.ts'
import type { Play } from './plays.ts'
import { portfolioRoutes } from './portfolios/routes.ts'
import { Refusal } from './refusal.ts'
import { hitFileRoute } from './screening/hit-routes.ts'
import { screeningRoutes } from './screening/routes.ts'
import { scheduleRoutes } from './screening/schedule-routes.ts'

/** Paths outside the operations table; all are read-only. */
const READ_PATHS = ['/health', '/metrics', '/docs', '/v1/openapi.json', '/files/:name', '/hit-files/:name', '/reports/:name']

const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** The methods of every path of a play, to answer a wrong method with 405 and an unknown path with 404. */
function pathMethods({ operations, matchColumns }: Play, more: Iterable<readonly [string, readonly string[]]>) {
  const played = Object.keys(OPERATIONS).filter((name): name is OperationName => operations?.has(name as OperationName) ?? true)
  const methods = new Map<string, readonly string[]>(READ_PATHS.map(path => [path, ['GET', 'HEAD']]))
  for (const operation of [...played.map(name => OPERATIONS[name]), ...OTHER_GROUPS]) {
    const path = routePath(operation)
    const added = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]
    methods.set(path, [...(methods.get(path) ?? []), ...added])
  }
  if (matchColumns) for (const own of [LIST_FACTS, LIST_CHANGES]) methods.set(routePath(own), [own.method])
  // A path may also be the value of a parameter in a second path: the one without parameters is meant.
  const all = [...methods, ...more].toSorted(([a], [b]) => a.split(':').length - b.split(':').length)
  return all.map(([path, allowed]) => ({ pattern: pathPattern(path), methods: allowed }))
}

export function laterRoutes(app: FastifyInstance, deps: AppDeps, options: AppOptions): void {
  accessRoutes(app, deps)
  screeningRoutes(app, deps)
  scheduleRoutes(app, deps)
  companyRoutes(app, deps)
  reportRoutes(app, deps)
  peopleRoutes(app, deps)
  otherRoutes(app, deps)
  hitFileRoute(app, deps)
  monitoringRoutes(app, deps)
  portfolioRoutes(app, deps)
  decisionRoutes(app, deps)
  metricsRoute(app, deps, options)
  if (options.reconcile) app.register(async scope => reconcileRoutes(scope, deps, options.version))
  docsRoutes(app, deps, options.version)

  let paths: ReturnType<typeof pathMethods> | null = null
  // After the paths of other groups, and before the framework asks what the body is: it refuses a QUERY without one.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    const path = request.url.split('?')[0] ?? ''
    // Of the service as a whole (RFC 9110 §9.3.7).
    if (request.method === 'OPTIONS' && path === '*') return reply.code(204).header('Allow', ALL_METHODS).send()
    paths ??= pathMethods(deps.play, options.reconcile ? RECONCILE_METHODS : [])
    const known = paths.find(({ pattern }) => pattern.test(path))
    if (known === undefined) throw new Refusal(404, 'Not found', 'there is nothing at this path')
    const allow = known.methods.join(', ')
    if (request.method === 'OPTIONS') return reply.code(204).header('Allow', allow).send()
    throw new Refusal(405, 'Method not allowed', `this path takes ${allow}`, { Allow: allow })
  })
}
