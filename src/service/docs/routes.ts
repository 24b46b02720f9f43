/**
 * `GET /v1/openapi.json` and `GET /docs`: the interface for programs and for people. The page holds everything it shows and asks
 * nobody for more. Neither needs a token: they say nothing that the documentation does not.
 */
import type { FastifyInstance } from 'fastify'
import { docsPage } from './docs-page.ts'
import { openApi } from './openapi.ts'

const CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Registers both; `version` is fettle's. */
export function docsRoutes(app: FastifyInstance, { origin }: { readonly origin: () => string }, version: string): void {
  const baseOf = (host: string | undefined): string => `${host === undefined ? origin() : `http://${host}`}/v1`
  app.get('/v1/openapi.json', async ({ headers }) => openApi(version, baseOf(headers.host)))
  app.get('/docs', async ({ headers }, reply) => {
    reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': CSP })
    return docsPage(openApi(version, baseOf(headers.host)))
  })
}
