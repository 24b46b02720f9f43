/**
 * `GET /health`: whether the service is up, since when, whether it can read what it keeps, and what it matches against. Nothing about
 * jobs or users. 503 when something does not work; a service that stops answers 503 by itself.
 */
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'

/** An opened register, as `GET /health` and `serve` report it. */
export interface OpenRegister {
  readonly name: string
  readonly companies: number
  /** Date of the data, `2026-01-31`. */
  readonly snapshotDate: string
}

export interface HealthDeps {
  readonly registers: readonly OpenRegister[]
  readonly jobs: { withStatus(statuses: readonly string[]): unknown }
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly clock: Pick<Clock, 'now'>
}

/** A status no job has. */
const NO_STATUS = 'none'

/** Registers the health check; `version` is fettle's. */
export function healthRoute(app: FastifyInstance, { registers, jobs, startedAt, clock }: HealthDeps, version: string): void {
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
