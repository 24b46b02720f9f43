/**
 * `GET /health`: status, version, uptime, database check and registers, without data of jobs or users. Answers 503 when a check
 * fails.
 */

import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../deps.ts'

/** An opened register, as `GET /health` and `serve` report it. */
export interface OpenRegister {
  readonly name: string
  readonly companies: number
  /** Date of the data, `2026-01-31`. */
  readonly snapshotDate: string
}

const NO_STATUS = 'none'

export function healthRoute(app: FastifyInstance, { registers, jobs, startedAt, clock }: AppDeps, version: string): void {
  const canRead = (): boolean => {
    try {
      jobs.withStatus([NO_STATUS])
      return true
    } catch {
      return false
    }
  }
  app.get('/health', async (_request, reply) => {
    const isHealthy = canRead()
    return reply.code(isHealthy ? 200 : 503).send({
      status: isHealthy ? 'ok' : 'failing',
      version,
      startedAt: new Date(startedAt).toISOString(),
      uptimeSeconds: Math.max(0, Math.round((clock.now() - startedAt) / 1000)),
      checks: { database: isHealthy ? 'ok' : 'failing' },
      registers,
    })
  })
}
