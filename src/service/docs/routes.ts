/**
 * `GET /v1/openapi.json` and `GET /docs`: the interface for programs and for people; neither needs a token, since both are published
 * anyway. Operations that need a separate subscription answer 403 before a body is read, the retired product 301 (contract §2.1,
 * §10, §11.3 to §11.7, §14.2).
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OTHER_GROUPS, RETIRED } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { pathPattern, type RouteDeps, routePath, userOf } from '../http/route.ts'
import { Refusal } from '../refusal.ts'
import { docsPage } from './docs-page.ts'
import { openApi } from './openapi.ts'

const CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function docsRoutes(app: FastifyInstance, { addressOf, play }: AppDeps, version: string): void {
  let made: ReturnType<typeof openApi> | null = null
  /** Made once, since it takes much longer than any answer, and needs no token. */
  const describe = (request: FastifyRequest) => {
    made ??= openApi(version, '', play)
    return { ...made, servers: [{ url: `${addressOf(request.raw)}/v1` }] }
  }
  app.get('/v1/openapi.json', async request => describe(request))
  app.get('/docs', async (request, reply) => {
    reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': CSP })
    return docsPage(describe(request))
  })
}

/** Forbids what no route takes: a route for each of these operations would slow down the start. */
export function otherRoutes(app: FastifyInstance, deps: RouteDeps): void {
  let others: { readonly method: string; readonly pattern: RegExp }[] | null = null
  const isOther = (method: string, path: string): boolean => {
    others ??= OTHER_GROUPS.map(operation => ({ method: operation.method, pattern: pathPattern(routePath(operation)) }))
    return others.some(other => other.method === (method === 'HEAD' ? 'GET' : method) && other.pattern.test(path))
  }
  const admit = async (request: FastifyRequest): Promise<void> =>
    deps.rates.admit('other', (await userOf(request, deps)).username)

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    const path = request.url.split('?')[0] ?? ''
    if (isOther(request.method, path)) {
      await admit(request)
      throw new Refusal(403, 'Access forbidden')
    }
    if (path.startsWith(`/v1${RETIRED}`)) {
      await admit(request)
      return reply.code(301).send({ message: 'This product was retired in November 2024.' })
    }
  })
}
