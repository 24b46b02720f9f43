/** `GET /health`: whether the service is up and what it matches against. Nothing about jobs or users. */
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'

/** Registers the health check; `version` is fettle's. */
export function healthRoute(app: FastifyInstance, { registers }: Context, version: string): void {
  app.get('/health', async () => ({ status: 'ok', version, registers }))
}
