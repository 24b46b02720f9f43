/**
 * `GET /health`: whether the service is up, since when, whether it can read what it keeps, and what it matches against. Nothing about
 * jobs or users. 503 when something does not work; a service that stops answers 503 by itself.
 */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'

/** A status no job has. */
const NO_STATUS = 'none'

/** Registers the health check; `version` is fettle's. */
export function healthRoute(app: FastifyInstance, { registers, jobs, startedAt, clock }: Context, version: string): void {
  const canRead = (): boolean => {
    try {
      jobs.withStatus([NO_STATUS])
      return true
    } catch {
      return false
    }
  }
  app.get('/health', async (_request, reply) => {
    const isWell = canRead()
    return reply.code(isWell ? 200 : 503).send({
      status: isWell ? 'ok' : 'failing',
      version,
      startedAt: new Date(startedAt).toISOString(),
      uptimeSeconds: Math.max(0, Math.round((clock.now() - startedAt) / 1000)),
      checks: { database: isWell ? 'ok' : 'failing' },
      registers,
    })
  })
}
