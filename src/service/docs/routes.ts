/**
 * `GET /v1/openapi.json` and `GET /docs`: the interface for programs and for people. Neither needs a token, since both are
 * published anyway.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ownAddress } from '../http/guard.ts'
import { docsPage } from './docs-page.ts'
import { openApi } from './openapi.ts'

const CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function docsRoutes(app: FastifyInstance, { origin }: { readonly origin: () => string }, version: string): void {
  const baseOf = (request: FastifyRequest): string => `${ownAddress(request, origin)}/v1`
  app.get('/v1/openapi.json', async request => openApi(version, baseOf(request)))
  app.get('/docs', async (request, reply) => {
    reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': CSP })
    return docsPage(openApi(version, baseOf(request)))
  })
}
